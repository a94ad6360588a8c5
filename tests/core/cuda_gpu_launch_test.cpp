// SPDX-License-Identifier: Apache-2.0
// Every kind of launch that a spec can ask for, on a GPU. Each kernel computes c = a + b only if the launch was as
// asked.
#include "cuda_gpu_fixture.hpp"

namespace kerntune::cuda {
namespace {

using testing::HasSubstr;

constexpr const char* kArguments =
    R"("args": [{"buffer": "a"}, {"buffer": "b"}, {"buffer": "c"}, {"scalar": "i32", "value": "batch"}])";

std::string launch_step(const std::string& entry, const std::string& grid, const std::string& more = "") {
  return R"([{"kind": "launch", "entry": ")" + entry + R"(", "grid": [")" + grid + "\"]" + more + ", " + kArguments +
         "}]";
}

class GpuLaunch : public Gpu {};

TEST_F(GpuLaunch, GivesDynamicSharedMemoryBeyond48KiB) {
  use_add(R"([{"name": "block", "values": [256], "default": 256, "role": "block_x"},
              {"name": "smem", "values": [0, 49152, 100000, 200000], "default": 0, "role": "dynamic_shared"}])",
          launch_step("add", "ceil_div(batch, block)"), R"cuda(
extern __shared__ float tile[];
extern "C" __global__ void add(const float* a, const float* b, float* c, int n) {
  unsigned bytes;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned slot = bytes >= 49152 ? bytes / 4 - 256 + threadIdx.x : 0;   // the far end
  if (bytes >= 49152) tile[slot] = i < n ? b[i] : 0;
  __syncthreads();
  if (i < n) c[i] = a[i] + (bytes >= 49152 ? tile[slot] : b[i]);
})cuda");
  open(1000);
  for (const char* config :
       {"block=256,smem=200000", "block=256,smem=0", "block=256,smem=49152", "block=256,smem=100000"}) {
    SCOPED_TRACE(config);
    EXPECT_EQ(verdict(config), "");
  }
  EXPECT_EQ(prepare("block=256,smem=100000")->facts().at("dynamic_shared_bytes"), 100000);
}

TEST_F(GpuLaunch, RejectsMoreSharedMemoryThanThereIs) {
  use_add(R"([{"name": "block", "values": [256], "default": 256, "role": "block_x"},
              {"name": "smem", "values": [0, 300000], "default": 0, "role": "dynamic_shared"}])",
          launch_step("add", "ceil_div(batch, block)"), testkernels::kAddText);
  open(1000);
  EXPECT_THAT(verdict("block=256,smem=300000"),
              HasSubstr("device_limit: launch 'add': 300000 bytes of shared memory (0 static, 300000 dynamic)"));
  EXPECT_EQ(verdict("block=256,smem=0"), "");
}

TEST_F(GpuLaunch, SetsTheCarveOut) {
  use_add(R"([{"name": "block", "values": [256], "default": 256, "role": "block_x"},
              {"name": "smem", "values": [20000], "default": 20000, "role": "dynamic_shared"},
              {"name": "carve", "values": [-1, 0, 100], "default": -1, "role": "carveout"}])",
          launch_step("add", "ceil_div(batch, block)"), testkernels::kAddText);
  open(1000);
  for (const char* config : {"carve=0", "carve=100", "carve=-1"}) {
    SCOPED_TRACE(config);
    EXPECT_EQ(verdict(config), "");
    const auto prepared = prepare(config);
    std::printf("  %s: blocks_per_sm %.0f, occupancy %.2f\n", config, prepared->facts().at("blocks_per_sm"),
                prepared->facts().at("occupancy"));
  }
}

TEST_F(GpuLaunch, LaunchesClusters) {
  if (compute_capability() < 90) GTEST_SKIP() << "clusters need compute capability 9.0";
  use_add(R"([{"name": "block", "values": [64], "default": 64, "role": "block_x"},
              {"name": "cluster", "values": [1, 2, 4, 8, 16], "default": 1, "role": "cluster_x"}])",
          launch_step("add<{cluster}>", "ceil_div(batch, block)"), R"cuda(
