// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measure/fill_params.hpp"

// Read by the host's compiler and by NVRTC: built-in types only.
namespace kerntune::compare {

/// How elements are compared. Passed to kernels by value: members of 8 bytes, no padding.
struct Params {
  fill::u64 type, bytes;  // fill::Type, size of an element
  double abs, rel;        // an element passes if |got - expected| <= abs + rel * |expected|
  fill::u64 poison;       // bits of an element that nobody wrote
};

constexpr fill::u64 kIndexBits = 40;
constexpr fill::u64 kIndexMask = (1ull << kIndexBits) - 1;

/// What was found so far. Elements that are not finite count in no sum.
struct Tally {
  fill::u64 wrong = 0, first_wrong = ~0ull;
  fill::u64 unwritten = 0, first_unwritten = ~0ull;
  fill::u64 worst = 0;  // worst_key of the largest error; 0: none
  double max_abs = 0, max_rel = 0;
  double error_squares = 0, expected_squares = 0, got_squares = 0, products = 0;
};

}  // namespace kerntune::compare
