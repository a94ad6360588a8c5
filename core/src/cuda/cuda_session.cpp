// SPDX-License-Identifier: Apache-2.0
#include "cuda_session.hpp"

#include <new>

namespace kerntune::cuda {

CudaSession::CudaSession(Context& context, EngineKernels& kernels, const DeviceInfo& device,
                         const SessionRequest& request, const PluginKernel* plugin)
    : context_(context),
      kernels_(kernels),
      device_(device),
      plugin_(plugin),
      program_(request.program),
      dims_(request.dims),
      modules_(context),
      buffers_(context, kernels, [this] { relieve_memory(); }),
      timer_(context, kernels, request.policy, static_cast<std::uint64_t>(device.properties.l2_bytes)) {
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
  modules_.drop_idle();
}

/// Runs `work` and turns what it throws into a value. Afterwards nothing of it is in flight.
template <typename Result, typename Work>
tl::expected<Result, Rejection> CudaSession::guarded(const Work& work) {
  if (context_.lost())
    return tl::unexpected(
        Rejection{Reason::fault, "the device's context was lost to an earlier fault; only a new process helps"});
  Rejection rejection;
  try {
    context_.make_current();
    return work();
  } catch (const Rejected& rejected) {
    rejection = rejected.rejection();
  } catch (const std::bad_alloc&) {
    rejection = {Reason::out_of_memory, "not enough host memory"};
  }
  try {
    if (!context_.lost()) context_.synchronize("wait for the rest of a failed run");
  } catch (const Rejected& later) {
    if (context_.lost()) rejection = later.rejection();  // the cause of the first failure
  }
  return tl::unexpected(std::move(rejection));
}

std::unique_ptr<CudaPrepared> CudaSession::prepare_now(const search::Config& config,
                                                       std::span<const CompiledModule> modules) {
  auto prepared = cuda::prepare({context_, modules_, buffers_, *program_, dims_, device_, plugin_}, config, modules);
  prepared->serial = ++last_serial_;
  prepared->fact_map["timer_floor_ns"] = timer_.floor_ns();
  if (!timer_.blocks()) prepared->fact_map["timer_unblocked"] = 1;
  return prepared;
}

tl::expected<std::unique_ptr<Prepared>, Rejection> CudaSession::prepare(const search::Config& config,
                                                                        const std::vector<CompiledModule>& modules) {
  return guarded<std::unique_ptr<Prepared>>(
      [&]() -> std::unique_ptr<Prepared> { return prepare_now(config, modules); });
}

tl::expected<Samples, Rejection> CudaSession::time(Prepared& prepared, int warmup, int launches) {
  auto& own = static_cast<CudaPrepared&>(prepared);
  return guarded<Samples>([&] {
    // What ran last may have overwritten inputs, if nobody has seen it behave.
    if (unverified_ != 0 && unverified_ != own.serial) own.buffers.distrust_inputs();
    unverified_ = own.verified ? 0 : own.serial;
    own.buffers.fill_inputs(kTimingSeed);
    own.buffers.reset_inouts(kTimingSeed);
    own.activate();
    const bool has_inouts = own.buffers.has_inouts();
    return timer_.time(own, warmup, launches, [&] {
      if (has_inouts) own.buffers.reset_inouts(kTimingSeed);
    });
  });
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
