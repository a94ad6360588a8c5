// SPDX-License-Identifier: Apache-2.0
// Random configurations of the CUDA kernels go through NVRTC, for an architecture with everything and for one without
// cp.async. KERNTUNE_COMPILE_SAMPLES sets how many of sgemm's are tried (25).
#include <cstdlib>
#include <set>
#include <string>
#include <variant>

#include <gtest/gtest.h>

#include <kerntune/core/compile.hpp>
#include <kerntune/search/rng.hpp>

#include "kernels_support.hpp"

namespace {

using kernels_test::h200;
using kernels_test::Kernel;
using kernels_test::turing;
using kerntune::CompileJob;
using kerntune::CompilePlan;
using kerntune::DeviceProperties;
using kerntune::SourceCode;

CompileJob job(const SourceCode& code, const CompilePlan& plan, const std::string& arch) {
  CompileJob made;
  made.file = code.file;
  made.source = code.text;
  made.options = plan.options;
  made.entries = plan.entries;
  made.arch = arch;
  made.register_cap = plan.register_cap;
  return made;
}

class KernelCompile : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    if (kerntune::nvrtc::version(&why).empty()) GTEST_SKIP() << why;
  }

  /// Compiles `samples` random applicable configurations. Spilling a few registers may pay; a kilobyte is a
  /// configuration that the constraints should have excluded.
  static void compile_samples(const std::string& name, int samples, const DeviceProperties& device) {
    const Kernel kernel(name);
    const auto& code = std::get<SourceCode>(kernel.program.spec().code);
    const auto dims = kernel.program.complete_dims({});
    kerntune::search::Rng rng(2024);
    while (samples > 0) {
      const auto config = kernel.program.space().sample(rng);
      const auto binding = kernel.program.bind(config, dims, device);
      if (!kernel.program.applicable(*binding)) continue;
      --samples;
      const auto plan = kernel.program.compile_plan(*binding);
      ASSERT_TRUE(plan.has_value()) << plan.error().message;
      const auto module = kerntune::nvrtc::compile(job(code, *plan, "sm_" + std::to_string(device.compute_capability)));
      ASSERT_TRUE(module.has_value()) << kernel.program.space().text(config) << '\n' << module.error().message;
      for (const auto& [entry, facts] : module->entries) {
        EXPECT_LE(facts.spill_store_bytes, 1024) << kernel.program.space().text(config);
        EXPECT_LE(facts.static_shared_bytes, device.shared_per_block) << kernel.program.space().text(config);
      }
    }
  }
};

int sgemm_samples() {
  const char* text = std::getenv("KERNTUNE_COMPILE_SAMPLES");
  return text == nullptr ? 25 : std::atoi(text);
}

TEST_F(KernelCompile, SgemmOnHopper) { compile_samples("sgemm", sgemm_samples(), h200()); }
TEST_F(KernelCompile, SgemmOnTuring) { compile_samples("sgemm", 5, turing()); }
TEST_F(KernelCompile, RowSoftmax) { compile_samples("row_softmax", 10, h200()); }
TEST_F(KernelCompile, SplitReduce) { compile_samples("split_reduce", 6, h200()); }
TEST_F(KernelCompile, Copy) { compile_samples("copy", 6, h200()); }
TEST_F(KernelCompile, Transpose) { compile_samples("transpose", 6, h200()); }

TEST_F(KernelCompile, SgemmReference) {
  const Kernel kernel("sgemm");
  const auto& code = kernel.program.spec().reference.kernel->code;
  const auto binding = kernel.program.bind_dims(kernel.program.complete_dims({}), h200());
  const auto plan = kernel.program.reference_compile_plan(binding);
  ASSERT_TRUE(plan.has_value()) << plan.error().message;
  const auto module = kerntune::nvrtc::compile(job(code, *plan, "sm_90"));
  EXPECT_TRUE(module.has_value()) << module.error().message;
}

TEST_F(KernelCompile, DifferentSgemmConfigurationsAreDifferentBinaries) {
  const Kernel kernel("sgemm");
  const auto& code = std::get<SourceCode>(kernel.program.spec().code);
  const std::string common = "block_m=64,block_n=64,block_k=16,thread_m=4,thread_n=4,min_blocks=0,split_k=1,";
  std::set<std::string> digests;
  for (const char* rest :
       {"mapping=blocked,vec=1,stages=1,pad=0,group_m=1", "mapping=warp_tiled,vec=1,stages=1,pad=0,group_m=1",
        "mapping=blocked,vec=4,stages=1,pad=0,group_m=1", "mapping=blocked,vec=1,stages=2,pad=0,group_m=1",
        "mapping=blocked,vec=1,stages=3,pad=0,group_m=1", "mapping=blocked,vec=1,stages=1,pad=4,group_m=1",
        "mapping=blocked,vec=1,stages=1,pad=0,group_m=8"}) {
    const auto binding = kernel.program.bind(kernel.config(common + rest), kernel.program.complete_dims({}), h200());
    const auto module = kerntune::nvrtc::compile(job(code, *kernel.program.compile_plan(*binding), "sm_90"));
    ASSERT_TRUE(module.has_value()) << module.error().message;
    digests.insert(module->cubin_digest);
  }
  EXPECT_EQ(digests.size(), 7U);
}

}  // namespace
