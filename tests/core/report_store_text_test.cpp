// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <kerntune/core/report.hpp>

namespace kerntune::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

storage::FinalRecord winner() {
  storage::FinalRecord record;
  record.kernel = "sgemm";
  record.other_dims = "k=4096";
  record.batch_dim = "m";
  record.batch = 64;
  record.device_class = "key-a";
  record.toolchain = "nvrtc 13.0";
  record.policy = "l2=cold";
  record.config = "a=2,b=1";
  record.default_config = "a=1,b=1";
  record.time_ns = 1000;
  record.speedup = 1.5, record.speedup_low = 1.4, record.speedup_high = 1.6;
  record.verified = "reference";
  record.ties = {"a=2,b=1", "a=3,b=1"};
  record.finished_unix_us = 1'000'000'000'000'000;
  return record;
}

TEST(ListText, GroupsWinnersThatCanBeCompared) {
  storage::FinalRecord other = winner();
  other.device_class = "key-b";
  const std::string text = list_text({"/s.db", {winner(), other}, {}}, {.width = 140});
  EXPECT_THAT(text, HasSubstr("sgemm on key-a, nvrtc 13.0, l2=cold\n"));
  EXPECT_THAT(text, HasSubstr("sgemm on key-b, nvrtc 13.0, l2=cold\n"));
  EXPECT_THAT(text, HasSubstr("1.500×"));
  EXPECT_THAT(text, HasSubstr("2001-09-09 01:46 UTC"));
  EXPECT_THAT(text, HasSubstr("a=2\n"));
}

TEST(ListText, SaysWhichTimesAreProvisionalAndWhy) {
  storage::FinalRecord shared = winner();
  shared.details_json = R"json({"provisional":"the device was also used by 1 other process (pid 4711)"})json";
  storage::FinalRecord alone = winner();
  alone.batch = 128;
  const std::string text = list_text({"/s.db", {shared, alone}, {}}, {.width = 200});
  EXPECT_THAT(text,
              HasSubstr("batch 64: its times are provisional, because the device was also used by 1 other process "
                        "(pid 4711); tune again when that is over"));
  EXPECT_THAT(text, Not(HasSubstr("batch 128: its times")));
}

TEST(ShowText, SaysWhichTimesAreProvisionalAndWhy) {
  KernelHistory history;
  history.finals = {winner()};
  history.finals[0].details_json = R"({"provisional":"the device was also used by somebody"})";
  EXPECT_THAT(show_text(history, {.width = 120}), HasSubstr("also used by somebody"));
}

TEST(ListText, TakesDetailsOfAnotherProgramAsTheyAre) {
  for (const char* details : {"", "no JSON", "[1]", "{}"}) {
    storage::FinalRecord record = winner();
    record.details_json = details;
    EXPECT_THAT(list_text({"/s.db", {record}, {}}, {.width = 140}), Not(HasSubstr("provisional"))) << details;
  }
}

TEST(ListText, SaysThatAStoreIsEmpty) {
  EXPECT_THAT(list_text({"/s.db", {}, {}}, {}), HasSubstr("no results are stored"));
}

TEST(ListText, MarksRunsThatNeverEnded) {
  storage::RunRecord run;
  run.command = "kerntune tune sgemm";
  EXPECT_THAT(list_text({"/s.db", {}, {run}}, {}), HasSubstr("no end recorded: kerntune tune sgemm"));
}

TEST(ShowText, ListsTiesAndFailuresWithTheirMessage) {
  KernelHistory history;
  history.kernel = "sgemm";
  history.finals = {winner()};
  storage::EvaluationRecord failed;
  failed.reason = "compile_error";
  failed.message = "x.cu(1): error: no";
  failed.key.config = "a=9";
  history.evaluations = {failed};
  history.evaluations_total = 7;
  const std::string text = show_text(history, {.width = 120});
  EXPECT_THAT(text, HasSubstr("batch 64: 2 configurations that could not be told apart"));
  EXPECT_THAT(text, HasSubstr("evaluations (1 of 7)"));
  EXPECT_THAT(text, HasSubstr("x.cu(1): error: no"));
}

TEST(ShowText, ShowsOnlyFailuresWhereAskedTo) {
  KernelHistory history;
  history.finals = {winner()};
  history.failures_only = true;
  const std::string text = show_text(history, {.width = 120});
  EXPECT_THAT(text, HasSubstr("no evaluation without a time is stored"));
  EXPECT_THAT(text, Not(HasSubstr("batch 64")));
}

QueryAnswer answer_for(const std::string& key) {
  QueryAnswer answer;
  answer.store = "/s.db";
  answer.kernel = "sgemm";
  answer.device_key = key;
  answer.batch = 48;
  answer.found = "bucket";
  answer.config = "a=2,b=1";
  answer.tuned_batch = 64;
  answer.time_ns = 1000;
  answer.bound = 1.15;
  answer.reason = "the smallest tuned batch above 48 is 64";
  answer.finals = {winner()};
  return answer;
}

TEST(QueryText, ShowsHowTheAnswerWasFound) {
  const std::string text = query_text(answer_for("key-a"), false, {});
  EXPECT_THAT(text, HasSubstr("a=2,b=1\n"));
  EXPECT_THAT(text, HasSubstr("bucket"));
  EXPECT_THAT(text, HasSubstr("at most 1.150 times slower"));
  EXPECT_THAT(text, Not(HasSubstr("key-a")));
}

TEST(QueryText, NamesTheFilesDeviceKeysIfNoneWasGiven) {
  EXPECT_THAT(query_text(answer_for(""), false, {}), HasSubstr("    key-a\n"));
}

TEST(QueryText, ExplainsItself) {
  const std::string text = query_text(answer_for("key-a"), true, {.width = 160});
  EXPECT_THAT(text, HasSubstr("what the file holds for this kernel"));
  EXPECT_THAT(text, HasSubstr("key-a"));
}

}  // namespace
}  // namespace kerntune::report
