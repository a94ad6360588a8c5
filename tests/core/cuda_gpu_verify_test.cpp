// SPDX-License-Identifier: Apache-2.0
// What verification sees on a GPU.
#include "cuda/driver_api.hpp"
#include "cuda_gpu_fixture.hpp"

namespace kerntune::cuda {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kBugs =
    R"([{"name": "block", "values": [128], "default": 128, "role": "block_x"},
        {"name": "bug", "values": [0, 1, 2, 3, 4, 5, 6, 7, 8], "default": 0}])";
constexpr const char* kBuggySteps =
    R"json([{"kind": "launch", "entry": "add<{bug}>", "grid": ["ceil_div(batch, block)"],
  "args": [{"buffer": "a"}, {"buffer": "b"}, {"buffer": "c"}, {"scalar": "i32", "value": "batch"}]}])json";
constexpr const char* kBuggyText = R"cuda(
template <int Bug> __global__ void add(float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (Bug == 1 && i == 321) { c[i] = 77; return; }              // wrong
  if (Bug == 2 && i >= n - 5) return;                           // unwritten
  c[i] = a[i] + b[i];
  if (Bug == 3 && i == 0) c[n] = 1;                             // one too many
  if (Bug == 4 && i == 0) c[-1] = 1;                            // one too early
  if (Bug == 5 && i == 10) a[i] = 5;                            // changes an input
  if (Bug == 6 && i == 7) c[i] = __int_as_float(0x7fffffff);    // NaN
  if (Bug == 7 && i == 0) *reinterpret_cast<float*>(16) = 1;    // illegal address
  if (Bug == 8 && i == 0) __trap();
})cuda";

class GpuVerify : public Gpu {
 protected:
  void open_buggy() {
    use_add(kBugs, kBuggySteps, kBuggyText);
    open(1000);
  }
};

TEST_F(GpuVerify, ARightKernelPassesOnSeveralSeeds) {
  open_buggy();
  for (const std::uint64_t seed : {1U, 2U, 3U}) EXPECT_EQ(verdict("block=128,bug=0", seed), "");
  EXPECT_EQ(session->verified_by(), "reference");
}

TEST_F(GpuVerify, SeesAWrongElement) {
  open_buggy();
  EXPECT_THAT(verdict("block=128,bug=1"), StartsWith("wrong_result: c[321]: got 77, expected "));
}

TEST_F(GpuVerify, SeesUnwrittenOutput) {
  open_buggy();
  EXPECT_EQ(verdict("block=128,bug=2"),
            "unwritten_output: left 5 of 1000 elements of 'c' unwritten, the first is c[995]");
}

TEST_F(GpuVerify, SeesAWriteAfterTheEnd) {
  open_buggy();
  EXPECT_THAT(verdict("block=128,bug=3"), StartsWith("out_of_bounds: the kernel wrote after the end of 'c'"));
}

TEST_F(GpuVerify, SeesAWriteBeforeTheStart) {
  open_buggy();
  EXPECT_THAT(verdict("block=128,bug=4"), StartsWith("out_of_bounds: the kernel wrote before the start of 'c'"));
}

TEST_F(GpuVerify, SeesAChangedInput) {
  open_buggy();
  EXPECT_THAT(verdict("block=128,bug=5"),
              StartsWith("out_of_bounds: the kernel changed its input 'a': 1 of 1000 elements, the first is a[10]"));
  EXPECT_EQ(verdict("block=128,bug=0"), "") << "the input was not repaired";
}

TEST_F(GpuVerify, SeesNan) {
  open_buggy();
  EXPECT_THAT(verdict("block=128,bug=6"), StartsWith("wrong_result: c[7]: got nan"));
}

/// Faults end a context for good, so each runs in a process of its own (a "threadsafe" death test starts the program
/// again).
class GpuFault : public GpuVerify, public testing::WithParamInterface<int> {
 protected:
  /// 0 if the fault was reported as it must be; else a number that says what was not.
  int fault_and_report() {
    open_buggy();
    auto prepared = try_prepare("block=128,bug=" + std::to_string(GetParam()));
    if (!prepared) return std::fputs(prepared.error().message.c_str(), stderr), 2;
    const auto verified = session->verify(**prepared, 1);
    if (verified) return std::fputs("it was verified", stderr), 3;
    std::fputs(describe(verified.error()).c_str(), stderr);
    if (verified.error().reason != Reason::fault) return 4;
    if (!session->context_lost()) return std::fputs(" but context_lost() is false", stderr), 5;
    const auto later = session->time(**prepared, 0, 1);
    if (later || later.error().reason != Reason::fault)
      return std::fputs(" but a later call did not report it", stderr), 6;
    return 0;
  }
};

TEST_P(GpuFault, LosesTheContext) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(std::exit(fault_and_report()), testing::ExitedWithCode(0), "fault: .*CUDA_ERROR");
}

INSTANTIATE_TEST_SUITE_P(IllegalAddressAndTrap, GpuFault, testing::Values(7, 8));

