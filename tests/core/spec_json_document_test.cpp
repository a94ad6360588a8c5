// SPDX-License-Identifier: Apache-2.0
#include "spec/json_document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kerntune {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(JsonDocument, KeepsTheOrderOfMembers) {
  const auto document = JsonDocument::parse(R"({"b": 1, "a": 2})");
  const auto members = document.root().members();
  ASSERT_EQ(members.size(), 2U);
  EXPECT_EQ(members[0].first, "b");
  EXPECT_EQ(members[1].second.integer(), 2);
}

TEST(JsonDocument, NamesThePlaceOfAWrongKind) {
  const auto document = JsonDocument::parse(R"({"params": [{}, {"values": "8"}]})");
  const auto values = document.root().at("params").elements()[1].at("values");
  EXPECT_EQ(values.place(), "params[1].values");
  EXPECT_THAT([&] { values.elements(); },
              ThrowsMessage<JsonError>("params[1].values: expected an array, found the text \"8\""));
}

TEST(JsonDocument, NamesTheNearestKnownMember) {
  const auto document = JsonDocument::parse(R"({"a": {"valeus": 1}})");
  EXPECT_THAT([&] { document.root().at("a").only({"name", "values"}); },
              ThrowsMessage<JsonError>("a: unknown member 'valeus'; did you mean 'values'?"));
}

TEST(JsonDocument, RejectsAMemberGivenTwice) {
  EXPECT_THAT([] { JsonDocument::parse(R"({"a": {"b": 1, "c": 2, "b": 3}})"); },
              ThrowsMessage<JsonError>("a: member 'b' is given twice"));
}

TEST(JsonDocument, RejectsAnIntegerThatItWouldChange) {
  for (const char* text : {"18446744073709551615", "18446744073709551617", "-9223372036854775809"}) {
    EXPECT_THAT([&] { JsonDocument::parse(std::string("[") + text + "]"); },
                ThrowsMessage<JsonError>(HasSubstr(std::string("the integer ") + text)));
  }
  EXPECT_EQ(JsonDocument::parse("[9223372036854775808]").root().elements().at(0).number(), 9223372036854775808.0);
  EXPECT_EQ(JsonDocument::parse("[1e300]").root().elements().at(0).number(), 1e300);
}

TEST(JsonDocument, NamesLineAndColumnOfBadSyntax) {
  EXPECT_THAT([] { JsonDocument::parse("{\n  \"a\": }"); }, ThrowsMessage<JsonError>(HasSubstr("line 2, column 8")));
}

TEST(JsonDocument, RejectsDeepNesting) {
  const std::string deep(100000, '[');
  EXPECT_THAT([&] { JsonDocument::parse(deep); }, ThrowsMessage<JsonError>(HasSubstr("nested deeper than 64")));
}

TEST(JsonDocument, RejectsTextThatIsNotUtf8) {
  EXPECT_THROW(JsonDocument::parse("\"\xFF\""), JsonError);
  EXPECT_THROW(to_json_text(JsonValue{std::string("\xFF")}), JsonError);
}

TEST(JsonDocument, ReadsWholeRealsAsIntegers) {
  const auto document = JsonDocument::parse("[3.0, 3.5, 1e300]");
  const auto elements = document.root().elements();
  EXPECT_EQ(elements[0].integer(), 3);
  EXPECT_THROW(elements[1].integer(), JsonError);
  EXPECT_THROW(elements[2].integer(), JsonError);
}

TEST(JsonDocument, DropsWhatBreaksOff) {
  const std::string text = R"({"head": 1, "cache": {"x": {"a": 1}, "y": {"a": 2}, "z": {"a": 34}}})";
  for (std::size_t length = text.find("\"y\""); length < text.size(); ++length) {
    SCOPED_TRACE(text.substr(0, length));
    const auto document = JsonDocument::parse_truncated(text.substr(0, length), 2);
    EXPECT_TRUE(document.truncated());
    const auto cache = document.root().at("cache");
    const std::size_t whole = length > text.find("34}") + 2 ? 3 : length > text.find("2}") + 1 ? 2 : 1;
    EXPECT_EQ(cache.size(), whole);
  }
  EXPECT_FALSE(JsonDocument::parse_truncated(text, 2).truncated());
}

TEST(JsonDocument, RefusesALargeIntegerThatIsAllThereIs) {
  EXPECT_THROW(JsonDocument::parse("18446744073709551615"), JsonError);
}

TEST(JsonDocument, DoesNotTakeBadSyntaxForABreak) {
  EXPECT_THROW(JsonDocument::parse_truncated(R"({"cache": {"x": }, "y": 1)", 2), JsonError);
  EXPECT_THROW(JsonDocument::parse_truncated(R"({"head": )", 2), JsonError);
}

TEST(JsonDocument, WritesWhatItReads) {
  const std::string text = R"({
  "a": [1, 2.5, true, null, "x\"\n"],
  "b": {
    "c": [],
    "d": {}
  }
})";
  const auto document = JsonDocument::parse(text);
  JsonValue::Object b{{"c", JsonValue{JsonValue::Array{}}}, {"d", JsonValue{JsonValue::Object{}}}};
  JsonValue::Array a{JsonValue{std::int64_t{1}}, JsonValue{2.5}, JsonValue{true}, JsonValue{},
                     JsonValue{std::string("x\"\n")}};
  JsonValue::Object root{{"a", JsonValue{a}}, {"b", JsonValue{b}}};
  EXPECT_EQ(to_json_text(JsonValue{root}), text);
  EXPECT_EQ(document.root().at("a").elements()[4].text(), "x\"\n");
}

}  // namespace
}  // namespace kerntune
