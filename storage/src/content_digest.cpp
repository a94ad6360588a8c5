// SPDX-License-Identifier: Apache-2.0
#include "content_digest.hpp"

#include <bit>
#include <cstdint>
#include <string_view>

#include <sha2.h>  // libmd; it needs the standard integer types first

namespace kerntune::storage {
namespace {

class Hasher {
 public:
  Hasher() { SHA256Init(&context_); }
  // The length before the bytes: "ab"+"c" and "a"+"bc" must differ.
  Hasher& add(std::string_view text) {
    add(static_cast<std::int64_t>(text.size()));
    SHA256Update(&context_, reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
    return *this;
  }
  Hasher& add(std::int64_t value) {
    std::uint8_t bytes[8];
    for (int i = 0; i < 8; ++i) bytes[i] = static_cast<std::uint8_t>(static_cast<std::uint64_t>(value) >> (8 * i));
    SHA256Update(&context_, bytes, sizeof bytes);
    return *this;
  }
  Hasher& add(double value) { return add(std::bit_cast<std::int64_t>(value + 0.0)); }  // SQLite keeps no -0.0
  Digest finish() {
    Digest digest;
    SHA256Final(reinterpret_cast<std::uint8_t*>(digest.data()), &context_);
    return digest;
  }

 private:
  SHA2_CTX context_;
};

}  // namespace

Digest evaluation_digest(const EvaluationKey& key) {
  return Hasher()
      .add(key.kernel)
      .add(key.code_digest)
      .add(key.config)
      .add(key.dims)
      .add(key.device_class)
      .add(key.toolchain)
      .add(key.policy)
      .finish();
}

Digest final_digest(const FinalRecord& r) {
  Hasher hasher;
  hasher.add(r.kernel).add(r.code_digest).add(r.space_digest).add(r.reference_digest);
  hasher.add(r.dims).add(r.other_dims).add(r.batch_dim).add(r.batch);
  hasher.add(r.device_class).add(r.toolchain).add(r.policy).add(r.config).add(r.default_config);
  hasher.add(r.time_ns).add(r.default_time_ns).add(r.speedup).add(r.speedup_low).add(r.speedup_high);
  hasher.add(r.verified)
      .add(r.verification_json)
      .add(std::int64_t{r.unresolved})
      .add(r.details_json)
      .add(r.run_id)
      .add(r.finished_unix_us);
  hasher.add(static_cast<std::int64_t>(r.ties.size()));
  for (const std::string& tie : r.ties) hasher.add(tie);
  return hasher.finish();
}

std::string to_hex(const Digest& digest) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * digest.size());
  for (const std::byte byte : digest) {
    hex += kDigits[std::to_integer<unsigned>(byte) >> 4];
    hex += kDigits[std::to_integer<unsigned>(byte) & 15];
  }
  return hex;
}

std::string evaluation_id(const EvaluationKey& key) { return to_hex(evaluation_digest(key)); }

}  // namespace kerntune::storage
