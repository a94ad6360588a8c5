// SPDX-License-Identifier: Apache-2.0
#include <kerntune/core/conformance.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixtures.hpp"
#include "plugin/conformance_parts.hpp"

namespace {

using kerntune::BatchSample;
using kerntune::check_plugin;
using kerntune::CompiledModule;
using kerntune::CompileJob;
using kerntune::ConformanceCheck;
using kerntune::ConformanceOptions;
using kerntune::ConformanceReport;
using kerntune::Reason;
using kerntune::Rejection;
using kerntune::sample_batches;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using Status = ConformanceCheck::Status;

std::string example(const std::string& name) { return fixture("../../../examples/" + name); }

/// "fail: outputs agree with the reference: ..." for each check of a kernel with that status.
std::vector<std::string> lines(const ConformanceReport& report, const std::string& kernel, Status status) {
  std::vector<std::string> out;
  for (const ConformanceCheck& check : report.checks) {
    if (check.kernel == kernel && check.status == status) out.push_back(check.name + ": " + check.message);
  }
  return out;
}

TEST(Conformance, PassesTheExamples) {
  for (const char* name : {"c_minimal.so", "host_sum.so", "example_axpy.so"}) {
    SCOPED_TRACE(name);
    const ConformanceReport report = check_plugin(example(name), {});
    EXPECT_TRUE(report.passed()) << testing::PrintToString(lines(report, report.checks.back().kernel, Status::fail));
  }
}

TEST(Conformance, RunsAHostCallable) {
  const ConformanceReport report = check_plugin(example("c_minimal.so"), {});
  EXPECT_EQ(report.plugin_name, "c_minimal");
  EXPECT_FALSE(report.plugin_build_id.empty());
  const auto passes = lines(report, "example_scale", Status::pass);
  EXPECT_THAT(passes, Contains(HasSubstr("4 of 4 combinations are valid")));
  EXPECT_THAT(passes,
              Contains(AllOf(HasSubstr("runs at every batch on this host"), HasSubstr("batches of 1..1048576"))));
  EXPECT_THAT(passes, Contains(HasSubstr("outputs agree with the reference")));
  EXPECT_TRUE(lines(report, "example_scale", Status::skip).empty());
}

TEST(Conformance, ChecksASourceKernelOnEveryRepresentativeDevice) {
  const ConformanceReport report = check_plugin(example("example_axpy.so"), {});
  const auto passes = lines(report, "example_axpy", Status::pass);
  for (const char* device : {"V100", "A100", "H100", "H200", "B200"}) EXPECT_THAT(passes, Contains(HasSubstr(device)));
  EXPECT_THAT(passes, Contains(HasSubstr("all 4096 batches 1..4096")));
  const auto skips = lines(report, "example_axpy", Status::skip);
  EXPECT_THAT(skips, Contains(HasSubstr("no compiler")));
  EXPECT_THAT(skips, Contains(HasSubstr("needs a CUDA device")));
}

TEST(Conformance, ReportsAPluginThatDoesNotLoad) {
  const ConformanceReport report = check_plugin(fixture("no_entry.so"), {});
  EXPECT_FALSE(report.passed());
  ASSERT_EQ(report.checks.size(), 1U);
  EXPECT_EQ(report.checks[0].name, "the plugin loads");
  EXPECT_THAT(report.checks[0].message, HasSubstr("kerntune_plugin_entry_v1"));
}

TEST(Conformance, RefusesADefaultOutsideTheSpace) {
  const ConformanceReport report = check_plugin(fixture("default_outside.so"), {});
  ASSERT_FALSE(report.passed());
  EXPECT_THAT(report.checks[0].message, HasSubstr("'step == 2' is false for the default"));
}

TEST(Conformance, DemandsABuildId) {
  const ConformanceReport report = check_plugin(fixture("without_build_id.so"), {});
  EXPECT_THAT(lines(report, "", Status::fail), ElementsAre(HasSubstr("build-id")));
}

class Nonconforming : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(report().checks.at(0).status, Status::pass) << report().checks[0].message; }
  std::vector<std::string> fails(const std::string& kernel) { return lines(report(), kernel, Status::fail); }
  static const ConformanceReport& report() {
    static const ConformanceReport report = check_plugin(fixture("nonconforming.so"), {});
    return report;
  }
};

TEST_F(Nonconforming, FindsNothingWrongWithARightKernel) { EXPECT_THAT(fails("right"), ElementsAre()); }

TEST_F(Nonconforming, FindsALaunchThatIsNotRepeatable) {
  EXPECT_THAT(fails("counting"), ElementsAre(AllOf(HasSubstr("launches are repeatable"), HasSubstr("mode=1"))));
}

TEST_F(Nonconforming, FindsAConfigurationThatIsWrong) {
  EXPECT_THAT(fails("wrong_for_two"),
              ElementsAre(AllOf(HasSubstr("outputs agree with the reference"), HasSubstr("mode=2"))));
}

TEST_F(Nonconforming, FindsAnElementThatIsNotWritten) {
  EXPECT_THAT(fails("partial"),
              ElementsAre(AllOf(HasSubstr("launches write all of their outputs"), HasSubstr("y[15]"))));
}

