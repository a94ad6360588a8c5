// SPDX-License-Identifier: Apache-2.0
#pragma once

// Results of the engine's kernels; one text for the host and the device. Members are 64-bit.
namespace kerntune::cuda {

/// How many were found, and where the first and (one past) the last of them are.
struct CheckResult {
  unsigned long long count = 0;
  unsigned long long first = ~0ull;
  unsigned long long end = 0;
};

/// Sums over the finite elements, as in compare::Tally.
struct CompareSums {
  double error_squares = 0, expected_squares = 0, got_squares = 0, products = 0;
};

struct CompareResult {
  CheckResult wrong;
  CheckResult unwritten;
  unsigned long long max_abs_bits = 0;  // of non-negative doubles
  unsigned long long max_rel_bits = 0;
  unsigned long long worst = 0;  // compare::worst_key
  /// Blocks add to these in turn: one place that every thread adds to would cost more than the comparison.
  static constexpr unsigned kSlots = 64;
  CompareSums sums[kSlots];
};

}  // namespace kerntune::cuda
