// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include <kerntune/plugin/json.hpp>

namespace {

using kerntune::plugin::detail::json_real;
using kerntune::plugin::detail::json_string;
using kerntune::plugin::detail::JsonObject;
using kerntune::plugin::detail::Scalar;
using namespace std::string_literals;

TEST(SdkJson, EscapesQuotesBackslashesAndControlCharacters) {
  EXPECT_EQ(json_string("a\"b\\c\n\t\r"), R"("a\"b\\c\n\t\r")");
  EXPECT_EQ(json_string("\x01\x1f\0z"s + std::string(1, '\0')), "\"\\u0001\\u001f\\u0000z\\u0000\"");
}

TEST(SdkJson, KeepsUtf8) {
  EXPECT_EQ(json_string("\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80"), "\"\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\"");
}

TEST(SdkJson, RefusesWhatIsNotUtf8) {
  for (const char* text : {"\xFF", "\x80", "\xC0\x80", "\xC3", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                           "\xF5\x80\x80\x80", "ok\xE2\x82"}) {
    SCOPED_TRACE(text);
    EXPECT_THROW(json_string(text), std::invalid_argument);
  }
}

TEST(SdkJson, SaysWhereTextIsNotUtf8) {
  try {
    json_string("four\xFF");
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "text is not UTF-8 at byte 4");
  }
}

TEST(SdkJson, WritesRealsThatReadBackAsTheSameReal) {
  EXPECT_EQ(json_real(2.0), "2.0");
  EXPECT_EQ(json_real(0.1), "0.1");
  EXPECT_EQ(json_real(-0.0), "-0.0");
  for (const double value : {1e300, 5e-324, 1.0 / 3, 123456789.0, std::numeric_limits<double>::max()}) {
    EXPECT_EQ(std::strtod(json_real(value).c_str(), nullptr), value);
  }
}

TEST(SdkJson, RefusesNumbersThatJsonCannotSay) {
  EXPECT_THROW(json_real(std::numeric_limits<double>::infinity()), std::invalid_argument);
  EXPECT_THROW(json_real(std::numeric_limits<double>::quiet_NaN()), std::invalid_argument);
  const std::uint64_t too_large = std::numeric_limits<std::uint64_t>::max();
  EXPECT_THROW(Scalar{too_large}, std::invalid_argument);
}

TEST(SdkJson, KeepsTheKindOfAScalar) {
  EXPECT_EQ(Scalar(true).json(), "true");
  EXPECT_EQ(Scalar(1).json(), "1");
  EXPECT_EQ(Scalar(1.0F).json(), "1.0");
  EXPECT_EQ(Scalar("1").json(), "\"1\"");
  EXPECT_EQ(Scalar(std::numeric_limits<std::int64_t>::min()).json(), "-9223372036854775808");
  EXPECT_FALSE(Scalar().given());
}

TEST(SdkJson, WritesMembersInOrder) {
  JsonObject object;
  object.text("b", "x").member("a", "1").text_if("absent", "").array_if("none", {}).array_if("list", {"1", "\"two\""});
  EXPECT_EQ(object.json(), R"({"b":"x","a":1,"list":[1,"two"]})");
}

}  // namespace
