// SPDX-License-Identifier: Apache-2.0
#include "engine/examiner.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "engine/context.hpp"
#include "engine/edge_sizes.hpp"

namespace kerntune {
namespace {

/// Rejections that say "not at this size" loudly: production cannot get a wrong result from them.
bool does_not_run_here(Reason reason) {
  return reason == Reason::not_applicable || reason == Reason::device_limit || reason == Reason::bad_expression ||
         reason == Reason::unsupported;
}

Rejection at(const Dims& dims, Rejection rejection) {
  rejection.message = fmt::format(
      "at the edge size {}: {} (sizes that the kernel is not made for must be ruled out by the dims' min and max or an "
      "applicability condition)",
      canonical_dims(dims), rejection.message);
  return rejection;
}

bool same(const tl::expected<CompilePlan, Rejection>& a, const tl::expected<CompilePlan, Rejection>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return a->entries == b->entries && a->options == b->options && a->register_cap == b->register_cap;
}

class CodeAt {
 public:
  CodeAt(const SpecProgram& program, const search::Config& config, const Dims& dims, const DeviceProperties& device)
      : own_(plan(program, config, dims, device)), reference_(reference(program, dims, device)) {
    if (!program.spec().reference.any()) default_ = plan(program, program.default_config(), dims, device);
  }
  bool operator==(const CodeAt& other) const {
    return same(own_, other.own_) && same(reference_, other.reference_) && same(default_, other.default_);
  }

 private:
  using Plan = tl::expected<CompilePlan, Rejection>;
  static Plan plan(const SpecProgram& program, const search::Config& config, const Dims& dims,
                   const DeviceProperties& device) {
    const auto binding = program.bind(config, dims, device);
    if (!binding) return tl::unexpected(binding.error());
    return program.compile_plan(*binding);
  }
  static Plan reference(const SpecProgram& program, const Dims& dims, const DeviceProperties& device) {
    if (!program.spec().reference.kernel) return CompilePlan{};
    return program.reference_compile_plan(program.bind_dims(dims, device));
  }

  Plan own_, reference_;
  Plan default_ = CompilePlan{};
};

}  // namespace

std::vector<EdgeSize> edges_of(const SpecProgram& program, const search::Config& config, const Dims& tuned,
                               const DeviceInfo& device) {
  std::vector<EdgeSize> edges;
  if (device.kind == DeviceKind::replay) return edges;  // a recording knows only what was measured
  const bool with_default = !program.spec().reference.any();
  const bool compiles = program.spec().is_source();
  for (Dims& dims : edge_sizes(program, config, tuned, device.properties, with_default)) {
    const bool same_code = !compiles || CodeAt(program, config, dims, device.properties) ==
                                            CodeAt(program, config, tuned, device.properties);
    edges.push_back({std::move(dims), same_code});
  }
  return edges;
}

class Examiner::Stopwatch {
 public:
  explicit Stopwatch(double& seconds) : seconds_(seconds) {}
  ~Stopwatch() { seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& seconds_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

Examiner::Examiner(OpenSession open, const DeviceInfo& device, SessionRequest tuned)
    : open_(std::move(open)), device_(device), tuned_(std::move(tuned)) {}

Examiner::Examiner(Device& device, const PluginKernel* plugin, SessionRequest tuned)
    : Examiner([&device, plugin](const SessionRequest& request) { return device.open(request, plugin); }, device.info(),
               std::move(tuned)) {}

tl::expected<Verification, Rejection> Examiner::quick(const Examinee& examinee) {
  const Stopwatch watch(seconds_);
  auto result = examinee.session.verify(examinee.prepared, verification_seeds().front());
  if (result) result->sizes = {canonical_dims(tuned_.dims)};
  return result;
}

tl::expected<Verification, Rejection> Examiner::full(const Examinee& examinee) {
  const Stopwatch watch(seconds_);
  const std::string text = tuned_.program->space().text(examinee.config);
  if (const auto known = passed_.find(text); known != passed_.end()) return known->second;
  auto result = examine(examinee);
  if (result && result->complete) passed_.emplace(text, *result);
  return result;
}

tl::expected<Verification, Rejection> Examiner::examine(const Examinee& examinee) {
  Verification total;
  const std::vector<std::uint64_t> seeds = verification_seeds();
  for (const std::uint64_t seed : seeds) {
    auto result = examinee.session.verify(examinee.prepared, seed);
    if (!result) return tl::unexpected(result.error());
    result->sizes = {canonical_dims(tuned_.dims)};
    total.add(*result);
  }
  total.complete = true;
  std::size_t turn = 0;
  for (const EdgeSize& edge : edges_of(*tuned_.program, examinee.config, tuned_.dims, device_)) {
    const auto code = std::find_if(examinee.edge_code.begin(), examinee.edge_code.end(),
                                   [&](const EdgeCode& one) { return one.dims == edge.dims; });
    const EdgeCode* given = code == examinee.edge_code.end() ? nullptr : &*code;
    if (!edge.same_code && given == nullptr) {
      total.complete = false;
      continue;
    }
    if (given != nullptr && given->modules.empty()) continue;
    auto result = at_edge(examinee, edge.dims, given, seeds[turn++ % seeds.size()]);
    if (!result && does_not_run_here(result.error().reason)) continue;
    if (!result) return tl::unexpected(at(edge.dims, result.error()));
    total.add(*result);
  }
  return total;
}

tl::expected<Session*, Rejection> Examiner::session_at(const Dims& dims, const EdgeCode* code) {
  const auto known =
      std::find_if(sessions_.begin(), sessions_.end(), [&](const EdgeSession& s) { return s.dims == dims; });
  if (known != sessions_.end()) {
    sessions_.splice(sessions_.begin(), sessions_, known);
    return sessions_.front().session.get();
  }
  SessionRequest request = tuned_;
  request.dims = dims;
  request.policy = {MeasurePolicy::L2::warm, MeasurePolicy::Mode::eager};  // nothing is timed: no cache to flush
  if (code != nullptr) {
    request.default_modules = code->default_modules;
    request.reference_modules = code->reference_modules;
  }
  if (sessions_.size() >= kKeptSessions) sessions_.pop_back();
  auto opened = open_(request);
  if (!opened) return tl::unexpected(opened.error());
  sessions_.push_front({dims, std::move(*opened)});
  return sessions_.front().session.get();
}

tl::expected<Verification, Rejection> Examiner::at_edge(const Examinee& examinee, const Dims& dims,
                                                        const EdgeCode* code, std::uint64_t seed) {
  auto result = try_edge(examinee, dims, code, seed);
  if (result || result.error().reason != Reason::out_of_memory || sessions_.empty()) return result;
  release();
  return try_edge(examinee, dims, code, seed);
}

tl::expected<Verification, Rejection> Examiner::try_edge(const Examinee& examinee, const Dims& dims,
                                                         const EdgeCode* code, std::uint64_t seed) {
  const auto session = session_at(dims, code);
  if (!session) return tl::unexpected(session.error());
  const auto prepared = (*session)->prepare(examinee.config, code != nullptr ? code->modules : examinee.modules);
  if (!prepared) return tl::unexpected(prepared.error());
  auto result = (*session)->verify(**prepared, seed);
  if (!result) return tl::unexpected(result.error());
  result->sizes = {canonical_dims(dims)};
  if (!result->worst.buffer.empty()) result->worst.size = canonical_dims(dims);
  return result;
}

}  // namespace kerntune
