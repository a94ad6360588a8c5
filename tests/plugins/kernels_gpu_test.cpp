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

// docs/kernels.md, "Sizes worth testing", says why these.
INSTANTIATE_TEST_SUITE_P(
    OddSizes, KernelOnGpu,
    testing::Values(
        Case{"sgemm", {{"batch", 1}, {"n", 1}, {"k", 1}}}, Case{"sgemm", {{"batch", 17}, {"n", 33}, {"k", 5}}},
        Case{"sgemm", {{"batch", 129}, {"n", 260}, {"k", 68}}},
        Case{"sgemm", {{"batch", 257}, {"n", 511}, {"k", 1023}}},
        Case{"sgemm", {{"batch", 64}, {"n", 4100}, {"k", 4092}}},
        Case{"sgemm", {{"batch", 1153}, {"n", 1028}, {"k", 36}}}, Case{"row_softmax", {{"batch", 1}, {"cols", 1}}},
        Case{"row_softmax", {{"batch", 7}, {"cols", 31}}}, Case{"row_softmax", {{"batch", 13}, {"cols", 1028}}},
        Case{"row_softmax", {{"batch", 9}, {"cols", 8192}}}, Case{"row_softmax", {{"batch", 3}, {"cols", 50257}}},
        Case{"split_reduce", {{"batch", 1}, {"n", 1}}}, Case{"split_reduce", {{"batch", 5}, {"n", 63}}},
        Case{"split_reduce", {{"batch", 33}, {"n", 65540}}}, Case{"copy", {{"batch", 1}, {"n", 1}}},
        Case{"copy", {{"batch", 3}, {"n", 262148}}}, Case{"transpose", {{"batch", 1}, {"n", 1}}},
        Case{"transpose", {{"batch", 33}, {"n", 65}}}, Case{"transpose", {{"batch", 1028}, {"n", 516}}}),
    name_of);

}  // namespace