template <unsigned Size> __global__ void add(const float* a, const float* b, float* c, int n) {
  unsigned size;
  asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(size));
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = size == Size ? a[i] + b[i] : 1000.0f + size;
})cuda");
  session_dims["batch"] = 1024;
  open(1024);
  for (const char* config : {"cluster=16", "cluster=1", "cluster=2", "cluster=4", "cluster=8"}) {
    SCOPED_TRACE(config);
    EXPECT_EQ(verdict(config), "");
  }
  open(1000 * 64);
  EXPECT_THAT(verdict("cluster=16"), HasSubstr("which does not divide the grid's 1000 blocks"));
}

TEST_F(GpuLaunch, RunsCooperativeGridsAndMemsetSteps) {
  use_add(
      R"([{"name": "block", "values": [256], "default": 256, "role": "block_x"},
              {"name": "blocks", "values": [1, 64, 100000], "default": 64, "role": "grid_x"},
              {"name": "coop", "values": [true], "default": true, "role": "cooperative"}])",
      R"json([{"kind": "memset", "buffer": "arrived"}, {"kind": "launch", "entry": "add",
            "args": [{"buffer": "a"}, {"buffer": "b"}, {"buffer": "c"}, {"buffer": "w"}, {"buffer": "arrived"}, {"scalar": "i32", "value": "batch"}]}])json",
      R"cuda(
extern "C" __global__ void add(const float* a, const float* b, float* c, volatile float* w, unsigned* arrived, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) w[n - 1 - i] = a[i] + b[i];
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1);                                      // counts from what the memset step left
    while (atomicAdd(arrived, 0) < gridDim.x) {}
  }
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) c[i] = w[n - 1 - i];
})cuda",
      R"json(, "buffers": [{"name": "a", "dtype": "f32", "count": "batch", "role": "in"}, {"name": "b", "dtype": "f32", "count": "batch", "role": "in"},
            {"name": "c", "dtype": "f32", "count": "batch", "role": "out"}, {"name": "w", "dtype": "f32", "count": "batch", "role": "workspace"},
            {"name": "arrived", "dtype": "u32", "count": 1, "role": "workspace"}])json");
  session_dims["batch"] = 100000;
  open(100000);
  EXPECT_EQ(verdict("blocks=64"), "");
  EXPECT_EQ(verdict("blocks=1"), "");
  EXPECT_THAT(verdict("blocks=100000"), HasSubstr("a cooperative grid of 100000 blocks"));
  auto prepared = prepare("blocks=64");
  EXPECT_GT(median_ns(*prepared), 0) << "the memset belongs to every timed run, else the second hangs or is wrong";
}

TEST_F(GpuLaunch, SetsConstantSymbols) {
  use_add(
      testkernels::kAddParams, launch_step("add", "ceil_div(batch, block)"), R"cuda(
__constant__ float one;
__constant__ float table[16];
extern "C" __global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = one * a[i] + (i >= n - 16 ? table[i - (n - 16)] : b[i]);
})cuda",
      R"json(, "symbols": [{"symbol": "one", "scalar": "f32", "value": "1.0"}, {"symbol": "table", "buffer": "b", "offset": "batch - 16"}])json");
  open(1000);
  EXPECT_EQ(verdict("block=64", 1), "");
  EXPECT_EQ(verdict("block=128", 2), "") << "a symbol was not set anew after the buffer it comes from changed";
}

TEST_F(GpuLaunch, PassesTensorMaps) {
  if (compute_capability() < 90) GTEST_SKIP() << "tensor maps need compute capability 9.0";
  use_add(R"([{"name": "block", "values": [256], "default": 256, "role": "block_x"}])",
          R"json([{"kind": "launch", "entry": "add", "grid": ["batch // 256"], "args": [
            {"tensor_map": "a", "dims": ["64", "batch // 64"], "strides": ["256"], "box": ["64", "4"]},
            {"buffer": "b"}, {"buffer": "c"}, {"scalar": "i32", "value": "batch"}]}])json",
          R"cuda(
