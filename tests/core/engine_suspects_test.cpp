// SPDX-License-Identifier: Apache-2.0
#include "engine/suspects.hpp"

#include <gtest/gtest.h>

namespace kerntune {
namespace {

storage::EvaluationKey key(const std::string& config) {
  return {"kernel", "code", config, "batch=1", "device", "tools", "policy"};
}

TEST(Suspects, AKillProvesNothing) {
  Suspects suspects;
  for (int i = 0; i < 5; ++i) suspects.add(key("a=1"), false);
  EXPECT_TRUE(suspects.includes(key("a=1")));
  EXPECT_FALSE(suspects.blames(key("a=1")));
  EXPECT_FALSE(suspects.includes(key("a=2")));
}

TEST(Suspects, OneThatTookTheMachineDownTwiceIsBlamed) {
  Suspects suspects;
  suspects.add(key("a=1"), true);
  EXPECT_FALSE(suspects.blames(key("a=1"))) << "once may be a power cut";
  suspects.add(key("a=1"), true);
  EXPECT_TRUE(suspects.blames(key("a=1")));
}

}  // namespace
}  // namespace kerntune
