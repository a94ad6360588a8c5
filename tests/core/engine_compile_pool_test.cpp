// SPDX-License-Identifier: Apache-2.0
// What compilers do to their process, with a compiler that does it on demand (fixtures/fake_nvrtc.cpp).
#include "engine/compile_pool.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kerntune/core/errors.hpp>

#include "temp_dir.hpp"

namespace kerntune {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Pool : public testing::Test {
 protected:
  void SetUp() override { ::setenv("KERNTUNE_NVRTC", KERNTUNE_TEST_NVRTC, 1); }

  static CompileJob job(const std::string& source) {
    CompileJob job;
    job.file = "t.cu";
    job.source = source;
    job.entries = {"k"};
    job.arch = "sm_90";
    return job;
  }
  CompilePool& pool(int processes = 2) {
    if (!pool_) {
      pool_ = std::make_unique<CompilePool>(processes, dir_ / "cubin",
                                            CompileLimits{.timeout_s = 1, .memory_bytes = UINT64_C(256) << 20});
    }
    return *pool_;
  }
  Rejection rejected(const std::string& source) {
    const auto outcome = pool().compile_all({job(source)}).front();
    return outcome ? Rejection{Reason::internal_error, "it was compiled"} : outcome.error();
  }
  bool compiles(const std::string& source) { return pool().compile_all({job(source)}).front().has_value(); }

  test::TempDir dir_;
  std::unique_ptr<CompilePool> pool_;
};

TEST_F(Pool, CompilesAndKeepsTheResult) {
  EXPECT_TRUE(compiles("fine"));
  pool_.reset();
  const auto again = pool().compile_all({job("fine")}).front();
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->from_cache);
  EXPECT_EQ(again->entries.at("k").regs, 24);
}

TEST_F(Pool, ACompileErrorIsAnAnswerWithTheLog) {
  const Rejection r = rejected("error");
  EXPECT_EQ(r.reason, Reason::compile_error);
  EXPECT_THAT(r.message, HasSubstr("identifier \"nonsense\" is undefined"));
}

TEST_F(Pool, ACrashIsBlamedWhenItHappensTwice) {
  const Rejection r = rejected("crash ");
  EXPECT_EQ(r.reason, Reason::compile_crash);
  EXPECT_THAT(r.message, AllOf(HasSubstr("the compiler of t.cu was killed by signal 11 (Segmentation fault) after"),
                               HasSubstr("assertion failed at line 42"), HasSubstr("tried a second time")));
  EXPECT_TRUE(compiles("fine"));
}

TEST_F(Pool, ACrashThatDoesNotComeAgainIsNobodysFault) {
  EXPECT_TRUE(compiles("crash_once " + (dir_ / "flag") + " "));
  EXPECT_TRUE(std::filesystem::exists(dir_ / "flag")) << "it did crash";
}

TEST_F(Pool, ACompileBombIsEnded) {
  const Rejection r = rejected("hang");
  EXPECT_EQ(r.reason, Reason::compile_timeout);
  EXPECT_THAT(r.message, AllOf(HasSubstr("longer than 1 s (--compile-timeout)"), Not(HasSubstr("second time"))));
  EXPECT_TRUE(compiles("fine"));
}

TEST_F(Pool, MemoryIsLimited) {
  const Rejection r = rejected("eat");
  EXPECT_EQ(r.reason, Reason::out_of_memory);
  EXPECT_THAT(r.message, HasSubstr("--memory-limit"));
}

TEST_F(Pool, WhatAnEarlierJobAteIsNotTakenFromTheNext) {
  pool(1);
  for (int i = 0; i < 3; ++i) (void)rejected("eat " + std::to_string(i));
  EXPECT_TRUE(compiles("fine")) << "in a process of its own";
}

TEST_F(Pool, ACompilerThatAbortsForWantOfMemoryIsACrash) {
  EXPECT_THAT(rejected("devour").message, HasSubstr("signal 6 (Aborted)"));
}

TEST_F(Pool, OthersInFlightAreNotHarmed) {
  std::vector<CompileJob> jobs;
  for (int i = 0; i < 6; ++i) jobs.push_back(job("slow " + std::to_string(i)));
  jobs.insert(jobs.begin() + 2, job("crash "));
  jobs.insert(jobs.begin() + 4, job("hang"));
  const auto outcomes = pool().compile_all(jobs);
  EXPECT_EQ(std::count_if(outcomes.begin(), outcomes.end(), [](const auto& o) { return o.has_value(); }), 6);
  EXPECT_TRUE(pool().idle());
}

TEST_F(Pool, SaysWhyThereIsNoCompiler) {
  ::setenv("KERNTUNE_NVRTC", "/no/such/libnvrtc.so", 1);
  EXPECT_THROW((void)pool().nvrtc_version(), DeviceError);
}

/// The real thing, where there is one: a program that compiles for minutes.
TEST(RealCompiler, ABombIsEnded) {
  ::unsetenv("KERNTUNE_NVRTC");
  std::string why_not;
  if (nvrtc::version(&why_not).empty()) GTEST_SKIP() << why_not;
  const test::TempDir dir;
  CompilePool pool(1, dir / "cubin", {.timeout_s = 2});
  CompileJob job;
  job.file = "bomb.cu";
  job.source =
      "template <int A, int B> struct F { static constexpr long v = F<A - 1, B>::v + F<A - 1, B + A>::v; };"
      "template <int B> struct F<0, B> { static constexpr long v = B; };"
      "extern \"C\" __global__ void k(long* p) { *p = F<150, 0>::v; }";
  job.entries = {"k"};
  job.arch = "sm_90";
  const auto outcome = pool.compile_all({job}).front();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().reason, Reason::compile_timeout) << outcome.error().message;
}

}  // namespace
}  // namespace kerntune
