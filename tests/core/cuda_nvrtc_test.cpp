// SPDX-License-Identifier: Apache-2.0
#include <kerntune/core/compile.hpp>
#include <kerntune/core/errors.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cuda/toolkit.hpp"

namespace kerntune {
namespace {

using testing::HasSubstr;

// 64 values in flight per thread: 168 registers without a limit.
constexpr const char* kBusyBody = R"(
  float a[64];
  for (int j = 0; j < 64; ++j) a[j] = in[threadIdx.x + j * blockDim.x];
  for (int r = 0; r < 4; ++r) {
#pragma unroll
    for (int j = 0; j < 64; ++j) a[j] = a[j] * a[(j + 7) % 64];
  }
  for (int j = 0; j < 64; ++j) out[threadIdx.x + j * blockDim.x] = a[j];
})";

CompileJob job_of(std::string source, std::vector<std::string> entries) {
  CompileJob job;
  job.file = "test.cu";
  job.source = std::move(source);
  job.entries = std::move(entries);
  job.arch = "sm_90";
  return job;
}

CompileJob busy_job(const std::string& bounds) {
  return job_of("extern \"C\" __global__ void " + bounds + " busy(float* out, const float* in) {" + kBusyBody,
                {"busy"});
}

class Nvrtc : public testing::Test {
 protected:
  void SetUp() override {
    std::string why_not;
    if (nvrtc::version(&why_not).empty()) GTEST_SKIP() << why_not;
  }
};

TEST_F(Nvrtc, NamesItsPatchLevelAndArchitectures) {
  EXPECT_THAT(nvrtc::version(), testing::MatchesRegex("1[2-9]\\.[0-9]+\\.[0-9]+"));
  EXPECT_THAT(nvrtc::architectures(), testing::Contains(90));
}

TEST(NvrtcLibrary, IsOfTheToolkitThatIsAskedFor) {
  const char* wanted = std::getenv("KERNTUNE_TEST_TOOLKIT");  // "12.9": where a skip would hide that it is not used
  if (wanted == nullptr) GTEST_SKIP() << "KERNTUNE_TEST_TOOLKIT asks for none";
  std::string why_not;
  EXPECT_THAT(nvrtc::version(&why_not), testing::StartsWith(std::string(wanted) + ".")) << why_not;
}

TEST_F(Nvrtc, LowersNameExpressions) {
  const auto module = nvrtc::compile(
      job_of("template <int N, typename T> __global__ void k(T* x) { x[0] = N; }", {"k<4, float>", "k<8,int>"}));
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_EQ(module->entries.at("k<4, float>").lowered_name, "_Z1kILi4EfEvPT0_");
  EXPECT_EQ(module->entries.at("k<8,int>").lowered_name, "_Z1kILi8EiEvPT0_");
  EXPECT_TRUE(
      module->cubin.starts_with("\x7f"
                                "ELF"));
  EXPECT_EQ(module->key, compile_key(job_of("template <int N, typename T> __global__ void k(T* x) { x[0] = N; }",
                                            {"k<4, float>", "k<8,int>"}),
                                     nvrtc::version()));
  EXPECT_GT(module->compile_ms, 0);
}

TEST_F(Nvrtc, PassesDefinesAndHeaders) {
  CompileJob job =
      job_of("#include \"tile.cuh\"\nextern \"C\" __global__ void k(float* x) { x[0] = TILE * FACTOR; }", {"k"});
  job.headers = {{"tile.cuh", "#define TILE 4"}};
  job.options = {"-DFACTOR=3"};
  const auto module = nvrtc::compile(job);
  ASSERT_TRUE(module) << module.error().message;
}

TEST_F(Nvrtc, EqualCodeHasEqualDigests) {
  CompileJob job = job_of("extern \"C\" __global__ void k(float* x) { x[0] = A; }", {"k"});
  job.options = {"-DA=2"};
  const auto first = nvrtc::compile(job);
  job.options = {"-DA=(1+1)"};
  const auto second = nvrtc::compile(job);
  ASSERT_TRUE(first && second);
  EXPECT_NE(first->key, second->key);
  EXPECT_EQ(first->cubin_digest, second->cubin_digest);
}

TEST_F(Nvrtc, ReportsErrorsWithTheCompilersWords) {
  const auto module = nvrtc::compile(job_of("extern \"C\" __global__ void k(float* x) { x[0] = nowhere; }", {"k"}));
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().reason, Reason::compile_error);
  EXPECT_THAT(module.error().message, HasSubstr("test.cu(1): error: identifier \"nowhere\" is undefined"));
}

TEST_F(Nvrtc, ReportsAnEntryThatDoesNotExist) {
  const auto module = nvrtc::compile(job_of("__global__ void k(float* x) { x[0] = 1; }", {"j"}));
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().reason, Reason::compile_error);
  EXPECT_THAT(module.error().message, HasSubstr("j"));
}

TEST_F(Nvrtc, CapsRegisters) {
  CompileJob job = busy_job("");
  const auto free = nvrtc::compile(job);
  job.register_cap = 40;
  const auto capped = nvrtc::compile(job);
  ASSERT_TRUE(free && capped);
  EXPECT_GT(free->entries.at("busy").regs, 64);
  EXPECT_LE(capped->entries.at("busy").regs, 40);
  EXPECT_GT(capped->entries.at("busy").spill_store_bytes, 0);
}

TEST_F(Nvrtc, CapsAKernelWithLaunchBounds) {
  CompileJob job = busy_job("__launch_bounds__(128)");
  job.register_cap = 40;
  const auto capped = nvrtc::compile(job);
  ASSERT_TRUE(capped) << capped.error().message;
  EXPECT_LE(capped->entries.at("busy").regs, 40);
}

