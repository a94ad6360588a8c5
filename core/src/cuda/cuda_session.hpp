// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <new>

#include <kerntune/core/device.hpp>
#include <kerntune/core/plugin_host.hpp>

#include "preparation.hpp"
#include "reference.hpp"
#include "timer.hpp"
#include "verifier.hpp"

namespace kerntune::cupti {
class ProfilerOwner;
}

namespace kerntune::cuda {

/// Inputs are timed with the values of this seed, whatever was verified before: timings may depend on data.
inline constexpr std::uint64_t kTimingSeed = 1;

/// A kernel at a size on a GPU. See Session; docs/measuring.md says what is timed.
class CudaSession final : public Session {
 public:
  /// Borrows everything but the request. `profiler` is the device's place for it, filled at the first counting. Errors:
  /// Rejected, if the default or the reference cannot run.
  CudaSession(Context& context, EngineKernels& kernels, std::shared_ptr<cupti::ProfilerOwner>& profiler,
              const DeviceInfo& device, const SessionRequest& request, const PluginKernel* plugin);

  tl::expected<std::unique_ptr<Prepared>, Rejection> prepare(const search::Config& config,
                                                             const std::vector<CompiledModule>& modules) override;
  tl::expected<Timing, Rejection> time(Prepared& prepared, int warmup, int samples) override;
  tl::expected<Verification, Rejection> verify(Prepared& prepared, std::uint64_t seed) override;
  CounterProfile profile(const std::vector<Prepared*>& prepared, const CounterRequest& request) override;
  void end_counting() noexcept override;
  int runs_per_sample() const noexcept override { return timer_.runs_per_sample(); }
  std::string_view verified_by() const noexcept override { return has_reference_ ? "reference" : "against_default"; }
  bool context_lost() const noexcept override { return context_.lost(); }

 private:
  std::unique_ptr<CudaPrepared> prepare_now(const search::Config& config, std::span<const CompiledModule> modules);
  std::unique_ptr<ReferenceSource> choose_reference(const SessionRequest& request);
  void relieve_memory();
  bool make_ready(CudaPrepared& prepared);
  std::vector<tl::expected<Counters, Rejection>> count(const std::vector<Prepared*>& prepared,
                                                       const CounterRequest& request, const std::string& chip);
  bool can_batch(const CudaPrepared& prepared) const;
  void rotate(CudaPrepared& prepared, bool distrusted);
  template <typename Result, typename Work>
  tl::expected<Result, Rejection> guarded(const Work& work);

  Context& context_;
  EngineKernels& kernels_;
  std::shared_ptr<cupti::ProfilerOwner>& profiler_;
  const DeviceInfo& device_;
  const PluginKernel* plugin_;
  std::shared_ptr<const SpecProgram> program_;  // shared with the requester
  Dims dims_;
  ModuleCache modules_;
  BufferPool buffers_;
  Timer timer_;
  MeasurePolicy policy_;
  std::deque<BufferPool> rotation_;  // further sets of buffers, by their turn
  bool has_reference_ = true;
  std::unique_ptr<Verifier> verifier_;
  std::uint64_t last_serial_ = 0;
  std::uint64_t unverified_ = 0;  // serial of the configuration that ran last, if it was never verified
};

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

}  // namespace kerntune::cuda
