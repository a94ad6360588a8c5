// SPDX-License-Identifier: Apache-2.0
#include "cuda_session.hpp"

#include <algorithm>
#include <cmath>
#include <new>

namespace kerntune::cuda {

CudaSession::CudaSession(Context& context, EngineKernels& kernels, std::shared_ptr<cupti::ProfilerOwner>& profiler,
                         const DeviceInfo& device, const SessionRequest& request, const PluginKernel* plugin)
    : context_(context),
      kernels_(kernels),
      profiler_(profiler),
      device_(device),
      plugin_(plugin),
      program_(request.program),
      dims_(request.dims),
      modules_(context),
      buffers_(context, kernels, [this] { relieve_memory(); }),
      timer_(context, kernels, request.policy, static_cast<std::uint64_t>(device.properties.l2_bytes),
             request.runs_per_sample),
      policy_(request.policy) {
  const ReferenceSite site{context_, kernels_, modules_, *program_, dims_, device_, plugin_};
  verifier_ = std::make_unique<Verifier>(site, choose_reference(request));
}

std::unique_ptr<ReferenceSource> CudaSession::choose_reference(const SessionRequest& request) {
  const ReferenceSite site{context_, kernels_, modules_, *program_, dims_, device_, plugin_};
  const Reference& reference = program_->spec().reference;
  const bool has_host = reference.host && plugin_ != nullptr && plugin_->has_reference();
  const bool has_kernel = reference.kernel && !request.reference_modules.empty();
  if (reference.kernel && !has_kernel && !has_host)
    throw Rejected(Reason::internal_error,
                   "open a session: the spec has a reference kernel, the request has no compiled module of it");
  if (has_kernel) {
    if (has_host) check_reference_kernel(site, request.reference_modules);
    return reference_by_kernel(site, request.reference_modules);
  }
  if (has_host) return reference_by_host(site);
  has_reference_ = false;
  return reference_by_default(site, prepare_now(program_->default_config(), request.default_modules));
}

void CudaSession::relieve_memory() {
  if (verifier_) verifier_->drop_kept();
  buffers_.drop_idle();
  for (BufferPool& pool : rotation_) pool.drop_idle();
  modules_.drop_idle();
}

std::unique_ptr<CudaPrepared> CudaSession::prepare_now(const search::Config& config,
                                                       std::span<const CompiledModule> modules) {
  auto prepared = cuda::prepare({context_, modules_, buffers_, *program_, dims_, device_, plugin_}, config, modules);
  prepared->serial = ++last_serial_;
  prepared->fact_map["timer_floor_ns"] = timer_.floor_ns();
  prepared->fact_map["timer_overhead_ns"] = timer_.overhead_ns();
  if (!timer_.blocks()) prepared->fact_map["timer_unblocked"] = 1;
  return prepared;
}

tl::expected<std::unique_ptr<Prepared>, Rejection> CudaSession::prepare(const search::Config& config,
                                                                        const std::vector<CompiledModule>& modules) {
  return guarded<std::unique_ptr<Prepared>>(
      [&]() -> std::unique_ptr<Prepared> { return prepare_now(config, modules); });
}

/// Buffers filled with what is timed, and the device as the configuration expects it. True if inputs were not trusted:
/// what ran last may have overwritten them, if nobody has seen it behave.
bool CudaSession::make_ready(CudaPrepared& prepared) {
  const bool distrusted = unverified_ != 0 && unverified_ != prepared.serial;
  if (distrusted) prepared.buffers.distrust_inputs();
  unverified_ = prepared.verified ? 0 : prepared.serial;
  prepared.buffers.fill_inputs(kTimingSeed);
  prepared.buffers.reset_inouts(kTimingSeed);
  prepared.activate();
  return distrusted;
}

tl::expected<Timing, Rejection> CudaSession::time(Prepared& prepared, int warmup, int samples) {
  auto& own = static_cast<CudaPrepared&>(prepared);
  return guarded<Timing>([&] {
    const bool distrusted = make_ready(own);
    const bool has_inouts = own.buffers.has_inouts();
    const auto between_samples = [&] {
      if (has_inouts) own.buffers.reset_inouts(kTimingSeed);
    };
    if (timer_.runs_per_sample() == 0) timer_.choose_runs(own, can_batch(own), between_samples);
    if (timer_.runs_per_sample() > 1) rotate(own, distrusted);
    return timer_.time(own, warmup, samples, between_samples);
  });
}

/// Whether runs may follow each other between two events. Not where each run must find its buffers filled anew, nor
/// where a callable has bound the buffers that a cold cache would need several of.
bool CudaSession::can_batch(const CudaPrepared& prepared) const {
  if (prepared.buffers.has_inouts()) return false;
  return policy_.l2 == MeasurePolicy::L2::warm || !prepared.callable;
}

/// Gives a configuration whose runs are batched so many sets of buffers that each run finds the L2 cache without its
/// data.
void CudaSession::rotate(CudaPrepared& prepared, bool distrusted) {
  constexpr double kCaches = 2;  // as much is written in between as a flush writes
  if (policy_.l2 != MeasurePolicy::L2::cold || !can_batch(prepared)) return;
  const double caches = kCaches * static_cast<double>(device_.properties.l2_bytes);
  const auto sets = static_cast<std::size_t>(
      std::clamp(1 + std::ceil(caches / std::max<double>(1, static_cast<double>(prepared.bytes()))), 1.0,
                 static_cast<double>(timer_.runs_per_sample())));
  if (prepared.rotated.size() + 1 < sets) {
    std::vector<BufferSet> more;
    const std::vector<BufferPlan> plans(prepared.buffers.plans().begin(), prepared.buffers.plans().end());
    for (std::size_t i = 0; i + 1 < sets; ++i) {
      if (rotation_.size() <= i) rotation_.emplace_back(context_, kernels_, [this] { relieve_memory(); });
      more.push_back(rotation_[i].acquire(plans));
    }
    prepared.rotate_over(std::move(more));
  }
  for (BufferSet& set : prepared.rotated) {
    if (distrusted) set.distrust_inputs();
    set.fill_inputs(kTimingSeed);
  }
}

tl::expected<Verification, Rejection> CudaSession::verify(Prepared& prepared, std::uint64_t seed) {
  auto& own = static_cast<CudaPrepared&>(prepared);
  return guarded<Verification>([&] {
    own.verified = false;
    unverified_ = own.serial;
    const Verification verification = verifier_->verify(own, seed);
    own.verified = true;
    unverified_ = 0;
    return verification;
  });
}

}  // namespace kerntune::cuda
