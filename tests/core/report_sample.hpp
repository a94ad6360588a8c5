// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <kerntune/core/tuner.hpp>

namespace kerntune::testing {

/// A matrix-multiplication spec with five parameters.
KernelSpec sample_spec();
/// A finished run of sample_spec on an imaginary GPU: a smooth landscape with noise, some failures, ties and facts.
/// Deterministic.
TuneReport sample_report(const std::vector<std::int64_t>& batches = {1, 8, 64});
/// A run in which nothing worked.
TuneReport hopeless_report();
/// The smallest report with one batch and a winner, for tests that look at exact text.
TuneReport small_report();

}  // namespace kerntune::testing
