// SPDX-License-Identifier: Apache-2.0
// The input is a list of edits of a sound store: four bytes each, where (3) and what (1) to write. The answers must be
// those of the sound store, or none.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "snapshot_file.hpp"
#include "support/answers.hpp"
#include "support/files.hpp"

using namespace kerntune;

namespace {

const std::vector<std::byte>& sound_store() {
  static const std::vector<std::byte> kBytes = testing::bytes_of(testing::read_file(KERNTUNE_GOLDEN));
  return kBytes;
}

std::string answers(const std::vector<std::byte>& store) {
  return testing::answers_of(query::detail::read_snapshot(store, {}, "fuzz"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string kExpected = answers(sound_store());
  if (kExpected.empty()) std::abort();
  std::vector<std::byte> store = sound_store();
  for (std::size_t i = 0; i + 4 <= size; i += 4) {
    const std::size_t where = data[i] | std::size_t{data[i + 1]} << 8 | std::size_t{data[i + 2]} << 16;
    store[where % store.size()] = std::byte{data[i + 3]};
  }
  const std::string given = answers(store);
  if (given.empty() || given == kExpected) return 0;
  std::fprintf(stderr, "expected %s\ngiven    %s\n", kExpected.c_str(), given.c_str());
  std::abort();
}
