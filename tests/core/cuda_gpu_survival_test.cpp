// SPDX-License-Identifier: Apache-2.0
// What kernels do to a GPU, and what becomes of the run: real workers, a real store, a real device.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kerntune/core/tuner.hpp>
#include <kerntune/storage/result_store.hpp>

#include "cuda_test_kernels.hpp"
#include "gpu_guard.hpp"
#include "run_tune.hpp"
#include "temp_dir.hpp"

namespace kerntune {
namespace {

using test::run;

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kParams = R"([{"name": "bug", "values": [0, 1, 2, 3, 4, 5, 6, 7, 8], "default": 0},
  {"name": "block", "values": [128, 1024], "default": 128, "role": "block_x"}])";
constexpr const char* kSteps = R"json([{"kind": "launch", "entry": "add<{bug}>", "grid": ["ceil_div(batch, block)"],
  "args": [{"buffer": "a"}, {"buffer": "b"}, {"buffer": "c"}, {"buffer": "w"}, {"scalar": "i32", "value": "batch"}]}])json";
// Bug 8 is only huge; bug 6 alone has blocks of 1024 threads.
constexpr const char* kExtra = R"json(, "constraints": ["(bug == 6) == (block == 1024)"],
  "buffers": [{"name": "a", "dtype": "f32", "count": "batch", "role": "in"}, {"name": "b", "dtype": "f32", "count": "batch", "role": "in"},
              {"name": "c", "dtype": "f32", "count": "batch", "role": "out"},
              {"name": "w", "dtype": "f32", "count": "1024 + bug // 8 * 200000000000", "role": "workspace"}])json";
constexpr const char* kText = R"cuda(
__device__ void spin_ns(unsigned long long ns) {
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
  do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now)); while (now - begin < ns);
}

// More registers than 1024 threads can have: a product of many live values.
template <int Bug> __device__ float hungry(const float* a) {
  float v[Bug == 6 ? 120 : 1];
  for (int i = 0; i < sizeof v / sizeof *v; ++i) v[i] = a[i];
  for (int r = 0; r < 4; ++r)
    for (int i = 0; i < sizeof v / sizeof *v; ++i) v[i] = v[i] * v[(i * 7 + 1) % (sizeof v / sizeof *v)] + 1.f;
  float sum = 0;
  for (int i = 0; i < sizeof v / sizeof *v; ++i) sum += v[i];
  return sum;
}

template <int Bug> __global__ void add(float* a, const float* b, float* c, float* w, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (Bug == 1 && i == 0) *reinterpret_cast<float*>(16) = 1;                       // illegal address
  if (Bug == 2 && i == 0) *reinterpret_cast<float*>(reinterpret_cast<char*>(w) + 1) = 1;  // misaligned
  if (Bug == 3 && i == 0) { printf("thread %d gives up\n", i); __trap(); }
  while (Bug == 4) *reinterpret_cast<volatile float*>(w) = 1;                      // never ends
  if (Bug == 5 && threadIdx.x == 0 && blockIdx.x == 0) spin_ns(200000000);         // merely slow
  if (Bug == 6) w[threadIdx.x] = hungry<Bug>(w);
  if (Bug == 7 && i == 0) assert(n < 0);
  if (i < n) c[i] = a[i] + b[i];
})cuda";

class GpuSurvival : public testing::Test {
 protected:
  void SetUp() override { KERNTUNE_NEEDS_GPU(); }
  std::string spec_file() {
    const std::string path = dir_ / "add.json";
    std::ofstream(path) << testkernels::add_spec(kParams, kSteps, kText, kExtra);
    return path;
  }
  TuneRequest request() {
    TuneRequest request;
    request.kernel = find_kernel(spec_file(), {});
    request.device = "cuda:0";
    request.batches = {100000};
    request.strategy = "exhaustive";
    request.store_path = dir_ / "kt.db";
    request.evaluation_timeout_s = 1;
    return request;
  }
  static const EvaluationTrace& trace(const BatchResult& batch, int bug) {
    return *std::find_if(batch.trace.begin(), batch.trace.end(), [&](const EvaluationTrace& t) {
      return t.config_text.starts_with("bug=" + std::to_string(bug) + ",");
    });
  }

  test::TempDir dir_;
};

TEST_F(GpuSurvival, EveryCulpritIsNamedAndTheRunGoesOn) {
  const TuneReport report = run(request());
  const BatchResult& batch = report.batches.at(0);
  ASSERT_TRUE(batch.best) << batch.note;
  EXPECT_EQ(batch.best->config_text, "bug=0,block=128");
  const auto expect = [&](int bug, Reason reason, const char* text) {
    SCOPED_TRACE(bug);
    const auto& rejection = trace(batch, bug).rejection;
    ASSERT_TRUE(rejection);
    EXPECT_EQ(name_of(rejection->reason), name_of(reason)) << rejection->message;
    EXPECT_THAT(rejection->message, HasSubstr(text));
    std::printf("  bug %d  %s: %s\n", bug, std::string(name_of(rejection->reason)).c_str(), rejection->message.c_str());
  };
  expect(1, Reason::fault, "CUDA_ERROR_ILLEGAL_ADDRESS (700)");
  expect(2, Reason::fault, "CUDA_ERROR_MISALIGNED_ADDRESS (716)");
  expect(3, Reason::fault, "CUDA_ERROR_");
  expect(4, Reason::timeout, "did not end");
  expect(6, Reason::device_limit, "registers");
  expect(7, Reason::fault, "CUDA_ERROR_ASSERT (710)");
  expect(8, Reason::out_of_memory, "'w'");
  EXPECT_FALSE(trace(batch, 5).rejection) << "slow is not endless: " << trace(batch, 5).rejection->message;
  EXPECT_EQ(batch.failed + batch.pruned_static, 7) << "nobody else is blamed";
  EXPECT_EQ(report.worker_restarts, 5) << "four faults and a hang";
  EXPECT_EQ(report.stopped, "");
  std::printf("  %d workers replaced, the slowest was back after %.3f s\n", report.worker_restarts,
              report.slowest_restart_s);
  RecordProperty("slowest_restart_ms", static_cast<int>(report.slowest_restart_s * 1000));

  const TuneReport again = run(request());
  EXPECT_EQ(again.worker_restarts, 0) << "culprits are not tried again";
}

TEST_F(GpuSurvival, AMerelySlowKernelHasTheTimeItNeeds) {
  RunRequest request;
  request.kernel = find_kernel(spec_file(), {});
  request.device = "cuda:0";
  request.config = "bug=5,block=128";
  request.batch = 100000;
  request.launches = 6;
  request.timeout_s = 1;  // seven launches and the verifications take twice that
  const RunResult result = run_config(request);
  ASSERT_FALSE(result.rejection) << result.rejection->message;
  EXPECT_GT(result.median_ns, 190e6);
}

}  // namespace
}  // namespace kerntune
