// SPDX-License-Identifier: Apache-2.0
#include "timer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <optional>

namespace kerntune::cuda {
namespace {

/// Samples, and operations of several samples, queued behind one blocker at most. With some twenty operations still
/// queued behind it, an H200 makes a sample 0.6 us longer: then the device has not yet fetched all of them.
constexpr std::size_t kGroup = 4, kGroupOperations = 12;
/// Operations of one sample at most. A full queue (about 1000 entries) makes the host wait for the blocker that waits
/// for the host.
constexpr std::size_t kQueueBudget = 400;
constexpr std::uint64_t kBlockerTimeoutNs = 4'000'000'000;
constexpr int kCalibrationSamples = 33;
/// Of the calibration's kernel: some 20 microseconds, as long as the shortest kernel that is timed alone.
constexpr std::uint64_t kCalibrationCycles = 32'000;
constexpr int kCalibrationRuns = 32;
constexpr std::size_t kRelease = 0, kGaveUp = 1, kClockBefore = 2, kClockAfter = 3, kSignals = 4;
constexpr std::size_t kEventBefore = 2 * kGroup, kEventAfter = kEventBefore + 1;  // around a group
/// Twice the cache: its replacement is not strictly least-recently-used, and one pass leaves lines behind.
constexpr std::uint64_t kFlushFactor = 2;

/// A shorter kernel is run several times per sample, for this long: the overhead's uncertainty, some 0.1 us, then is
/// below 0.1 %.
constexpr double kSingleRunNs = 20e3, kBatchNs = 200e3;
constexpr int kFewestRuns = 8, kMostRuns = 64;
/// A configuration so slow that its sample would take longer than this gets fewer runs. It is ten times as slow as the
/// first at least; how exactly does not matter.
constexpr double kLongestSampleNs = 2e6;

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
  if (samples.empty()) return 0;
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

Timer::Timer(Context& context, EngineKernels& kernels, const MeasurePolicy& policy, std::uint64_t l2_bytes, int runs)
    : context_(context),
      kernels_(kernels),
      policy_(policy),
      flush_(context, policy.l2 == MeasurePolicy::L2::cold ? kFlushFactor * l2_bytes : 0, "flushing the L2 cache"),
      events_(context, 2 * kGroup + 2),
      signals_(context, kSignals),
      blocks_(!launches_may_wait()),
      runs_(runs) {
  // Everything that runs behind a blocker must have run once before: its code is loaded at the first launch, which
  // waits.
  signals_.set(kRelease, 1);
  block();
  flush();
  kernels_.empty();
  kernels_.spin(kCalibrationCycles);
  kernels_.stamp(signals_.device_address(kClockBefore));
  context_.synchronize("warm the timer up");
  calibrate();
}

/// A kernel of the same length alone between two events, and as one of many: the difference is the events'.
void Timer::calibrate() {
  floor_ns_ = distance_ns([this] { kernels_.empty(); }, 1, kCalibrationSamples);
  if (!blocks_) return;  // the host's gaps are no constant
  const auto spin = [this] { kernels_.spin(kCalibrationCycles); };
  const double alone_ns = distance_ns(spin, 1, kCalibrationSamples);
  const double among_ns = distance_ns(spin, kCalibrationRuns, kCalibrationSamples / 3) / kCalibrationRuns;
  // 1 of n runs is alone in a batch, too: (n * among - alone) / (n - 1) is a run in the midst of it.
  const double amidst_ns = (kCalibrationRuns * among_ns - alone_ns) / (kCalibrationRuns - 1);
  overhead_ns_ = std::clamp(alone_ns - amidst_ns, 0.0, 0.9 * floor_ns_);
}

/// Median distance of the events around `runs` calls of `run`, by this policy.
double Timer::distance_ns(const std::function<void()>& run, int runs, int samples) {
  std::optional<Graph> graph;
  const auto all = [&] {
    for (int i = 0; i < runs; ++i) run();
  };
  if (policy_.mode == MeasurePolicy::Mode::graph) {
    graph.emplace(context_, all);
    graph->launch();
    context_.synchronize("warm a graph up");
  }
  Sample sample{[this] { flush(); }, all, static_cast<std::size_t>(runs) + 1, 1};
  if (graph) sample.run = [&] { graph->launch(); };
  return median(measure(sample, samples).samples_ns);
}

void Timer::block() {
  kernels_.block(signals_.device_address(kRelease), signals_.device_address(kGaveUp), kBlockerTimeoutNs);
}

void Timer::flush() {
  if (flush_.bytes() == 0) return;
  context_.check(context_.api().memset_bytes(flush_.address(), 0, flush_.bytes(), context_.stream()),
                 "flush the L2 cache");
}

Timer::Sample Timer::sample_of(CudaPrepared& prepared, int runs, const std::function<void()>& between_samples) {
  const bool as_graph = policy_.mode == MeasurePolicy::Mode::graph;
  Sample sample;
  sample.runs = runs;
  sample.before = [this, &between_samples] {
    between_samples();
    flush();
  };
  if (as_graph)
    sample.run = [&prepared, runs] { prepared.graph(runs).launch(); };
  else
    sample.run = [&prepared, runs] { prepared.enqueue(runs); };
  const std::size_t refills = prepared.buffers.has_inouts() ? prepared.buffers.size() : 0;
  const std::size_t others = refills + (flush_.bytes() > 0 ? 1 : 0);
  sample.operations = others + (as_graph ? 1 : prepared.operations() * static_cast<std::size_t>(runs));
  return sample;
}

/// Untimed runs; returns about how long the last sample's worth took. The host's gaps are in it.
double Timer::warm_up(const Sample& sample, int count) {
  for (int i = 0; i < count; ++i) {
    sample.before();
    events_.record(kEventBefore);
    sample.run();
    events_.record(kEventAfter);
  }
  context_.synchronize("run the kernel untimed");
  return count > 0 ? events_.elapsed_ns(kEventBefore, kEventAfter) : 0;
}

void Timer::choose_runs(CudaPrepared& prepared, bool batches, const std::function<void()>& between_samples) {
  constexpr int kTrials = 5;
  constexpr double kSurelySingle = 10;  // times the limit: the host's gaps cannot make that of a short run
  const Sample sample = sample_of(prepared, 1, between_samples);
  const double untimed_ns = warm_up(sample, 2);
  prepared.launched = true;
  if (untimed_ns > kSurelySingle * kSingleRunNs) {  // a kernel of seconds is not run five more times for this
    runs_ = prepared.runs = 1;
    return;
  }
  const double run_ns = median(measure(sample, kTrials).samples_ns);
  const auto fitting = static_cast<int>(kQueueBudget / std::max<std::size_t>(1, prepared.operations()));
  runs_ = 1;
  if (batches && run_ns < kSingleRunNs && fitting >= kFewestRuns)
    runs_ = std::clamp(static_cast<int>(std::ceil(kBatchNs / run_ns)), kFewestRuns, std::min(kMostRuns, fitting));
}

/// `run_ns`: as the first, untimed run took. The code's loading may be in it, so what looks slow is looked at again.
int Timer::affordable_runs(CudaPrepared& prepared, double run_ns, const std::function<void()>& between_samples) {
  if (runs_ <= 1 || run_ns * runs_ <= kLongestSampleNs) return runs_;
  run_ns = warm_up(sample_of(prepared, 1, between_samples), 1);
  return std::clamp(static_cast<int>(kLongestSampleNs / std::max(run_ns, 1.0)), 1, runs_);
}

Timing Timer::time(CudaPrepared& prepared, int warmup, int count, const std::function<void()>& between_samples) {
  const int untimed = std::max(warmup, prepared.launched && prepared.runs > 0 ? 0 : 1);
  if (untimed > 0) {
    const double run_ns = warm_up(sample_of(prepared, 1, between_samples), untimed);
    prepared.launched = true;
    prepared.runs = affordable_runs(prepared, run_ns, between_samples);
  }
  const Sample sample = sample_of(prepared, std::max(1, prepared.runs), between_samples);
  if (untimed > 0 && sample.runs > 1 && policy_.mode == MeasurePolicy::Mode::graph) {
    prepared.graph(sample.runs).launch();  // what a graph is made of is uploaded at its first launch
    context_.synchronize("run the kernel untimed");
  }
  Timing timing = measure(sample, count);
  const double mean_ns =
      std::accumulate(timing.samples_ns.begin(), timing.samples_ns.end(), 0.0) / std::max<double>(1, count);
  timing.launches += untimed;
  timing.launched_ns += untimed * mean_ns;
  return timing;
}

Timing Timer::measure(const Sample& sample, int count) {
  Timing timing;
  const std::size_t fitting = std::clamp<std::size_t>(kGroupOperations / (sample.operations + 2), 1, kGroup);
  for (auto left = static_cast<std::size_t>(std::max(count, 0)); left > 0;) {
    const std::size_t group = std::min(left, fitting);
    measure_group(sample, group, timing);
    left -= group;
  }
  return timing;
}

void Timer::measure_group(const Sample& sample, std::size_t count, Timing& timing) {
  Hold hold(*this);
  signals_.set(kClockBefore, 0);
  signals_.set(kClockAfter, 0);
  kernels_.stamp(signals_.device_address(kClockBefore));
  events_.record(kEventBefore);
  for (std::size_t i = 0; i < count; ++i) {
    sample.before();
    events_.record(2 * i);
    sample.run();
    events_.record(2 * i + 1);
  }
  kernels_.stamp(signals_.device_address(kClockAfter));
  events_.record(kEventAfter);
  hold.release();
  context_.synchronize("run the kernel");
  if (hold.gave_up())
    throw Rejected(
        Reason::launch_error,
        fmt::format(
            "time the kernel: queueing its launches took longer than {} s; a launch callback that synchronises, or "
            "allocates, waits for the timer that waits for it (under a debugger or profiler set KERNTUNE_NO_BLOCKER=1)",
            kBlockerTimeoutNs / 1'000'000'000));
  take_group(sample, count, timing);
}

void Timer::take_group(const Sample& sample, std::size_t count, Timing& timing) {
  const double mhz = clock_mhz();
  std::uint8_t flags = 0;
  if (clock_.is_throttled(mhz)) flags |= kThrottled;
  if (!blocks_) flags |= kUnblocked;
  clock_.learn(mhz);
  const auto before = static_cast<double>(timing.samples_ns.size());
  timing.clock_mhz =
      (timing.clock_mhz * before + mhz * static_cast<double>(count)) / (before + static_cast<double>(count));
  if (flags != 0) timing.flags.resize(timing.samples_ns.size());
  for (std::size_t i = 0; i < count; ++i) {
    const double distance = events_.elapsed_ns(2 * i, 2 * i + 1);
    if (!(distance > overhead_ns_))
      throw Rejected(Reason::internal_error,
                     fmt::format("time the kernel: the events are {} ns apart, which no run can take", distance));
    timing.samples_ns.push_back((distance - overhead_ns_) / sample.runs);
    timing.launched_ns += distance;
  }
  timing.launches += static_cast<std::int64_t>(count) * sample.runs;
  if (flags != 0 || !timing.flags.empty()) timing.flags.resize(timing.samples_ns.size(), flags);
}

/// Mean clock of the multiprocessors between the two stamps of a group; 0 if it could not be read.
double Timer::clock_mhz() const {
  const std::uint64_t before = signals_.get(kClockBefore), after = signals_.get(kClockAfter);
  const double elapsed_ns = events_.elapsed_ns(kEventBefore, kEventAfter);
  if (before == 0 || after <= before || elapsed_ns <= 0) return 0;
  return 1e3 * static_cast<double>(after - before) / elapsed_ns;
}

}  // namespace kerntune::cuda
