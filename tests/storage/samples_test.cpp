// SPDX-License-Identifier: Apache-2.0
#include "samples.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "sqlite_db.hpp"

namespace kerntune::storage {
namespace {

using ::testing::ElementsAre;

TEST(Samples, ComeBackAsTheyWere) {
  const std::vector<double> samples = {0, 1.5, 1e-300, std::numeric_limits<double>::max(), 0.1};
  EXPECT_EQ(decode_samples(encode_samples(samples)), samples);
}

TEST(Samples, AreLittleEndianBinary64) {
  const std::vector<double> one = {1.0};
  EXPECT_THAT(encode_samples(one), ElementsAre(std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0},
                                               std::byte{0}, std::byte{0xf0}, std::byte{0x3f}));
}

TEST(Samples, ThatEndInsideANumberAreDamage) {
  const std::vector<std::byte> seven(7);
  EXPECT_THROW(decode_samples(seven), sqlite::SqliteError);
}

}  // namespace
}  // namespace kerntune::storage