struct alignas(64) TensorMap { char bytes[128]; };
extern "C" __global__ void add(const __grid_constant__ TensorMap map, const float* b, float* c, int n) {
  __shared__ alignas(128) float tile[256];
  __shared__ alignas(8) unsigned long long barrier;
  unsigned tile_at = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  unsigned barrier_at = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(barrier_at));
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;" :: "r"(barrier_at) : "memory");
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 :: "r"(tile_at), "l"(&map), "r"(0), "r"(static_cast<int>(blockIdx.x) * 4), "r"(barrier_at) : "memory");
  }
  __syncthreads();
  unsigned done = 0;
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(barrier_at) : "memory");
  int i = blockIdx.x * 256 + threadIdx.x;
  c[i] = tile[threadIdx.x] + b[i];
})cuda");
  session_dims["batch"] = 25600;
  open(25600);
  EXPECT_EQ(verdict("block=256"), "");
}

TEST_F(GpuLaunch, RejectsATensorMapThatTheDriverRefuses) {
  if (compute_capability() < 90) GTEST_SKIP() << "tensor maps need compute capability 9.0";
  use_add(R"([{"name": "block", "values": [256], "default": 256, "role": "block_x"}])",
          R"json([{"kind": "launch", "entry": "add", "grid": ["batch // 256"], "args": [
            {"tensor_map": "a", "dims": ["64", "batch // 64"], "strides": ["256"], "box": ["3", "4"]},
            {"buffer": "b"}, {"buffer": "c"}, {"scalar": "i32", "value": "batch"}]}])json",
          R"cuda(
struct alignas(64) TensorMap { char bytes[128]; };
extern "C" __global__ void add(const __grid_constant__ TensorMap map, const float* b, float* c, int n) { c[0] = map.bytes[0] + b[0] + n; })cuda");
  open(25600);
  EXPECT_THAT(
      verdict("block=256"),
      HasSubstr("encode a tensor map of 'add' (f32 dims [64, 400], strides [256] bytes, box [3, 4], swizzle none)"));
}

TEST_F(GpuLaunch, FactsAgreeWithTheCompiler) {
  use_add(testkernels::kAddParams, launch_step("add", "ceil_div(batch, block)"), R"cuda(
extern "C" __global__ void add(const float* a, const float* b, float* c, int n) {
  __shared__ float tile[128];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? a[i] : 0;
  __syncthreads();
  if (i < n) c[i] = tile[threadIdx.x] + b[i];
})cuda");
  open(1000);
  const CompiledModule module = compile("block=128");
  auto prepared = session->prepare(testkernels::config_of(kernel, "block=128"), {module});
  ASSERT_TRUE(prepared) << prepared.error().message;
  const Facts& facts = (*prepared)->facts();
  EXPECT_EQ(facts.at("regs"), static_cast<double>(module.entries.at("add").regs));
  // From compute capability 8.0 on the driver keeps 1 KiB of shared memory per block; it is not among the kernel's.
  EXPECT_EQ(facts.at("static_shared_bytes"), 512);
  EXPECT_EQ(facts.at("threads_per_block"), 128);
  EXPECT_EQ(facts.at("blocks"), 8);
  EXPECT_GE(facts.at("blocks_per_sm"), 8);
  EXPECT_GT(facts.at("occupancy"), 0.4);
  EXPECT_LE(facts.at("occupancy"), 1);
}

TEST_F(GpuLaunch, GridsMayReadBlocksPerSm) {
  use_add(testkernels::kAddParams, launch_step("add", "min(ceil_div(batch, block), sm_count * blocks_per_sm)"), R"cuda(
extern "C" __global__ void add(const float* a, const float* b, float* c, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) c[i] = a[i] + b[i];
})cuda");
  session_dims["batch"] = 10'000'000;
  open(10'000'000);
  EXPECT_EQ(verdict("block=128"), "");
  const Facts facts = prepare("block=128")->facts();
  EXPECT_EQ(facts.at("blocks"), facts.at("blocks_per_sm") * static_cast<double>(device().info().properties.sm_count));
  EXPECT_EQ(facts.at("waves"), 1);
}

}  // namespace
}  // namespace kerntune::cuda
