// SPDX-License-Identifier: Apache-2.0
#include "timer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace kerntune::cuda {
namespace {

/// Samples queued behind one blocker at most: enough to hide the cost of the wait.
constexpr std::size_t kGroup = 64;
/// Operations queued behind one blocker at most. A full queue (about 1000 entries) makes the host wait for the blocker
/// that waits for the host.
constexpr std::size_t kQueueBudget = 400;
constexpr std::uint64_t kBlockerTimeoutNs = 4'000'000'000;
constexpr int kFloorSamples = 33;
constexpr std::size_t kRelease = 0, kGaveUp = 1;  // signals
/// Twice the cache: its replacement is not strictly least-recently-used, and one pass leaves lines behind.
constexpr std::uint64_t kFlushFactor = 2;

/// Tools that serialise launches make a blocker wait for itself. KERNTUNE_NO_BLOCKER=1 is for those that this does not
/// know.
bool launches_may_wait() {
  for (const char* name :
       {"KERNTUNE_NO_BLOCKER", "CUDA_LAUNCH_BLOCKING", "CUDA_INJECTION64_PATH", "NV_COMPUTE_PROFILER_PERFWORKS_DIR"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0' && std::string_view(value) != "0") return true;
  }
  return false;
}

double median(Samples samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

}  // namespace

/// The stream held by the blocker; released at the latest when this ends, whatever happened.
class Timer::Hold {
 public:
  explicit Hold(Timer& timer) : timer_(timer) {
    if (!timer_.blocks_) return;
    timer_.signals_.set(kRelease, 0);
    timer_.signals_.set(kGaveUp, 0);
    timer_.block();
  }
  ~Hold() { release(); }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

  void release() noexcept { timer_.signals_.set(kRelease, 1); }
  /// After the stream was waited for.
  bool gave_up() const noexcept { return timer_.blocks_ && timer_.signals_.get(kGaveUp) != 0; }

 private:
  Timer& timer_;
};

Timer::Timer(Context& context, EngineKernels& kernels, const MeasurePolicy& policy, std::uint64_t l2_bytes)
    : context_(context),
      kernels_(kernels),
      policy_(policy),
      flush_(context, policy.l2 == MeasurePolicy::L2::cold ? kFlushFactor * l2_bytes : 0, "flushing the L2 cache"),
      events_(context, 2 * kGroup),
      signals_(context),
      blocks_(!launches_may_wait()) {
  const Sample empty{[this] { flush(); }, [this] { kernels_.empty(); }, 2};
  // Everything that runs behind a blocker must have run once before: its code is loaded at the first launch, which
  // waits.
  signals_.set(kRelease, 1);
  block();
  empty.before();
  empty.run();
  context_.synchronize("warm the timer up");
  floor_ns_ = median(measure(empty, kFloorSamples));
}

void Timer::block() {
  kernels_.block(signals_.device_address(kRelease), signals_.device_address(kGaveUp), kBlockerTimeoutNs);
}

void Timer::flush() {
  if (flush_.bytes() == 0) return;
  context_.check(context_.api().memset_bytes(flush_.address(), 0, flush_.bytes(), context_.stream()),
                 "flush the L2 cache");
}

Samples Timer::time(CudaPrepared& prepared, int warmup, int launches, const std::function<void()>& between_runs) {
  const bool as_graph = policy_.mode == MeasurePolicy::Mode::graph;
  Sample sample;
  sample.before = [&] {
    between_runs();
    flush();
  };
  sample.run = as_graph ? std::function<void()>([&] { prepared.graph().launch(); }) : [&] { prepared.enqueue(); };
  sample.operations = (as_graph ? 1 : prepared.operations()) + prepared.buffers.size() + 1;

  for (int i = 0; i < std::max(warmup, prepared.launched ? 0 : 1); ++i) {
    sample.before();
    sample.run();
  }
  context_.synchronize("run the kernel untimed");
  prepared.launched = true;
  return measure(sample, launches);
}

Samples Timer::measure(const Sample& sample, int count) {
  Samples samples;
  const std::size_t fitting = std::clamp<std::size_t>(kQueueBudget / (sample.operations + 2), 1, kGroup);
  for (auto left = static_cast<std::size_t>(std::max(count, 0)); left > 0;) {
    const std::size_t group = std::min(left, fitting);
    measure_group(sample, group, samples);
    left -= group;
  }
  return samples;
}

void Timer::measure_group(const Sample& sample, std::size_t count, Samples& samples) {
  Hold hold(*this);
  for (std::size_t i = 0; i < count; ++i) {
    sample.before();
    events_.record(2 * i);
    sample.run();
    events_.record(2 * i + 1);
  }
  hold.release();
  context_.synchronize("run the kernel");
  if (hold.gave_up())
    throw Rejected(
        Reason::launch_error,
        fmt::format(
            "time the kernel: queueing its launches took longer than {} s; a launch callback that synchronises, or "
            "allocates, waits for the timer that waits for it (under a debugger or profiler set KERNTUNE_NO_BLOCKER=1)",
            kBlockerTimeoutNs / 1'000'000'000));
  for (std::size_t i = 0; i < count; ++i) samples.push_back(duration_ns(i));
}

double Timer::duration_ns(std::size_t sample) {
  const double nanoseconds = events_.elapsed_ns(2 * sample, 2 * sample + 1);
  if (!(nanoseconds > 0))
    throw Rejected(Reason::internal_error,
                   fmt::format("time the kernel: the events are {} ns apart, which no run can take", nanoseconds));
  return nanoseconds;
}

}  // namespace kerntune::cuda
