// SPDX-License-Identifier: Apache-2.0
#include "near_name.hpp"

#include <gmock/gmock.h>

namespace kerntune::app {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::vector<std::string> kVerbs{"devices", "kernels", "tune", "run", "query", "list"};

TEST(NearNames, FindsTransposedMissingAndChangedLetters) {
  EXPECT_THAT(near_names("tnue", kVerbs), ElementsAre("tune"));
  EXPECT_THAT(near_names("devces", kVerbs), ElementsAre("devices"));
  EXPECT_THAT(near_names("qeury", kVerbs), ElementsAre("query"));
}

TEST(NearNames, PutsAPrefixFirst) { EXPECT_THAT(near_names("kern", kVerbs), ElementsAre("kernels")); }

TEST(NearNames, StaysSilentRatherThanGuess) {
  EXPECT_THAT(near_names("frobnicate", kVerbs), IsEmpty());
  EXPECT_THAT(near_names("x", kVerbs), IsEmpty());
  EXPECT_THAT(near_names("", kVerbs), IsEmpty());
}

TEST(NearNames, LooksPastDashes) { EXPECT_THAT(near_names("--bacth", {"--batch", "--db"}), ElementsAre("--batch")); }

TEST(DidYouMean, ReadsAsASentence) {
  EXPECT_EQ(did_you_mean("tnue", kVerbs), " (did you mean 'tune'?)");
  EXPECT_EQ(did_you_mean("zzz", kVerbs), "");
  EXPECT_EQ(did_you_mean("tune", {"tuna", "tun", "tunes"}), " (did you mean 'tunes', 'tuna' or 'tun'?)");
}

}  // namespace
}  // namespace kerntune::app
