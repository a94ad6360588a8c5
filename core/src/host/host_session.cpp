// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <map>
#include <new>
#include <optional>

#include <fmt/format.h>

#include <kerntune/core/plugin_host.hpp>

#include "host/disturbance.hpp"
#include "host/host_buffers.hpp"
#include "host/host_device.hpp"
#include "measure/compare.hpp"

namespace kerntune {
namespace {

using Clock = std::chrono::steady_clock;

/// Launches shorter than this are timed in groups, so that reading the clock (20-30 ns) stays below 1 % of a sample.
constexpr double kMinSampleNs = 4000;
constexpr int kMaxGroup = 1000;
constexpr std::uint64_t kTimingSeed = 1;

struct HostPrepared final : Prepared {
  HostPrepared(PreparedCallable c, std::shared_ptr<HostBuffers> b, Facts f)
      : callable(std::move(c)), buffers(std::move(b)), fact_map(std::move(f)) {}
  const Facts& facts() const noexcept override { return fact_map; }

  PreparedCallable callable;
  std::shared_ptr<HostBuffers> buffers;  // shared by all configurations that need the same memory
  Facts fact_map;
  std::uint64_t serial = 0;  // unlike addresses, never used twice in a session
  bool verified = false;     // its last verification passed
};

Rejection out_of_memory(std::string_view what) {
  return {Reason::out_of_memory, fmt::format("{}: not enough host memory", what)};
}

class HostSession final : public Session {
 public:
  HostSession(const SessionRequest& request, const DeviceInfo& device, const PluginKernel& plugin)
      : program_(request.program),
        dims_(request.dims),
        policy_(request.policy),
        device_(device),
        plugin_(plugin),
        by_reference_(request.program->spec().reference.host && plugin.has_reference()) {}

  tl::expected<std::unique_ptr<Prepared>, Rejection> prepare(
      const search::Config& config, const std::vector<CompiledModule>& /*none: callable*/) override;
  tl::expected<Timing, Rejection> time(Prepared& prepared, int warmup, int samples) override;
  tl::expected<Verification, Rejection> verify(Prepared& prepared, std::uint64_t seed) override;
  std::string_view verified_by() const noexcept override { return by_reference_ ? "reference" : "against_default"; }
  bool context_lost() const noexcept override { return false; }

 private:
  using Expected = std::map<std::string, std::vector<unsigned char>>;  // by output buffer

  tl::expected<std::shared_ptr<HostBuffers>, Rejection> buffers_for(std::vector<BufferPlan> plans);
  static Expected outputs_of(HostBuffers& buffers);
  tl::expected<const Expected*, Rejection> expected_at(std::uint64_t seed);
  tl::expected<std::shared_ptr<HostBuffers>, Rejection> run_reference(std::uint64_t seed);
  tl::expected<std::shared_ptr<HostBuffers>, Rejection> run_default(std::uint64_t seed);
  tl::expected<double, Rejection> time_group(HostPrepared& prepared, int group);
  tl::expected<void, Rejection> run_once(HostPrepared& prepared, std::uint64_t seed, unsigned run) const;
  tl::expected<void, Rejection> check_outputs(HostBuffers& buffers, const Expected& expected, std::uint64_t seed,
                                              Verification& result) const;

