// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace kerntune::storage {

/// IEEE 754 binary64, least significant byte first, one after the other: the form of evaluation.samples_ns.
std::vector<std::byte> encode_samples(std::span<const double> samples);
/// Errors: SqliteError (damage) if the length is no multiple of 8.
std::vector<double> decode_samples(std::span<const std::byte> bytes);

}  // namespace kerntune::storage
