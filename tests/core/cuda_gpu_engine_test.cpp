// SPDX-License-Identifier: Apache-2.0
// The engine's own kernels on a GPU.
#include <fmt/format.h>

#include <cstring>

#include "cuda/context.hpp"
#include "cuda/device_memory.hpp"
#include "cuda/engine_kernels.hpp"
#include "cuda_gpu_fixture.hpp"
#include "measure/compare.hpp"
#include "measure/fill.hpp"

namespace kerntune::cuda {
namespace {

constexpr DType kTypes[] = {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i8,
                            DType::u8,  DType::i32, DType::u32, DType::i64,  DType::u64};

class GpuEngine : public Gpu {
 protected:
  static Context& context() {
    static Context once(*driver_api(), 0);
    return once;
  }
  static EngineKernels& kernels() {
    static EngineKernels once(context(), compile_engine_kernels(device().info().arch));
    return once;
  }

  static std::vector<unsigned char> on_host(DType type, const Fill& fill, std::uint64_t count, std::uint64_t seed,
                                            unsigned buffer) {
    std::vector<unsigned char> bytes(count * size_of(type));
    fill_host(type, bytes.data(), count, fill, seed, buffer);
    return bytes;
  }
  static std::vector<unsigned char> on_device(DType type, const Fill& fill, std::uint64_t count, std::uint64_t seed,
                                              unsigned buffer) {
    std::vector<unsigned char> bytes(count * size_of(type));
    const DeviceMemory memory(context(), bytes.size(), "a test");
    kernels().fill({memory.address(), count, type}, fill::params_for(type, fill, seed, buffer));
    context().check(context().api().copy_to_host(bytes.data(), memory.address(), bytes.size(), context().stream()),
                    "read back");
    context().synchronize("read back");
    return bytes;
  }
  static void upload(const DeviceMemory& memory, const std::vector<unsigned char>& bytes) {
    context().check(context().api().copy_to_device(memory.address(), bytes.data(), bytes.size(), context().stream()),
                    "upload");
  }
};

TEST_F(GpuEngine, FillsEqualTheHostsBitForBit) {
  const std::vector<std::pair<const char*, Fill>> fills{{"zero", {Fill::Kind::zero, 1, 2}},
                                                        {"constant", {Fill::Kind::constant, 0.1, 0}},
                                                        {"uniform", {Fill::Kind::uniform, -1, 1}},
                                                        {"wide uniform", {Fill::Kind::uniform, -1e30, 1e30}},
                                                        {"tiny uniform", {Fill::Kind::uniform, 0, 1e-7}},
                                                        {"dice", {Fill::Kind::uniform, 1, 6}},
                                                        {"normal", {Fill::Kind::normal, 3, 40}},
                                                        {"iota", {Fill::Kind::iota, -5, 0}}};
  constexpr std::uint64_t kCount = 100003;
  for (const DType type : kTypes)
    for (const auto& [name, fill] : fills) {
      SCOPED_TRACE(fmt::format("{} of {}", name, name_of(type)));
      const auto host = on_host(type, fill, kCount, 42, 3), gpu = on_device(type, fill, kCount, 42, 3);
      const auto [at_host, at_gpu] = std::ranges::mismatch(host, gpu);
      if (at_host == host.end()) continue;
      const auto element = static_cast<std::size_t>(at_host - host.begin()) / size_of(type);
      std::uint64_t host_bits = 0, gpu_bits = 0;
      std::memcpy(&host_bits, host.data() + element * size_of(type), size_of(type));
      std::memcpy(&gpu_bits, gpu.data() + element * size_of(type), size_of(type));
      ADD_FAILURE() << fmt::format("element {}: the host has bits {:#x}, the device {:#x}", element, host_bits,
                                   gpu_bits);
    }
}

TEST_F(GpuEngine, CheckFindsOneChangedElement) {
  const Fill fill{Fill::Kind::uniform, 0, 1};
  constexpr std::uint64_t kCount = 1'000'000;
  auto bytes = on_host(DType::f32, fill, kCount, 5, 0);
  const DeviceMemory memory(context(), bytes.size(), "a test");
  upload(memory, bytes);
  const Elements elements{memory.address(), kCount, DType::f32};
  EXPECT_EQ(kernels().check_fill(elements, fill::params_for(DType::f32, fill, 5, 0)).count, 0u);
  const std::uint64_t digest = kernels().digest(elements);
  bytes[4 * 777777] ^= 1;
  upload(memory, bytes);
  const CheckResult found = kernels().check_fill(elements, fill::params_for(DType::f32, fill, 5, 0));
  EXPECT_EQ(found.count, 1u);
  EXPECT_EQ(found.first, 777777u);
  EXPECT_NE(kernels().digest(elements), digest);
}

TEST_F(GpuEngine, ComparesEveryType) {
  constexpr std::uint64_t kCount = 50001;
  for (const DType type : kTypes) {
    SCOPED_TRACE(name_of(type));
    const Fill fill{Fill::Kind::uniform, 1, 100};
    auto bytes = on_host(type, fill, kCount, 1, 0);
    const DeviceMemory expected(context(), bytes.size(), "a test"), got(context(), bytes.size(), "a test");
    upload(expected, bytes);
    bytes[(kCount - 1) * size_of(type)] ^= 1;  // the last bit of the last element
    bytes[1234 * size_of(type)] ^= 1;
    upload(got, bytes);
    const compare::Tally exact = kernels().compare({got.address(), kCount, type}, expected.address(), {}, ~0ull);
    EXPECT_EQ(exact.wrong, 2u);
    EXPECT_EQ(exact.first_wrong, 1234u);
    EXPECT_GT(exact.max_abs, 0);
    const auto on_device = comparison_of(exact, kCount);
    const auto original = on_host(type, fill, kCount, 1, 0);
    const auto on_the_host = compare_host(type, bytes.data(), original.data(), kCount, {}, ~0ull);
    EXPECT_EQ(on_device.max_abs_error, on_the_host.max_abs_error);
    EXPECT_EQ(on_device.max_rel_error, on_the_host.max_rel_error);
    EXPECT_EQ(on_device.worst, on_the_host.worst);
    EXPECT_NEAR(on_device.rel_l2_error, on_the_host.rel_l2_error, 1e-9 * on_the_host.rel_l2_error);
    EXPECT_NEAR(on_device.cosine, on_the_host.cosine, 1e-12);
    const compare::Tally loose = kernels().compare({got.address(), kCount, type}, expected.address(), {1, 0.01}, ~0ull);
    EXPECT_EQ(loose.wrong, 0u);
  }
}

TEST_F(GpuEngine, DescribesTheDevice) {
  const DeviceInfo& info = device().info();
  std::printf("  %s, %s, driver %s\n  class %s\n  copy %.0f GB/s, %.1f TFLOP/s f32, %.1f GiB\n", info.name.c_str(),
              info.arch.c_str(), info.driver.c_str(), info.device_class.c_str(), info.peak_bytes_per_s / 1e9,
              info.peak_flop_per_s_f32 / 1e12, static_cast<double>(info.memory_bytes) / (1 << 30));
  EXPECT_EQ(info.id, "cuda:0");
  EXPECT_GT(info.peak_bytes_per_s, 50e9);
  EXPECT_LT(info.peak_bytes_per_s, 50e12);
  EXPECT_GT(info.peak_flop_per_s_f32, 1e12);
  EXPECT_THAT(info.uuid, testing::StartsWith("GPU-"));
  EXPECT_THAT(info.driver, testing::MatchesRegex("1[2-9]\\.[0-9]+.*"));
}

}  // namespace
}  // namespace kerntune::cuda