  std::shared_ptr<const SpecProgram> program_;
  Dims dims_;
  MeasurePolicy policy_;
  const DeviceInfo& device_;
  const PluginKernel& plugin_;
  bool by_reference_;
  std::vector<std::weak_ptr<HostBuffers>> pool_;
  std::shared_ptr<HostBuffers> last_;  // keeps the common case alive between configurations
  std::map<std::uint64_t, Expected> expected_;
  std::uint64_t last_serial_ = 0;
  std::uint64_t unverified_ = 0;  // serial of the configuration that ran last, if it was never verified
};

bool is_output(BufferRole role) { return role == BufferRole::out || role == BufferRole::inout; }

tl::expected<std::shared_ptr<HostBuffers>, Rejection> HostSession::buffers_for(std::vector<BufferPlan> plans) {
  std::erase_if(pool_, [](const auto& weak) { return weak.expired(); });
  for (const auto& weak : pool_) {
    auto buffers = weak.lock();
    if (same_memory(buffers->plans(), plans)) return last_ = buffers;
  }
  try {
    last_ = std::make_shared<HostBuffers>(std::move(plans));
  } catch (const std::bad_alloc&) {
    return tl::unexpected(out_of_memory("make the kernel's buffers"));
  }
  last_->reset(kTimingSeed);
  pool_.push_back(last_);
  return last_;
}

tl::expected<std::unique_ptr<Prepared>, Rejection> HostSession::prepare(const search::Config& config,
                                                                        const std::vector<CompiledModule>&) {
  const auto binding = program_->bind(config, dims_, device_.properties);
  if (!binding) return tl::unexpected(binding.error());
  if (const auto ok = program_->applicable(*binding); !ok) return tl::unexpected(ok.error());
  auto plans = program_->buffers(*binding);
  if (!plans) return tl::unexpected(plans.error());
  auto buffers = buffers_for(std::move(*plans));
  if (!buffers) return tl::unexpected(buffers.error());
  const auto bound = (*buffers)->bound();
  auto callable = plugin_.prepare({DeviceKind::host, 0, &program_->spec(), &dims_, &config, bound});
  if (!callable) return tl::unexpected(callable.error());
  double bytes = 0;
  for (const BufferPlan& plan : (*buffers)->plans()) bytes += static_cast<double>(plan.bytes);
  auto prepared = std::make_unique<HostPrepared>(std::move(*callable), *buffers, Facts{{"buffer_bytes", bytes}});
  prepared->serial = ++last_serial_;
  return prepared;
}

tl::expected<double, Rejection> HostSession::time_group(HostPrepared& prepared, int group) {
  if (policy_.l2 == MeasurePolicy::L2::cold) prepared.buffers->evict();
  const auto begin = Clock::now();
  for (int i = 0; i < group; ++i) {
    if (auto ok = prepared.callable.launch(nullptr); !ok) return tl::unexpected(ok.error());
  }
  return std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / group;
}

tl::expected<Timing, Rejection> HostSession::time(Prepared& base, int warmup, int samples) {
  auto& prepared = static_cast<HostPrepared&>(base);
  // What ran last may have overwritten inputs, if nobody has seen it behave.
  if (unverified_ != 0 && unverified_ != prepared.serial) prepared.buffers->distrust_inputs();
  unverified_ = prepared.verified ? 0 : prepared.serial;
  prepared.buffers->prepare_inputs(kTimingSeed);
  Timing timing;
  double first_ns = kMinSampleNs;
  for (int i = 0; i < std::max(warmup, 1); ++i) {
    const auto ns = time_group(prepared, 1);
    if (!ns) return tl::unexpected(ns.error());
    first_ns = *ns;
    ++timing.launches;
    timing.launched_ns += first_ns;
  }
  // A cold cache is cold for one launch only, so only warm launches can be grouped.
  const bool warm = policy_.l2 == MeasurePolicy::L2::warm;
  const int group =
      warm ? std::clamp(static_cast<int>(std::ceil(kMinSampleNs / std::max(first_ns, 1.0))), 1, kMaxGroup) : 1;
  for (int i = 0; i < samples; ++i) {
    const auto ns = time_group(prepared, group);
    if (!ns) return tl::unexpected(ns.error());
    if (*ns <= 0) {
      return tl::unexpected(
          Rejection{Reason::internal_error, "a launch took no time by the steady clock; not a measurement"});
    }
    timing.samples_ns.push_back(*ns);
    timing.launches += group;
    timing.launched_ns += group * *ns;
  }
  return timing;
}

tl::expected<std::shared_ptr<HostBuffers>, Rejection> HostSession::run_reference(std::uint64_t seed) {
  const Binding binding = program_->bind_dims(dims_, device_.properties);
  auto plans = program_->buffers(binding);
  if (!plans) {  // workspaces whose size depends on parameters do not concern the reference
    auto with_default = program_->bind(program_->default_config(), dims_, device_.properties);
    if (!with_default) return tl::unexpected(with_default.error());
    plans = program_->buffers(*with_default);
  }
  if (!plans) return tl::unexpected(plans.error());
  std::shared_ptr<HostBuffers> buffers;
  try {
    buffers = std::make_shared<HostBuffers>(std::move(*plans));
  } catch (const std::bad_alloc&) {
    return tl::unexpected(out_of_memory("compute the reference"));
  }
  buffers->reset_for_reference(seed);
  const auto bound = buffers->bound();
  if (auto ok = plugin_.reference({DeviceKind::host, 0, &program_->spec(), &dims_, nullptr, bound}); !ok) {
    return tl::unexpected(Rejection{ok.error().reason, "the reference failed: " + ok.error().message});
  }
  if (const std::string damage = buffers->damage(seed); !damage.empty())
    return tl::unexpected(Rejection{Reason::out_of_bounds, "the reference " + damage});
  return buffers;
}

tl::expected<std::shared_ptr<HostBuffers>, Rejection> HostSession::run_default(std::uint64_t seed) {
  auto prepared = prepare(program_->default_config(), {});
  if (!prepared) return tl::unexpected(prepared.error());
  auto& host = static_cast<HostPrepared&>(**prepared);
  host.buffers->reset(seed);
  if (auto ok = host.callable.launch(nullptr); !ok) return tl::unexpected(ok.error());
  if (const std::string damage = host.buffers->damage(seed); !damage.empty())
    return tl::unexpected(Rejection{Reason::out_of_bounds, "the default configuration " + damage});
  return host.buffers;
}

HostSession::Expected HostSession::outputs_of(HostBuffers& buffers) {
  Expected outputs;
  for (std::size_t i = 0; i < buffers.plans().size(); ++i) {
    const BufferPlan& plan = buffers.plans()[i];
    if (is_output(plan.role)) outputs[plan.name].assign(buffers.data(i), buffers.data(i) + plan.bytes);
  }
  return outputs;
}

tl::expected<const HostSession::Expected*, Rejection> HostSession::expected_at(std::uint64_t seed) {
  if (const auto known = expected_.find(seed); known != expected_.end()) return &known->second;
  const auto buffers = by_reference_ ? run_reference(seed) : run_default(seed);
  if (!buffers) return tl::unexpected(buffers.error());
  return &(expected_[seed] = outputs_of(**buffers));
}

tl::expected<void, Rejection> HostSession::check_outputs(HostBuffers& buffers, const Expected& expected,
                                                         std::uint64_t seed, Verification& result) const {
  const Binding binding = program_->bind_dims(dims_, device_.properties);
  for (std::size_t i = 0; i < buffers.plans().size(); ++i) {
    const BufferPlan& plan = buffers.plans()[i];
    if (!is_output(plan.role)) continue;
    const auto& wanted = expected.at(plan.name);
    if (wanted.size() != plan.bytes) {
      return tl::unexpected(Rejection{
          Reason::wrong_result,
          fmt::format("output '{}' has {} bytes, the reference's has {}", plan.name, plan.bytes, wanted.size())});
    }
    const auto limits = program_->tolerance(plan.name, binding);
    const OutputComparison c =
        compare_host(plan.dtype, buffers.data(i), wanted.data(), plan.count, limits, buffers.poison(i));
    if (c.unwritten != 0 && plan.role == BufferRole::out)
      return tl::unexpected(Rejection{Reason::unwritten_output, describe_unwritten(plan.name, c)});
    if (c.mismatches != 0)
      return tl::unexpected(Rejection{Reason::wrong_result, describe_mismatch(plan.name, c, limits)});
    add_to(result, plan.name, c, seed);
  }
  return {};
}

/// One run under observation. The second one is disturbed.
tl::expected<void, Rejection> HostSession::run_once(HostPrepared& prepared, std::uint64_t seed, unsigned run) const {
  HostBuffers& buffers = *prepared.buffers;
  buffers.reset(seed, run);
  std::optional<Disturbance> disturbance;
  if (run > 0) {
    buffers.evict();
    disturbance.emplace();
  }
  if (auto ok = prepared.callable.launch(nullptr); !ok) return tl::unexpected(ok.error());
  disturbance.reset();
  if (std::string damage = buffers.damage(seed); !damage.empty())
    return tl::unexpected(Rejection{Reason::out_of_bounds, std::move(damage)});
  return {};
}

tl::expected<Verification, Rejection> HostSession::verify(Prepared& base, std::uint64_t seed) {
  auto& prepared = static_cast<HostPrepared&>(base);
  prepared.verified = false;
  unverified_ = prepared.serial;
  const auto expected = expected_at(seed);
  if (!expected) return tl::unexpected(expected.error());
  Verification result;
  result.seeds = {seed};
  Expected first;
  for (unsigned run = 0; run < kRunsPerSeed; ++run) {
    auto ok = run_once(prepared, seed, run);
    if (ok) ok = check_outputs(*prepared.buffers, **expected, seed, result);
    if (!ok && run > 0) return tl::unexpected(only_when_disturbed(ok.error()));
    if (!ok) return tl::unexpected(ok.error());
    ++result.runs;
    Expected now = outputs_of(*prepared.buffers);
    if (run > 0 && now != first) result.deterministic = false;
    if (run == 0) first = std::move(now);
  }
  prepared.verified = true;
  unverified_ = 0;
  return result;
}

}  // namespace

tl::expected<std::unique_ptr<Session>, Rejection> open_host_session(const SessionRequest& request,
                                                                    const DeviceInfo& device,
                                                                    const PluginKernel* plugin) {
  const auto* callable = std::get_if<CallableCode>(&request.program->spec().code);
  if (callable == nullptr || callable->runs != CallableCode::Runs::host || plugin == nullptr) {
    return tl::unexpected(
        Rejection{Reason::unsupported,
                  fmt::format("kernel '{}' runs on CUDA devices, not on the host", request.program->spec().name)});
  }
  return std::make_unique<HostSession>(request, device, *plugin);
}

}  // namespace kerntune
