// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <kerntune/core/report.hpp>

namespace kerntune::report {
namespace {

TEST(TimeText, ShowsFourSignificantDigitsInTheUnitThatFits) {
  EXPECT_EQ(time_text(987.64), "987.6 ns");
  EXPECT_EQ(time_text(8210), "8.210 µs");
  EXPECT_EQ(time_text(123'400), "123.4 µs");
  EXPECT_EQ(time_text(1.5e6), "1.500 ms");
  EXPECT_EQ(time_text(2.25e9), "2.250 s");
}

TEST(TimeText, NeverRoundsToAThousandOfAUnit) {
  EXPECT_EQ(time_text(999.96), "1.000 µs");
  EXPECT_EQ(time_text(999.94), "999.9 ns");
  EXPECT_EQ(time_text(9.9996), "10.00 ns");
}

TEST(TimeText, KeepsLongTimesInSeconds) { EXPECT_EQ(time_text(12345e9), "12345 s"); }

TEST(TimeText, ShowsADashWithoutATime) {
  EXPECT_EQ(time_text(0), "-");
  EXPECT_EQ(time_text(-1), "-");
}

TEST(TimeText, UsesAsciiWhereAskedTo) { EXPECT_EQ(time_text(8210, {.utf8 = false}), "8.210 us"); }

TEST(RateText, UsesDecimalPrefixes) {
  EXPECT_EQ(rate_text(345.6e9, "FLOP/s"), "345.6 GFLOP/s");
  EXPECT_EQ(rate_text(1.234e12, "B/s"), "1.234 TB/s");
  EXPECT_EQ(rate_text(0, "B/s"), "-");
}

TEST(BytesText, UsesBinaryPrefixes) {
  EXPECT_EQ(bytes_text(512), "512 B");
  EXPECT_EQ(bytes_text(49152), "48 KiB");
  EXPECT_EQ(bytes_text(1536), "1.5 KiB");
}

TEST(Grouped, SeparatesThousands) {
  EXPECT_EQ(grouped("1234567"), "1,234,567");
  EXPECT_EQ(grouped("340282366920938463463"), "340,282,366,920,938,463,463");
  EXPECT_EQ(grouped(std::int64_t{-1234}), "-1,234");
  EXPECT_EQ(grouped(std::int64_t{-123}), "-123");
}

TEST(DurationText, GrowsFromSecondsToHours) {
  EXPECT_EQ(duration_text(0.04), "0.0 s");
  EXPECT_EQ(duration_text(9.94), "9.9 s");
  EXPECT_EQ(duration_text(59.4), "59 s");
  EXPECT_EQ(duration_text(65), "1m 05s");
  EXPECT_EQ(duration_text(7380), "2h 03m");
}

TEST(ShellWord, QuotesOnlyWhatAShellWouldChange) {
  EXPECT_EQ(shell_word("cuda-sm90-132sm-l2:62914560"), "cuda-sm90-132sm-l2:62914560");
  EXPECT_EQ(shell_word("my file"), "'my file'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
}

}  // namespace
}  // namespace kerntune::report
