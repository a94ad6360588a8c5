// SPDX-License-Identifier: Apache-2.0
// Every CUDA kernel on a device: random configurations at sizes that fit no tile are verified as the tuner verifies
// them. KERNTUNE_GPU_SAMPLES sets how many per size (12).
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include <kerntune/core/compile.hpp>
#include <kerntune/core/device.hpp>
#include <kerntune/search/rng.hpp>

#include "kernels_support.hpp"

namespace {

using kernels_test::Kernel;
using kerntune::CompiledModule;
using kerntune::CompilePlan;
using kerntune::Dims;
using kerntune::Rejection;
using kerntune::SourceCode;

struct Case {
  const char* kernel;
  Dims dims;
};

std::string name_of(const testing::TestParamInfo<Case>& instance) {
  std::string name = instance.param.kernel;
  for (const auto& [dim, size] : instance.param.dims) name += "_" + dim + std::to_string(size);
  return name;
}

class KernelOnGpu : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    for (const auto& found : kerntune::list_devices().devices) {
      if (found.kind == kerntune::DeviceKind::cuda) device_id_ = found.id;
      if (!device_id_.empty()) break;
    }
    if (!device_id_.empty()) return;
    const char* required = std::getenv("KERNTUNE_REQUIRE_GPU");
    if (required != nullptr && std::string(required) == "1")
      FAIL() << "KERNTUNE_REQUIRE_GPU=1 and there is no CUDA device";
    GTEST_SKIP() << "no CUDA device";
  }

  static tl::expected<std::vector<CompiledModule>, Rejection> compile(const SourceCode& code, const CompilePlan& plan,
                                                                      const std::string& arch) {
    kerntune::CompileJob job;
    job.file = code.file;
    job.source = code.text;
    job.options = plan.options;
    job.entries = plan.entries;
    job.arch = arch;
    job.register_cap = plan.register_cap;
    auto module = kerntune::nvrtc::compile(job);
    if (!module) return tl::unexpected(module.error());
    return std::vector<CompiledModule>{std::move(*module)};
  }

  static int samples() {
    const char* text = std::getenv("KERNTUNE_GPU_SAMPLES");
    return text == nullptr ? 12 : std::atoi(text);
  }

  std::string device_id_;
};

TEST_P(KernelOnGpu, IsRightInRandomConfigurations) {
  const auto kernel = std::make_shared<const Kernel>(GetParam().kernel);
  const std::shared_ptr<const kerntune::SpecProgram> program(kernel, &kernel->program);
  const auto& code = std::get<SourceCode>(program->spec().code);
  const auto device = kerntune::open_device(device_id_);
  const auto& info = device->info();

  kerntune::SessionRequest request;
  request.program = program;
  request.dims = program->complete_dims(GetParam().dims);
  request.seeds = {5};
  if (const auto& reference = program->spec().reference.kernel) {
    const auto binding = program->bind_dims(request.dims, info.properties);
    request.reference_modules = compile(reference->code, *program->reference_compile_plan(binding), info.arch).value();
  }
  auto session = device->open(request, &kernel->plugin());
  ASSERT_TRUE(session.has_value()) << session.error().message;

  kerntune::search::Rng rng(99);
  int verified = 0;
  for (int draw = 0; verified < samples() && draw < 2000; ++draw) {
    const auto config = draw == 0 ? program->default_config() : program->space().sample(rng);
    SCOPED_TRACE(program->space().text(config));
    const auto binding = program->bind(config, request.dims, info.properties);
    if (!program->applicable(*binding)) continue;
    const auto modules = compile(code, *program->compile_plan(*binding), info.arch);
    ASSERT_TRUE(modules.has_value()) << modules.error().message;
    auto prepared = (*session)->prepare(config, *modules);
    ASSERT_TRUE(prepared.has_value()) << prepared.error().message;
    const auto result = (*session)->verify(**prepared, 5);
    ASSERT_TRUE(result.has_value()) << result.error().message;
    ++verified;
  }
  EXPECT_GT(verified, 0);
}

Case sgemm(std::int64_t batch, std::int64_t n, std::int64_t k) {
  return {"sgemm", {{"batch", batch}, {"n", n}, {"k", k}}};
}
Case softmax(std::int64_t batch, std::int64_t cols) { return {"row_softmax", {{"batch", batch}, {"cols", cols}}}; }
Case reduce(std::int64_t batch, std::int64_t n) { return {"split_reduce", {{"batch", batch}, {"n", n}}}; }
Case transpose(std::int64_t batch, std::int64_t n) { return {"transpose", {{"batch", batch}, {"n", n}}}; }
Case copy(std::int64_t batch, std::int64_t n) { return {"copy", {{"batch", batch}, {"n", n}}}; }

// docs/kernels.md, "Sizes worth testing", says what each is for.
INSTANTIATE_TEST_SUITE_P(Sgemm, KernelOnGpu,
                         testing::Values(sgemm(1, 1, 1), sgemm(17, 33, 5), sgemm(129, 257, 9), sgemm(65, 260, 68),
                                         sgemm(127, 255, 31), sgemm(257, 511, 1023), sgemm(129, 260, 68),
                                         sgemm(64, 4100, 4092), sgemm(128, 128, 4), sgemm(128, 128, 12),
                                         sgemm(64, 64, 20), sgemm(64, 256, 24), sgemm(33, 64, 8),
                                         sgemm(1153, 1028, 36)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Others, KernelOnGpu,
                         testing::Values(softmax(1, 1), softmax(7, 33), softmax(13, 1028), softmax(9, 8192),
                                         softmax(3, 50257), softmax(2, 131072), reduce(1, 1), reduce(5, 63),
                                         reduce(33, 65540), copy(1, 1), copy(3, 262148), transpose(1, 1),
                                         transpose(33, 65), transpose(63, 127), transpose(1028, 516)),
                         name_of);

}  // namespace
