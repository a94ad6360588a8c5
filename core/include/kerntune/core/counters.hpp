// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kerntune {

/// One hardware counter of one run of a kernel.
struct Reading {
  enum class Status {
    ok,
    missing,  // this chip has no such counter
    dropped,  // it would have needed another pass
    invalid,  // the profiler gave no finite number
  };
  std::string metric;      // as asked for, in CUPTI's spelling: "dram__bytes_read.sum"
  std::string counted_as;  // this chip's own name, if that is another; else empty
  std::string unit;        // CUPTI's dimension: "byte", "cycle", "%", "ns"; "" for a count
  double value = 0;        // meaningless unless ok
  Status status = Status::ok;
};
std::string_view name_of(Reading::Status status) noexcept;

/// The counters of one configuration: of one run, all steps of the spec together, caches and buffers as the policy
/// says. Never of a timed run.
struct Counters {
  std::string chip;          // "GH100"
  std::string cupti;         // API version of the library, "13.0.1"
  std::string set;           // name of the metric set, or "custom"
  std::uint64_t passes = 0;  // runs that it took
  std::vector<Reading> readings;

  bool empty() const noexcept { return readings.empty(); }
  /// The value of a reading that is ok.
  std::optional<double> value(std::string_view metric) const noexcept;
};

/// Which counters to take, and how often the work may run for them.
struct CounterRequest {
  std::string set = "standard";      // "standard" is chosen by the chip; or a set's own name
  std::vector<std::string> metrics;  // instead of a set
  std::uint64_t max_passes = 1;      // what does not fit is dropped; 0: as many as it takes
  bool keep_on = false;              // for the next request, which then starts at once; see Session::end_counting
};

/// Whether counters can be had on a device, and if not, at which rung of the ladder it ended and what to do about it.
struct CounterAccess {
  enum class Rung {
    usable,
    no_cuda,             // this build or this device has none
    no_library,          // libcupti is not there
    wrong_library,       // it lacks functions, or belongs to another toolkit
    old_architecture,    // before compute capability 7.5
    unknown_chip,        // newer than the library
    unsupported_device,  // vGPU, MIG, MPS, confidential computing, mining card, WSL
    no_permission,       // the driver keeps counters to administrators
    busy,                // another profiler has them
    failed,              // anything else
  };
  Rung rung = Rung::no_cuda;
  std::string reason;   // one sentence without a full stop; empty if usable
  std::string remedy;   // what to do, likewise
  std::string chip;     // empty if unknown
  std::string cupti;    // "13.0.1"; empty without a library
  std::string library;  // its path
  bool tried = false;   // a counter was really taken, or refused; else only what can be told without trying is known

  bool usable() const noexcept { return rung == Rung::usable; }
};
std::string_view name_of(CounterAccess::Rung rung) noexcept;
/// "no permission: the driver keeps counters to administrators; <remedy>"
std::string sentence_of(const CounterAccess& access);

}  // namespace kerntune
