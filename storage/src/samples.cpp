// SPDX-License-Identifier: Apache-2.0
#include "samples.hpp"

#include <bit>
#include <cstdint>

#include "sqlite_db.hpp"

namespace kerntune::storage {

std::vector<std::byte> encode_samples(std::span<const double> samples) {
  std::vector<std::byte> bytes(8 * samples.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::byte>(std::bit_cast<std::uint64_t>(samples[i / 8]) >> (8 * (i % 8)));
  }
  return bytes;
}

std::vector<double> decode_samples(std::span<const std::byte> bytes) {
  if (bytes.size() % 8 != 0) sqlite::throw_damaged("samples end in the middle of a number");
  std::vector<double> samples(bytes.size() / 8);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    std::uint64_t bits = 0;
    for (std::size_t byte = 0; byte < 8; ++byte)
      bits |= std::to_integer<std::uint64_t>(bytes[8 * i + byte]) << (8 * byte);
    samples[i] = std::bit_cast<double>(bits);
  }
  return samples;
}

}  // namespace kerntune::storage
