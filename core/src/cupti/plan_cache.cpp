// SPDX-License-Identifier: Apache-2.0
#include "plan_cache.hpp"

#include <cstring>

#include "cuda/cache_folder.hpp"
#include "cuda/digest.hpp"

// The file: the digest of the rest in hex, then fields, each a 64-bit length (of this machine's byte order; the folder
// is a cache, not an exchange format) and its bytes.

namespace kerntune::cupti {
namespace {

constexpr std::string_view kFormat = "kerntune plan 1";
constexpr std::size_t kDigestBytes = 64;
constexpr std::uint64_t kMostFields = 10000;

void put(std::string& out, std::string_view field) {
  const std::uint64_t bytes = field.size();
  out.append(reinterpret_cast<const char*>(&bytes), sizeof bytes);
  out.append(field);
}
void put(std::string& out, std::uint64_t number) { put(out, std::to_string(number)); }
void put(std::string& out, const std::vector<std::string>& fields) {
  put(out, fields.size());
  for (const std::string& field : fields) put(out, field);
}

/// Reads fields in turn; `ok` is false once something was not as expected.
class Fields {
 public:
  explicit Fields(std::string_view rest) : rest_(rest) {}
  std::string text() {
    std::uint64_t bytes = 0;
    if (rest_.size() < sizeof bytes) return fail();
    std::memcpy(&bytes, rest_.data(), sizeof bytes);
    rest_.remove_prefix(sizeof bytes);
    if (bytes > rest_.size()) return fail();
    std::string field(rest_.substr(0, bytes));
    rest_.remove_prefix(bytes);
    return field;
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (const char c : text()) {
      if (c < '0' || c > '9' || value > kMostFields * kMostFields) return fail(), 0;
      value = 10 * value + static_cast<std::uint64_t>(c - '0');
    }
    return value;
  }
  std::uint64_t count() {
    const std::uint64_t value = number();
    return value <= kMostFields ? value : (fail(), 0);
  }
  std::vector<std::string> texts() {
    std::vector<std::string> all;
    for (std::uint64_t left = count(); left > 0 && ok; --left) all.push_back(text());
    return all;
  }
  bool done() const noexcept { return ok && rest_.empty(); }
  bool ok = true;

 private:
  std::string fail() {
    ok = false;
    return {};
  }
  std::string_view rest_;
};

}  // namespace

std::string plan_key(const CuptiApi& api, const PlanRequest& request) {
  cuda::Sha256 digest;
  digest.field(kFormat).field(api.version).field(request.chip).field(static_cast<std::int64_t>(request.max_passes));
  digest.field(request.strict ? 1 : 0);
  digest.field(
      std::string_view(reinterpret_cast<const char*>(request.availability.data()), request.availability.size()));
  for (const std::string& wish : request.wishes) digest.field(wish);
  return digest.hex();
}

std::string encode_plan(const Plan& plan) {
  std::string body;
  put(body, kFormat);
  put(body, plan.chip);
  put(body, plan.passes);
  put(body, plan.metrics.size());
  for (const PlannedMetric& metric : plan.metrics) {
    put(body, metric.wished);
    put(body, metric.counted_as);
    put(body, metric.unit);
  }
  put(body, plan.missing);
  put(body, plan.dropped);
  put(body, std::string_view(reinterpret_cast<const char*>(plan.image.data()), plan.image.size()));
  return cuda::sha256_hex(body) + body;
}

std::optional<Plan> decode_plan(std::string_view bytes) {
  if (bytes.size() < kDigestBytes) return std::nullopt;
  const std::string_view body = bytes.substr(kDigestBytes);
  if (cuda::sha256_hex(body) != bytes.substr(0, kDigestBytes)) return std::nullopt;
  Fields fields(body);
  if (fields.text() != kFormat) return std::nullopt;
  Plan plan;
  plan.chip = fields.text();
  plan.passes = fields.number();
  for (std::uint64_t left = fields.count(); left > 0 && fields.ok; --left) {
    PlannedMetric& metric = plan.metrics.emplace_back();
    metric.wished = fields.text();
    metric.counted_as = fields.text();
    metric.unit = fields.text();
  }
  plan.missing = fields.texts();
  plan.dropped = fields.texts();
  const std::string image = fields.text();
  plan.image.assign(image.begin(), image.end());
  return fields.done() ? std::optional(std::move(plan)) : std::nullopt;
}

Plan cached_plan(const CuptiApi& api, const PlanRequest& request, const std::string& folder) {
  cuda::CacheFolder cache(folder.empty() ? cuda::CacheFolder::default_folder("counters") : folder, ".plan",
                          "plans of counters");
  const std::string key = plan_key(api, request);
  if (const auto bytes = cache.load(key))
    if (auto plan = decode_plan(*bytes)) return std::move(*plan);
  Plan plan = plan_passes(api, request);
  cache.store(key, encode_plan(plan));
  return plan;
}

}  // namespace kerntune::cupti
