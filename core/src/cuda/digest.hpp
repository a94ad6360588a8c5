// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kerntune::cuda {

/// Incremental SHA-256 (FIPS 180-4, libmd's implementation).
class Sha256 {
 public:
  Sha256();
  /// Appends raw bytes.
  Sha256& bytes(std::string_view data);
  /// Appends the length, then the bytes: two different lists of fields never have the same digest.
  Sha256& field(std::string_view data);
  Sha256& field(std::int64_t value);
  /// Lower-case hex. Call once, last.
  std::string hex();

 private:
  alignas(8) unsigned char state_[256];  // a SHA2_CTX; its header stays out of ours
};

std::string sha256_hex(std::string_view data);

}  // namespace kerntune::cuda
