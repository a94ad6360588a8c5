// SPDX-License-Identifier: Apache-2.0
#include "digest.hpp"

#include <sha2.h>

#include <new>

namespace kerntune::cuda {
namespace {
SHA2_CTX* context_of(unsigned char* state) { return std::launder(reinterpret_cast<SHA2_CTX*>(state)); }
}  // namespace

Sha256::Sha256() {
  static_assert(sizeof(SHA2_CTX) <= sizeof state_ && alignof(SHA2_CTX) <= 8);
  SHA256Init(new (state_) SHA2_CTX);
}

Sha256& Sha256::bytes(std::string_view data) {
  SHA256Update(context_of(state_), reinterpret_cast<const std::uint8_t*>(data.data()), data.size());
  return *this;
}

Sha256& Sha256::field(std::string_view data) {
  const std::uint64_t size = data.size();
  bytes({reinterpret_cast<const char*>(&size), sizeof size});
  return bytes(data);
}

Sha256& Sha256::field(std::int64_t value) { return field({reinterpret_cast<const char*>(&value), sizeof value}); }

std::string Sha256::hex() {
  char text[SHA256_DIGEST_STRING_LENGTH];
  SHA256End(context_of(state_), text);
  return text;
}

std::string sha256_hex(std::string_view data) { return Sha256().bytes(data).hex(); }

}  // namespace kerntune::cuda
