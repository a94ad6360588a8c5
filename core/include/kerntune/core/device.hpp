// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include <kerntune/core/compile.hpp>
#include <kerntune/core/counters.hpp>
#include <kerntune/core/gpu_facts.hpp>
#include <kerntune/core/rejection.hpp>
#include <kerntune/core/spec_program.hpp>

namespace kerntune {

enum class DeviceKind { host, cuda, replay };

/// What a device is. Plain data: it crosses process boundaries and is stored with every evaluation.
struct DeviceInfo {
  DeviceKind kind = DeviceKind::host;
  std::string id;            // as --device names it: "cuda:0", "host", "replay:FILE"
  std::string name;          // "NVIDIA H200"; the CPU's model name
  std::string device_class;  // hardware class, the key of results: "cuda-sm90-132sm-l2:62914560-smem:232448-...";
                             // "host-<model>-<cores>"
  std::string uuid;          // provenance only
  std::string arch;          // "sm_90"; empty on a host
  std::string driver;        // "13.0 (580.159)"; kernel release on a host
  DeviceProperties properties;
  std::uint64_t memory_bytes = 0;
  double peak_bytes_per_s = 0;        // measured copy bandwidth if known, else 0
  double peak_flop_per_s_f32 = 0;     // from SM count, lanes and maximum clock; 0 if unknown
  std::optional<BoardFacts> board{};  // provenance only; absent where NVML does not tell
};

/// What is measured and how: part of a result's identity.
struct MeasurePolicy {
  enum class L2 { cold, warm } l2 = L2::cold;
  enum class Mode { eager, graph } mode = Mode::eager;
  /// Canonical text "l2=cold,mode=eager,method=1"; the method number changes when timings stop being comparable.
  std::string text() const;
};

/// Durations of one run of the kernel each, nanoseconds, in the order in which they were taken. The first launches
/// after loading are not among them.
using Samples = std::vector<double>;

/// What was unusual while a sample was taken. A flagged sample is kept and counts: it is a fact, and so is the flag.
enum SampleFlag : std::uint8_t {
  kThrottled = 1,  // the multiprocessors' clock was below the session's steady clock
  kUnblocked = 2,  // launched without a blocker: the host's gaps are inside
};
using SampleFlags = std::vector<std::uint8_t>;  // bits of SampleFlag, one per sample; empty: none is flagged

/// Samples, what was seen beside them, and what they cost.
struct Timing {
  Samples samples_ns;  // fewer than asked for only if `exhausted`
  SampleFlags flags;
  double clock_mhz = 0;       // mean clock of the multiprocessors while the samples were taken; 0: unknown
  bool exhausted = false;     // a recording has no more samples of this configuration
  std::int64_t launches = 0;  // runs of the kernel in all, untimed ones and those of batches included
  double launched_ns = 0;     // device time that they took
};

/// What verifying measured, over all outputs, seeds, runs and sizes that it covers. docs/measuring.md, "Verification".
struct Verification {
  std::vector<std::uint64_t> seeds;  // of the inputs, each once
  std::vector<std::string> sizes;    // "batch=64,n=4096", each once; filled in by the engine
  std::uint64_t runs = 0;            // of the kernel
  std::uint64_t elements = 0;        // compared, over all runs
  double max_abs_error = 0;          // |out - expected| of an element
  double max_rel_error = 0;          // the same over |expected|, where that is not 0
  double rel_l2_error = 0;           // |out - expected| / |expected| in the 2-norm: the largest of an output and run
  double cosine = 1;                 // of the angle between out and expected: the smallest of an output and run
  bool deterministic = true;         // runs with equal inputs gave equal bits
  bool complete = false;             // every seed and size that a winner needs; said by the engine
  /// The element with max_abs_error; without a buffer if nothing was off.
  struct Worst {
    std::string buffer, size;
    std::uint64_t index = 0, seed = 0;
    double got = 0, expected = 0;
  } worst;
  /// Takes in what another verification of the same configuration measured. `complete` stays.
  void add(const Verification& other);
};

/// Facts of a prepared configuration, for the table, the store and the search. Named, with units in the name:
/// regs, spill_bytes, static_shared_bytes, dynamic_shared_bytes, blocks_per_sm, occupancy (0..1), waves,
/// threads_per_block, blocks.
using Facts = std::map<std::string, double>;

/// What came of taking counters: an entry for each configuration, or none and the reason.
struct CounterProfile {
  CounterAccess access;
  std::vector<tl::expected<Counters, Rejection>> entries;  // empty unless access is usable
};

/// One configuration made ready to launch on a Session. Owned by the session's user; destroy before the session.
class Prepared {
 public:
  virtual ~Prepared() = default;
  virtual const Facts& facts() const noexcept = 0;
};

/// One kernel at one problem size on one device: owns buffers, fills, guards and resets them.
/// Not thread-safe; used by one thread of a device worker. Failures of a configuration are Rejections; after one whose
/// context_lost() is true the process must be replaced.
class Session {
 public:
  virtual ~Session() = default;