TEST_F(GpuVerify, ComparesWithTheDefaultWithoutAReference) {
  use(testkernels::add_spec(kBugs, kBuggySteps, kBuggyText));
  SessionRequest request = testkernels::request_for(kernel, 1000);
  request.default_modules = {compile("block=128,bug=0")};
  auto opened = device().open(request, nullptr);
  ASSERT_TRUE(opened) << opened.error().message;
  session = std::move(*opened);
  EXPECT_EQ(session->verified_by(), "against_default");
  EXPECT_EQ(verdict("block=128,bug=0"), "");
  EXPECT_THAT(verdict("block=128,bug=1"), HasSubstr("c[321]: got 77"));
}

TEST_F(GpuVerify, ComparesWithAReferenceKernel) {
  use(testkernels::add_spec(kBugs, kBuggySteps, kBuggyText,
                            R"json(, "reference": {"host": true, "check_dims": {"batch": 500}, "kernel": {
      "code": {"kind": "source", "file": "naive.cu",
               "text": "extern \"C\" __global__ void naive(const float* a, const float* b, float* c, int n) { for (int i = threadIdx.x; i < n; i += blockDim.x) c[i] = a[i] + b[i]; }"},
      "steps": [{"kind": "launch", "entry": "naive", "grid": [1], "block": [256], "args": [
        {"buffer": "a"}, {"buffer": "b"}, {"buffer": "c"}, {"scalar": "i32", "value": "batch"}]}]}})json"));
  SessionRequest request = testkernels::request_for(kernel, 1000);
  CompileJob job;
  job.file = "naive.cu";
  job.source = kernel.program->spec().reference.kernel->code.text;
  job.entries = {"naive"};
  job.arch = device().info().arch;
  request.reference_modules = {nvrtc::compile(job).value()};
  auto opened = device().open(request, kernel.plugin.get());
  ASSERT_TRUE(opened) << opened.error().message;
  session = std::move(*opened);
  EXPECT_EQ(verdict("block=128,bug=0"), "");
  EXPECT_THAT(verdict("block=128,bug=1"), HasSubstr("c[321]: got 77"));
}

TEST_F(GpuVerify, RejectsArgumentsThatDoNotFitTheKernel) {
  use_add(kBugs, R"json([{"kind": "launch", "entry": "add<{bug}>", "grid": ["ceil_div(batch, block)"],
    "args": [{"buffer": "a"}, {"buffer": "b"}, {"buffer": "c"}, {"scalar": "i64", "value": "batch"}]}])json",
          kBuggyText);
  open(1000);
  EXPECT_THAT(verdict("block=128,bug=0"),
              HasSubstr("parameter 4 of the kernel has 4 bytes, the spec's argument has 8"));
}

TEST_F(GpuVerify, OutOfMemoryIsAValueAndTheSessionGoesOn) {
  use_add(
      R"([{"name": "block", "values": [128], "default": 128, "role": "block_x"}, {"name": "huge", "values": [0, 1], "default": 0}])",
      testkernels::kAddSteps, testkernels::kAddText,
      R"json(, "buffers": [{"name": "a", "dtype": "f32", "count": "batch", "role": "in"}, {"name": "b", "dtype": "f32", "count": "batch", "role": "in"},
            {"name": "c", "dtype": "f32", "count": "batch", "role": "out"},
            {"name": "w", "dtype": "f32", "count": "1 + huge * 200000000000", "role": "workspace"}])json");
  open(1000);
  const std::string refused = verdict("block=128,huge=1");
  EXPECT_THAT(refused, StartsWith("out_of_memory: "));
  EXPECT_THAT(refused, HasSubstr("buffer 'w'"));
  EXPECT_EQ(verdict("block=128,huge=0"), "");
}

TEST_F(GpuVerify, LeaksNothingOverManyConfigurations) {
  use_add(
      R"([{"name": "block", "values": [64, 128, 256, 512], "default": 128, "role": "block_x"}, {"name": "pad", "values": [0, 1000000, 2000000], "default": 0}])",
      testkernels::kAddSteps, testkernels::kAddText,
      R"json(, "buffers": [{"name": "a", "dtype": "f32", "count": "batch", "role": "in"}, {"name": "b", "dtype": "f32", "count": "batch", "role": "in"},
            {"name": "c", "dtype": "f32", "count": "batch", "role": "out"},
            {"name": "w", "dtype": "f32", "count": "1 + pad", "role": "workspace"}])json");
  open(100000);
  const auto round = [&] {
    for (const char* config : {"block=64,pad=0", "block=128,pad=1000000", "block=256,pad=2000000", "block=512,pad=0"}) {
      auto prepared = prepare(config);
      ASSERT_TRUE(session->verify(*prepared, 1));
      ASSERT_TRUE(session->time(*prepared, 1, 2));
    }
  };
  const auto free_bytes = [] {
    std::size_t free = 0, total = 0;
    driver_api()->memory_info(&free, &total);
    return free;
  };
  round();
  const std::size_t before = free_bytes();
  for (int i = 0; i < 50; ++i) round();
  const std::size_t after = free_bytes();
  // Another process may take or give a little; 200 leaked workspaces would be a gigabyte.
  EXPECT_NEAR(static_cast<double>(after), static_cast<double>(before), 32e6);
}

}  // namespace
}  // namespace kerntune::cuda
