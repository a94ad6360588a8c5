// SPDX-License-Identifier: Apache-2.0
#include "cubin_file.hpp"

#include <fmt/format.h>

#include <charconv>

#include "digest.hpp"

namespace kerntune::cuda {
namespace {

constexpr std::string_view kMagic = "kerntune-cubin 1\nsha256 ";
constexpr std::size_t kDigestSize = 64;

void write_field(std::string& out, std::string_view tag, std::string_view bytes) {
  fmt::format_to(std::back_inserter(out), "{} {}\n", tag, bytes.size());
  out.append(bytes).push_back('\n');
}

void write_entry(std::string& out, const std::string& name, const EntryFacts& facts) {
  write_field(out, "entry", name);
  write_field(out, "lowered", facts.lowered_name);
  write_field(out, "facts",
              fmt::format("{} {} {} {} {} {}", facts.regs, facts.stack_bytes, facts.spill_store_bytes,
                          facts.spill_load_bytes, facts.static_shared_bytes, facts.constant_bytes));
}

/// Takes fields off the front; after the first mismatch every further read fails too.
class FieldReader {
 public:
  explicit FieldReader(std::string_view text) : rest_(text) {}
  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }
  bool next_is(std::string_view tag) const {
    return rest_.starts_with(tag) && rest_.substr(tag.size()).starts_with(' ');
  }

  std::string_view field(std::string_view tag) {
    ok_ = ok_ && next_is(tag);
    if (!ok_) return {};
    rest_.remove_prefix(tag.size() + 1);
    std::size_t size = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
    const auto digits = static_cast<std::size_t>(end - rest_.data());
    // "digits\n", the bytes, "\n"
    ok_ = error == std::errc{} && digits < rest_.size() && rest_[digits] == '\n' && size < rest_.size() - digits - 1;
    if (!ok_) return {};
    const std::string_view bytes = rest_.substr(digits + 1, size);
    ok_ = rest_[digits + 1 + size] == '\n';
    rest_.remove_prefix(digits + size + 2);
    return bytes;
  }

  void fail() { ok_ = false; }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

template <typename Number>
bool take_number(std::string_view& text, Number& value) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return error == std::errc{};
}

void read_entry(FieldReader& reader, CompiledModule& module) {
  const std::string name(reader.field("entry"));
  EntryFacts& facts = module.entries[name];
  facts.lowered_name = reader.field("lowered");
  std::string_view numbers = reader.field("facts");
  const bool complete = take_number(numbers, facts.regs) && take_number(numbers, facts.stack_bytes) &&
                        take_number(numbers, facts.spill_store_bytes) && take_number(numbers, facts.spill_load_bytes) &&
                        take_number(numbers, facts.static_shared_bytes) && take_number(numbers, facts.constant_bytes);
  if (!complete || !numbers.empty()) reader.fail();
}

}  // namespace

std::string encode_cubin_file(const CompiledModule& module) {
  std::string body;
  body.reserve(module.cubin.size() + module.log.size() + 1024);
  write_field(body, "key", module.key);
  write_field(body, "cubin_sha256", module.cubin_digest);
  write_field(body, "compile_ms", fmt::format("{}", module.compile_ms));
  for (const auto& [name, facts] : module.entries) write_entry(body, name, facts);
  write_field(body, "log", module.log);
  write_field(body, "cubin", module.cubin);
  return std::string(kMagic) + sha256_hex(body) + '\n' + body;
}

std::optional<CompiledModule> decode_cubin_file(std::string_view text) {
  const std::size_t header = kMagic.size() + kDigestSize + 1;
  if (!text.starts_with(kMagic) || text.size() < header || text[header - 1] != '\n') return std::nullopt;
  const std::string_view body = text.substr(header);
  if (text.substr(kMagic.size(), kDigestSize) != sha256_hex(body)) return std::nullopt;

  CompiledModule module;
  FieldReader reader(body);
  module.key = reader.field("key");
  module.cubin_digest = reader.field("cubin_sha256");
  std::string_view milliseconds = reader.field("compile_ms");
  if (!take_number(milliseconds, module.compile_ms)) return std::nullopt;
  while (reader.ok() && reader.next_is("entry")) read_entry(reader, module);
  module.log = reader.field("log");
  module.cubin = reader.field("cubin");
  if (!reader.ok() || !reader.at_end()) return std::nullopt;
  return module;
}

}  // namespace kerntune::cuda
