// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <kerntune/core/report.hpp>

#include "report_sample.hpp"

namespace kerntune::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(TuneText, ReadsAsExpected) {
  EXPECT_EQ(tune_text(testing::small_report(), {.width = 130}),
            "sgemm on Imaginary H1 (cuda:0)\n"
            "1,600 valid configurations, strategy hill-climb, seed 7, l2=cold,mode=eager,method=1, 1m 04s\n"
            "\n"
            "  batch   default      best              speed-up       achieved      of the limit  ties  evaluated  "
            "reused  failed  pruned\n"
            "     64  186.0 µs  100.0 µs  1.860× (1.850–1.870)  30.00 TFLOP/s  50 % of f32 peak     1         10       "
            "3       0       0\n"
            "\n"
            "best configuration (default→best where they differ)\n"
            "  batch 64      block_m 32→128, block_n 32→64, stages 2→3, swizzle false→true\n"
            "                verified: reference\n"
            "\n"
            "stored in /tmp/tuned.db; ask for it with\n"
            "  kerntune query --db /tmp/tuned.db sgemm --batch 64 --dim k=4096 --dim n=4096 "
            "--device-key cuda-sm90-132sm-l2:62914560-smem:232448\n");
}

TEST(TuneText, NamesReasonsWithCountsAndOneExample) {
  const std::string text = tune_text(testing::sample_report(), {.width = 200});
  EXPECT_THAT(text, HasSubstr("compile_error\n          e.g. block_m="));
  EXPECT_THAT(text, HasSubstr("sgemm.cu(42): error: no instance"));
  EXPECT_THAT(text, HasSubstr("of them ruled out before anything was compiled or launched"));
}

TEST(TuneText, SaysWhyThereIsNoResult) {
  const std::string text = tune_text(testing::hopeless_report(), {.width = 120});
  EXPECT_THAT(text, HasSubstr("no configuration gave the reference's result"));
  EXPECT_THAT(text, HasSubstr("wrong_result"));
  EXPECT_THAT(text, Not(HasSubstr("kerntune query")));
}

TEST(TuneText, SaysWhatToDoWhereNoiseDecided) {
  TuneReport report = testing::small_report();
  report.batches[0].defence = IncumbentDefence{"block_m=32", "default", "block_m=128", 15.8, -20.9, 52.5, false};
  report.batches[0].unresolved = true;
  const std::string text = tune_text(report, {.width = 400});
  EXPECT_THAT(text, HasSubstr("the default stays: no gain of 1 % over it is proven (its time is 15.800 times the "
                              "strongest's; the interval begins at -20.900)"));
  EXPECT_THAT(text, HasSubstr("a larger --budget plays it again"));
}

TEST(TuneText, SaysThatTheDefaultIsBest) {
  TuneReport report = testing::small_report();
  report.batches[0].best = report.batches[0].default_config;
  EXPECT_THAT(tune_text(report, {}), HasSubstr("the default is the best that was found"));
}

TEST(TuneText, MentionsTiesUnresolvedFinalsInterruptionsAndWarnings) {
  TuneReport report = testing::small_report();
  report.batches[0].ties.push_back("block_m=64");
  report.batches[0].unresolved = true;
  report.interrupted = true;
  report.warnings = {"the cubin cache cannot be written"};
  const std::string text = tune_text(report, {.width = 160});
  EXPECT_THAT(text, HasSubstr("2 configurations could not be told apart"));
  EXPECT_THAT(text, HasSubstr("2?"));
  EXPECT_THAT(text, HasSubstr("interrupted: the best so far"));
  EXPECT_THAT(text, HasSubstr("warning: the cubin cache cannot be written"));
}

TEST(TuneText, IsPlainAsciiWhereAskedTo) {
  const std::string text = tune_text(testing::sample_report(), {.utf8 = false, .width = 130});
  for (const char c : text) ASSERT_LT(static_cast<unsigned char>(c), 128) << text;
}

TEST(TuneText, HasNoLineWiderThanANarrowTerminalInItsTable) {
  const std::string text = tune_text(testing::small_report(), {.width = 60});
  EXPECT_THAT(text, HasSubstr("  speed-up      1.860× (1.850–1.870)\n"));
}

}  // namespace
}  // namespace kerntune::report
