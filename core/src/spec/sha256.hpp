// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sha2.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace kerntune {

/// SHA-256 of a list of fields. Each field is preceded by its length, so that no two lists give the same bytes.
class FieldDigest {
 public:
  /// `tag` names what is digested and the version of its field list.
  explicit FieldDigest(std::string_view tag) {
    SHA256Init(&context_);
    add(tag);
  }

  FieldDigest& add(std::string_view field) {
    add(static_cast<std::uint64_t>(field.size()));
    SHA256Update(&context_, reinterpret_cast<const std::uint8_t*>(field.data()), field.size());
    return *this;
  }

  FieldDigest& add(std::uint64_t number) {
    std::array<std::uint8_t, 8> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(number >> (8 * i));
    SHA256Update(&context_, bytes.data(), bytes.size());
    return *this;
  }

  /// 64 hexadecimal digits. The digest is used up.
  std::string hex() {
    std::array<char, SHA256_DIGEST_STRING_LENGTH> text{};
    SHA256End(&context_, text.data());
    return text.data();
  }

 private:
  SHA2_CTX context_{};
};

}  // namespace kerntune
