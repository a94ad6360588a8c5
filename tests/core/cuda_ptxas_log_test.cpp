// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cuda/ptxas_log.hpp"

namespace kerntune::cuda {
namespace {

// NVRTC 13.0.88, sm_90, --maxrregcount=32 with --override-directive-values.
constexpr std::string_view kCuda13 = R"(t.cu(17): warning #177-D: variable "unused" was declared but never referenced
  extern "C" __global__ void table(float* o) { int unused; o[threadIdx.x] = weights[threadIdx.x]; }
                                                   ^

Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"

ptxas info    : Overriding maximum register limit 256 for '_Z5tiledILi64EEvPfPKf' with  32 of maxrregcount option
ptxas info    : Overriding maximum register limit 256 for 'table' with  32 of maxrregcount option
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z5tiledILi64EEvPfPKf' for 'sm_90'
ptxas info    : Function properties for _Z5tiledILi64EEvPfPKf
ptxas         .     1352 bytes stack frame, 1744 bytes spill stores, 2024 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 1352 bytes cumulative stack size, 512 bytes smem
ptxas info    : Compile time = 126.668 ms
ptxas info    : Compiling entry function 'withcall' for 'sm_90'
ptxas info    : Function properties for withcall
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 24 registers, used 0 barriers
ptxas info    : Compile time = 2.650 ms
ptxas info    : Function properties for _Z3recfi
ptxas         .     16 bytes stack frame, 16 bytes spill stores, 16 bytes spill loads
)";

// NVRTC 12.6.85, sm_70.
constexpr std::string_view kCuda12 = R"(ptxas info    : 0 bytes gmem, 256 bytes cmem[3]
ptxas info    : Compiling entry function '_Z5tiledILi64EEvPfPKf' for 'sm_70'
ptxas info    : Function properties for _Z5tiledILi64EEvPfPKf
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 167 registers, used 1 barriers, 512 bytes smem, 368 bytes cmem[0]
ptxas info    : Compiling entry function 'table' for 'sm_70'
ptxas info    : Function properties for table
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, used 0 barriers, 360 bytes cmem[0], 8 bytes cmem[2]
)";

TEST(PtxasLog, ReadsSpillsAndSharedMemoryOfCuda13) {
  const PtxasReport report = parse_ptxas_log(kCuda13);
  const PtxasFacts& tiled = report.entries.at("_Z5tiledILi64EEvPfPKf");
  EXPECT_EQ(tiled.regs, 32);
  EXPECT_EQ(tiled.stack_bytes, 1352);
  EXPECT_EQ(tiled.spill_store_bytes, 1744);
  EXPECT_EQ(tiled.spill_load_bytes, 2024);
  EXPECT_EQ(tiled.shared_bytes, 512);
  EXPECT_EQ(tiled.constant_bytes, 0);
  EXPECT_TRUE(tiled.complete);
}

TEST(PtxasLog, ReadsConstantBanksOfCuda12) {
  const PtxasReport report = parse_ptxas_log(kCuda12);
  EXPECT_EQ(report.entries.at("_Z5tiledILi64EEvPfPKf").regs, 167);
  EXPECT_EQ(report.entries.at("_Z5tiledILi64EEvPfPKf").constant_bytes, 368);
  EXPECT_EQ(report.entries.at("table").constant_bytes, 368);
  EXPECT_EQ(report.rest, "");
}

TEST(PtxasLog, KeepsDeviceFunctionsOutOfEntries) {
  const PtxasReport report = parse_ptxas_log(kCuda13);
  EXPECT_EQ(report.entries.size(), 2u);
  EXPECT_EQ(report.entries.at("withcall").stack_bytes, 0);
}

TEST(PtxasLog, KeepsWarningsAndDropsItsOwnLines) {
  const PtxasReport report = parse_ptxas_log(kCuda13);
  EXPECT_THAT(report.rest, testing::HasSubstr("variable \"unused\" was declared"));
  EXPECT_THAT(report.rest, testing::Not(testing::HasSubstr("ptxas info")));
}

TEST(PtxasLog, DropsWhatCuda12SaysOfItsSuccessor) {
  EXPECT_EQ(
      parse_ptxas_log("nvrtc: warning: Architectures prior to '<compute/sm>_75' are deprecated and may be removed "
                      "in a future release\n")
          .rest,
      "");
}

TEST(PtxasLog, KeepsAdvisoriesOfPtxas) {
  const PtxasReport report = parse_ptxas_log(
      "ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' ignored to maintain minimum register "
      "requirements\n"
      "ptxas warning : Too big maxrregcount value specified 300, will be ignored\n");
  EXPECT_THAT(report.rest, testing::HasSubstr("C7508"));
  EXPECT_THAT(report.rest, testing::HasSubstr("Too big maxrregcount"));
}

TEST(PtxasLog, ReadsTheOlderSharedMemorySum) {
  const PtxasReport report = parse_ptxas_log(
      "ptxas info    : Compiling entry function 'k' for 'sm_70'\n"
      "ptxas info    : Used 40 registers, 4096+0 bytes smem, 352 bytes cmem[0]");
  EXPECT_EQ(report.entries.at("k").regs, 40);
  EXPECT_EQ(report.entries.at("k").shared_bytes, 4096);
}

TEST(PtxasLog, MarksAnEntryWithoutUsageIncomplete) {
  const PtxasReport report = parse_ptxas_log("ptxas info    : Compiling entry function 'k' for 'sm_90'\n");
  EXPECT_FALSE(report.entries.at("k").complete);
}

TEST(PtxasLog, SurvivesNonsense) {
  for (std::string_view log :
       {"", "\n\n", "ptxas info : Used registers", "ptxas info : Compiling entry function '",
        "ptxas . , , bytes stack frame", "ptxas info : Used 99999999999999999999 registers\r\n"}) {
    SCOPED_TRACE(log);
    EXPECT_NO_THROW(parse_ptxas_log(log));
  }
}

}  // namespace
}  // namespace kerntune::cuda