TEST_F(Nonconforming, FindsAWriteOutOfBounds) {
  EXPECT_THAT(fails("overrun"), ElementsAre(HasSubstr("launches write only their outputs")));
}

TEST_F(Nonconforming, FindsADefaultThatDoesNotRun) {
  EXPECT_THAT(fails("refuses"), ElementsAre(AllOf(HasSubstr("the default mode=1"), HasSubstr("not on this machine"))));
}

TEST_F(Nonconforming, FindsABatchToWhichTheDefaultDoesNotApply) {
  EXPECT_THAT(fails("gap"), ElementsAre(AllOf(HasSubstr("at batch 4097"), HasSubstr("batch != 4097"))));
}

TEST_F(Nonconforming, FindsASizeToWhichTheDefaultDoesNotApply) {
  EXPECT_THAT(fails("even_only"),
              ElementsAre(AllOf(HasSubstr("applies at other sizes"), HasSubstr("at n=1:"), HasSubstr("n % 2 == 0"))));
}

TEST_F(Nonconforming, SkipsDevicesThatAKernelIsNotFor) {
  EXPECT_THAT(fails("old_only"), ElementsAre());
  EXPECT_THAT(lines(report(), "old_only", Status::skip),
              Contains(AllOf(HasSubstr("H200"), HasSubstr("not a device for this kernel"))));
}

TEST_F(Nonconforming, FindsALaunchBeyondTheDevicesLimits) {
  EXPECT_THAT(fails("too_wide"), Contains(AllOf(HasSubstr("V100"), HasSubstr("at batch 3277"))));
}

/// Records the jobs and answers as told.
struct FakeCompiler {
  std::vector<CompileJob> jobs;
  bool works = true;
  ConformanceOptions options() {
    ConformanceOptions options;
    options.architectures = {80, 90};
    options.compile = [this](const CompileJob& job) -> tl::expected<CompiledModule, Rejection> {
      jobs.push_back(job);
      if (!works) return tl::unexpected(Rejection{Reason::compile_error, "axpy.cu(3): error"});
      CompiledModule module;
      module.entries[job.entries.at(0)].regs = 17;
      return module;
    };
    return options;
  }
};

TEST(ConformanceCompile, CompilesTheDefaultForEachKnownArchitecture) {
  FakeCompiler compiler;
  const ConformanceReport report = check_plugin(example("example_axpy.so"), compiler.options());
  ASSERT_EQ(compiler.jobs.size(), 2U);
  EXPECT_EQ(compiler.jobs[0].arch, "sm_80");
  EXPECT_EQ(compiler.jobs[1].arch, "sm_90");
  EXPECT_THAT(compiler.jobs[0].entries, ElementsAre("axpy<1>"));
  EXPECT_THAT(compiler.jobs[0].source, HasSubstr("__global__ void axpy"));
  EXPECT_THAT(lines(report, "example_axpy", Status::pass), Contains(HasSubstr("axpy<1>: 17 registers")));
  EXPECT_THAT(lines(report, "example_axpy", Status::skip), Contains(HasSubstr("sm_70")));
}

TEST(ConformanceCompile, FailsOnASourceThatDoesNotCompile) {
  FakeCompiler compiler{.jobs = {}, .works = false};
  const ConformanceReport report = check_plugin(example("example_axpy.so"), compiler.options());
  EXPECT_FALSE(report.passed());
  EXPECT_THAT(lines(report, "example_axpy", Status::fail), Contains(HasSubstr("axpy.cu(3): error")));
}

TEST(BatchSample, TriesEveryBatchOfAShortRange) {
  const BatchSample sample = sample_batches({.name = "b", .min = 3, .max = 7}, 10, 1);
  EXPECT_TRUE(sample.all);
  EXPECT_THAT(sample.batches, ElementsAre(3, 4, 5, 6, 7));
  EXPECT_EQ(sample.text(), "all 5 batches 3..7");
}

TEST(BatchSample, TriesEndsPowersOfTwoAndTheirNeighboursOfALongRange) {
  const BatchSample sample = sample_batches({.name = "b", .min = 5, .max = INT64_C(1) << 40}, 0, 1);
  EXPECT_FALSE(sample.all);
  EXPECT_TRUE(std::is_sorted(sample.batches.begin(), sample.batches.end()));
  EXPECT_EQ(sample.batches.front(), 5);
  EXPECT_EQ(sample.batches.back(), INT64_C(1) << 40);
  for (const std::int64_t batch : {6, 7, 8, 9, 1023, 1024, 1025}) EXPECT_THAT(sample.batches, Contains(batch));
}

TEST(BatchSample, AddsRandomBatchesThatTheSeedDecides) {
  const kerntune::Dim dim{.name = "b", .min = 1, .max = 1 << 20};
  const BatchSample none = sample_batches(dim, 0, 1);
  const BatchSample some = sample_batches(dim, 100, 1);
  EXPECT_GT(some.batches.size(), none.batches.size() + 80);
  EXPECT_EQ(some.batches, sample_batches(dim, 100, 1).batches);
  EXPECT_NE(some.batches, sample_batches(dim, 100, 2).batches);
}

}  // namespace