  /// Loads code, resolves geometry and arguments, makes buffers of the sizes that `config` needs.
  /// `modules` holds one module for source kernels on CUDA, none otherwise.
  virtual tl::expected<std::unique_ptr<Prepared>, Rejection> prepare(const search::Config& config,
                                                                     const std::vector<CompiledModule>& modules) = 0;

  /// Takes `samples` samples under the policy, after `warmup` untimed runs.
  virtual tl::expected<Timing, Rejection> time(Prepared& prepared, int warmup, int samples) = 0;

  /// Twice, the second time with disturbed timing and other poison: fills the inputs from `seed`, poisons outputs and
  /// workspaces, launches, and compares with the reference at that seed; checks guard zones, unchanged inputs and
  /// unwritten outputs. Never timed.
  virtual tl::expected<Verification, Rejection> verify(Prepared& prepared, std::uint64_t seed) = 0;

  /// Hardware counters of one run of each, in one session of the profiler, in order. Never while anything is timed: the
  /// profiler is off again when this returns, unless it is to be kept on, idle. A device without counters says why in
  /// `access`. Errors: UsageError for a metric that there is not.
  virtual CounterProfile profile(const std::vector<Prepared*>& prepared, const CounterRequest& request);
  /// Switches off a profiler that was kept on.
  virtual void end_counting() noexcept {}

  /// Runs of the kernel between the two events of a sample. Chosen once, by the time of the first configuration that is
  /// timed, and the same for all others, so that all share one offset; 0 before that.
  virtual int runs_per_sample() const noexcept { return 1; }

  /// "reference", "against_default", "recorded" or "no": what verify compares with.
  virtual std::string_view verified_by() const noexcept = 0;

  /// True after a sticky error.
  virtual bool context_lost() const noexcept = 0;
};

/// The default configuration, for sessions whose kernel has no reference: its output is what others are compared with.
struct SessionRequest {
  std::shared_ptr<const SpecProgram> program;
  Dims dims;  // complete
  MeasurePolicy policy;
  std::vector<CompiledModule> default_modules;    // of the default configuration, if it needs compiling
  std::vector<CompiledModule> reference_modules;  // of the reference kernel, if there is one and the device is CUDA
  std::vector<std::uint64_t> seeds;               // of the verifications to come (reference outputs may be made ahead)
  int runs_per_sample = 0;                        // as an earlier session of this size chose; 0: choose
};

class PluginKernel;  // plugin_host.hpp

/// Where kernels run. Lives in a device worker process.
class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceInfo& info() const noexcept = 0;
  /// Who else uses the device at this moment, for a person: "1 other process (pid 4711 with 512 MiB)". Empty: nobody,
  /// or nothing is known. Times taken meanwhile are provisional.
  virtual std::string shared_with() const { return {}; }
  /// Its clocks, power, temperature and so on at this moment; nothing if nothing is known. Some fifteen questions to
  /// the driver: not to be asked for between samples.
  virtual std::optional<GpuState> gpu_state() const { return std::nullopt; }
  /// `plugin` gives the callbacks of callable kernels and host references; null for spec files. Borrowed.
  /// Errors: DeviceError (out of memory for the buffers, no such thing on this device), Rejection when the default or
  /// the reference cannot run.
  virtual tl::expected<std::unique_ptr<Session>, Rejection> open(const SessionRequest& request,
                                                                 const PluginKernel* plugin) = 0;
};

/// Opens "host", "cuda:N" or "replay:FILE" in this process. Errors: DeviceError, UsageError.
std::unique_ptr<Device> open_device(std::string_view id);

/// What this machine has, without creating a context, plus one sentence for each thing that is missing.
struct DeviceList {
  std::vector<DeviceInfo> devices;                // host always; every CUDA device
  std::map<std::string, CounterAccess> counters;  // by device id, of CUDA devices: as far as can be told without trying
  std::vector<std::string> unavailable;           // "no CUDA device: libcuda.so.1 cannot be loaded (no NVIDIA driver)"
};
/// Calls into libcuda if it is there: run it in a worker, never in the supervisor.
DeviceList list_devices();

}  // namespace kerntune