TEST_F(Nvrtc, ACapNeverRaisesWhatLaunchBoundsImply) {
  CompileJob job = busy_job("__launch_bounds__(1024)");
  job.register_cap = 128;
  const auto capped = nvrtc::compile(job);
  ASSERT_TRUE(capped) << capped.error().message;
  EXPECT_LE(capped->entries.at("busy").regs, 64) << "1024 threads of more than 64 registers cannot be launched";
}

TEST_F(Nvrtc, RejectsACapThatTheChipDoesNotObey) {
  CompileJob job = busy_job("");
  job.register_cap = 8;  // sm_90's lower bound is 24
  const auto capped = nvrtc::compile(job);
  ASSERT_FALSE(capped);
  EXPECT_EQ(capped.error().reason, Reason::cap_not_effective);
  EXPECT_THAT(capped.error().message, HasSubstr("'busy' uses 24 registers although the cap is 8"));
  EXPECT_THAT(capped.error().message, HasSubstr("__launch_bounds__"));
}

TEST_F(Nvrtc, SaysWhenStaticSharedMemoryIsTooLarge) {
  const auto module =
      nvrtc::compile(job_of("extern \"C\" __global__ void k(float* x) { __shared__ float s[60000]; s[threadIdx.x] = "
                            "x[0]; __syncthreads(); x[1] = s[x[2] > 0]; }",
                            {"k"}));
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().reason, Reason::device_limit);
  EXPECT_THAT(module.error().message, HasSubstr("240000 bytes of static shared memory, 49152 are allowed"));
}

TEST_F(Nvrtc, FindsTheToolkitsHeaders) {
  if (cuda::toolkit().include_folders.empty()) GTEST_SKIP() << "no CUDA toolkit headers on this machine";
  const auto module = nvrtc::compile(
      job_of("#include <cuda_fp16.h>\nextern \"C\" __global__ void k(__half* x) { x[0] = x[1] + x[2]; }", {"k"}));
  ASSERT_TRUE(module) << module.error().message;
}

TEST_F(Nvrtc, StandsInForTheHeadersOfC) {
  const auto module = nvrtc::compile(job_of(R"(#include <stdint.h>
#include <cstdint>
#include <cmath>
#include <climits>
#include <cfloat>
#include <stdio.h>
#include <cassert>
#include <cstddef>
extern "C" __global__ void k(uint64_t* x, std::int32_t y, size_t n) {
  assert(n < INT_MAX);
  x[0] = static_cast<uint64_t>(sqrtf(FLT_MAX) + M_PI + y);
  printf("%d", y);
})",
                                            {"k"}));
  ASSERT_TRUE(module) << module.error().message;
}

TEST_F(Nvrtc, StandInsAgreeWithTheToolkitsOwn) {
  if (cuda::toolkit().include_folders.empty()) GTEST_SKIP() << "no CUDA toolkit headers on this machine";
  const auto module =
      nvrtc::compile(job_of("#include <cstdint>\n#include <cuda/std/cstdint>\n#include <cuda_bf16.h>\n"
                            "extern \"C\" __global__ void k(uint64_t* x, cuda::std::uint64_t y) { x[0] = y; }",
                            {"k"}));
  ASSERT_TRUE(module) << module.error().message;
}

TEST_F(Nvrtc, SaysWhatToDoAboutAMissingHeader) {
  const auto module = nvrtc::compile(job_of("#include \"mine.cuh\"\n__global__ void k() {}", {"k"}));
  ASSERT_FALSE(module);
  EXPECT_THAT(module.error().message, HasSubstr("mine.cuh"));
  EXPECT_THAT(module.error().message,
              testing::AnyOf(HasSubstr("declare the header in the spec"), HasSubstr("CUDA_HOME")));
}

TEST_F(Nvrtc, LetsAnAuthorRefineTheArchitectureButNotChangeIt) {
  CompileJob job = job_of("extern \"C\" __global__ void k(float* x) { x[0] = 1; }", {"k"});
  job.options = {"--gpu-architecture=sm_90a"};
  const auto refined = nvrtc::compile(job);
  EXPECT_TRUE(refined) << refined.error().message;
  job.options = {"-arch=sm_80"};
  const auto changed = nvrtc::compile(job);
  ASSERT_FALSE(changed);
  EXPECT_THAT(changed.error().message, HasSubstr("does not fit the device, which is sm_90"));
}

TEST_F(Nvrtc, RejectsAnUnknownArchitecture) {
  CompileJob job = job_of("__global__ void k() {}", {"k"});
  job.arch = "sm_20";
  const auto module = nvrtc::compile(job);
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().reason, Reason::unsupported);
  EXPECT_THAT(module.error().message, HasSubstr("does not compile for sm_20"));
}

TEST_F(Nvrtc, KeepsWarnings) {
  const auto module =
      nvrtc::compile(job_of("extern \"C\" __global__ void k(float* x) { int unused; x[0] = 1; }", {"k"}));
  ASSERT_TRUE(module);
  EXPECT_THAT(module->log, HasSubstr("\"unused\" was declared but never referenced"));
}

// Runs in a process of its own: the library is loaded once per process.
TEST(NvrtcLibrary, ExplainsThatItIsMissing) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(
      {
        ::setenv("KERNTUNE_NVRTC", "/nonexistent/libnvrtc.so", 1);
        std::string why_not;
        const bool silent = nvrtc::version(&why_not).empty() && nvrtc::architectures().empty();
        try {
          (void)nvrtc::compile(CompileJob{});
        } catch (const DeviceError& error) {
          std::fputs(error.what(), stderr);
          std::exit(silent && !why_not.empty() ? 3 : 4);
        }
      },
      testing::ExitedWithCode(3), "set KERNTUNE_NVRTC to its path|no CUDA support");
}

}  // namespace
}  // namespace kerntune
