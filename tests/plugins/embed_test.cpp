// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include <gtest/gtest.h>

#include "embed_test_embedded.h"

namespace {

TEST(Embed, KeepsEveryByteOfAFile) {
  EXPECT_EQ(embedded::embed_me_txt,
            "// \"quotes\" and back\\slashes \\x41 %s\r\n"
            "// trigraph ?\?/ and \xC3\xBC\ttab;semicolon;[bracket]${NOT_A_VARIABLE}\n"
            "// no line end");
}

TEST(Embed, EndsTheTextWithAZeroForC) {
  EXPECT_EQ(std::strlen(kerntune_embedded_embed_me_txt), embedded::embed_me_txt.size());
}

TEST(Embed, EmbedsAnEmptyFile) { EXPECT_EQ(embedded::empty_txt, ""); }

}  // namespace
