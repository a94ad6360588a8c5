// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <list>
#include <memory>
#include <optional>

#include <kerntune/core/device.hpp>

#include "reference.hpp"

namespace kerntune::cuda {

/// Runs configurations under observation and compares their outputs with a reference. Keeps the expected outputs of the
/// last seeds.
class Verifier {
 public:
  /// Borrows what `site` names.
  Verifier(const ReferenceSite& site, std::unique_ptr<ReferenceSource> source)
      : site_(site), source_(std::move(source)) {}

  /// A quiet and a disturbed run. Errors: Rejected.
  Verification verify(CudaPrepared& prepared, std::uint64_t seed);
  /// Frees the expected outputs that are kept.
  void drop_kept() { kept_.clear(); }

 private:
  struct Kept {
    std::uint64_t seed = 0;
    std::vector<std::uint64_t> counts;  // of the outputs
    ExpectedOutputs outputs;
    std::vector<std::uint64_t> digests;  // per output, when made
  };
  struct Outcome {
    Verification verification;
    std::optional<Rejection> rejection;
  };
  static constexpr std::size_t kKept = 8;

  const Kept& expected_for(BufferSet& set, std::uint64_t seed);
  Outcome run_and_compare(CudaPrepared& prepared, const WatchedRun& watched, const Kept& expected);
  /// One run, and another if what was expected turns out to be damaged. Errors: Rejected.
  Verification checked_run(CudaPrepared& prepared, const WatchedRun& watched);
  std::vector<std::uint64_t> digests_of(const ExpectedOutputs& outputs, const BufferSet& set);
  bool is_intact(const Kept& expected, const BufferSet& set) {
    return digests_of(expected.outputs, set) == expected.digests;
  }

  ReferenceSite site_;
  std::unique_ptr<ReferenceSource> source_;
  std::list<Kept> kept_;  // latest first
};

}  // namespace kerntune::cuda
