// SPDX-License-Identifier: Apache-2.0
// The input is a store and a journal: the length of the journal in two bytes, the journal, the store. Nothing may
// crash, hang or give an answer together with an error. Start from a corpus made with scripts of the kind `printf
// '\0\0' | cat - tests/storage/golden/v1.db`.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "snapshot_file.hpp"

using namespace kerntune;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::span<const std::byte> input(reinterpret_cast<const std::byte*>(data) + 2, size - 2);
  const std::size_t journal_bytes = std::min<std::size_t>(data[0] | std::size_t{data[1]} << 8, input.size());
  const auto store = input.subspan(journal_bytes);
  const auto snapshot = query::detail::read_snapshot({store.begin(), store.end()}, input.first(journal_bytes), "fuzz");
  if (!snapshot.error.empty() && !snapshot.kernels.empty()) std::abort();
  return 0;
}
