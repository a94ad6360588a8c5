// SPDX-License-Identifier: Apache-2.0
// What the builder writes, read by the engine's own parser.
#include <cstdint>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kerntune/core/errors.hpp>
#include <kerntune/core/kernel_spec.hpp>
#include <kerntune/plugin/plugin.hpp>

namespace {

namespace sdk = kerntune::plugin;
using kerntune::KernelSpec;
using kerntune::parse_spec;
using testing::ElementsAre;

struct Nothing {
  explicit Nothing(const sdk::Call&) {}
  void launch() {}
};
void no_reference(const sdk::Call&) {}

sdk::Kernel everything() {
  using namespace kerntune::plugin;
  return kernel("conv")
      .revision("3")
      .summary("quotes \" and \\ and \xC3\xA4")
      .batch("batch", {.min = 2, .max = 4096, .def = 64})
      .dim("n", {.min = 1, .max = 100, .def = 10})
      .dim("k", 16)
      .param("block_x", {32, 64}, 64, Role::block_x, "threads")
      .param("tile", std::vector<int>{1, 2, 4}, 2, "outputs per thread")
      .param("fast", {true, false}, false)
      .param("scale", {0.5, 1.0}, 1.0)
      .param("math", {"fp32", "tf32"}, "fp32", Role::precision)
      .constraint("block_x * tile <= 128")
      .derived("total", "batch * n")
      .applicability("total % tile == 0")
      .in("x", DType::f16, "total", Fill::normal(0, 2), 512)
      .in("filter", DType::f32, "k", Fill::iota(1))
      .inout("y", DType::f32, "total", Fill::uniform(-1, 1))
      .out("z", DType::i64, 4)
      .workspace("scratch", DType::u8, "total * 4")
      .source({.file = "conv.cu",
               .text = "__global__ void conv() {}\n",
               .headers = {{"tile.cuh", "#define T 1\n"}},
               .options = {"--std=c++17"},
               .defines = {{"TILE", "tile"}, {"TWO", 2}},
               .register_cap = 64,
               .min_blocks_per_sm = "tile"})
      .memset("z", {.offset = 1, .count = 2, .byte = 255, .when = "fast"})
      .launch(
          "conv<{tile}>",
          {.grid = {"ceil_div(total, block_x)", 1},
           .block = {"block_x", 1, 1},
           .cluster = {1},
           .shared_bytes = "tile * 1024",
           .carveout = 50,
           .cooperative = false,
           .when = "n > 1",
           .args = {buffer("x"), buffer("y", "n"), scalar(DType::f32, 2.5),
                    tensor_map("x", {.dims = {"n", "batch"}, .strides = {"n * 2"}, .box = {8, 8}, .swizzle = "128B"})}})
      .symbol("filter", buffer("filter"))
      .symbol("count", scalar(DType::i32, "n"))
      .reference<no_reference>()
      .reference_kernel({.source = {.text = "__global__ void ref(float* y) {}"},
                         .steps = {Step::memset("y", {}), Step::launch("ref", {.grid = {"n"}, .args = {buffer("y")}})}})
      .check_dims({{"batch", 3}, {"n", 5}})
      .tolerance("y", {.abs = 1e-3, .rel = "1e-4 * n", .reason = "rounding"})
      .work({.flop = "2 * total", .bytes = "8 * total"});
}

KernelSpec parsed() { return parse_spec(everything().json(), "test"); }

TEST(SdkSpec, WritesNamesAndDims) {
  const KernelSpec spec = parsed();
  EXPECT_EQ(spec.name, "conv");
  EXPECT_EQ(spec.revision, "3");
  EXPECT_EQ(spec.summary, "quotes \" and \\ and \xC3\xA4");
  ASSERT_EQ(spec.dims.size(), 3U);
  EXPECT_EQ(spec.batch_dim().name, "batch");
  EXPECT_EQ(spec.batch_dim().min, 2);
  EXPECT_EQ(spec.batch_dim().max, 4096);
  EXPECT_EQ(spec.batch_dim().default_value, 64);
  EXPECT_EQ(spec.dims[2].default_value, 16);
}

TEST(SdkSpec, WritesParametersOfEveryKind) {
  using kerntune::expr::Literal;
  const KernelSpec spec = parsed();
  ASSERT_EQ(spec.params.size(), 5U);
  EXPECT_EQ(spec.params[0].role, kerntune::Role::block_x);
  EXPECT_EQ(spec.params[0].summary, "threads");
  EXPECT_THAT(spec.params[1].values,
              ElementsAre(Literal(std::int64_t{1}), Literal(std::int64_t{2}), Literal(std::int64_t{4})));
  EXPECT_THAT(spec.params[2].values, ElementsAre(Literal(true), Literal(false)));
  EXPECT_THAT(spec.params[3].values, ElementsAre(Literal(0.5), Literal(1.0)));
  EXPECT_EQ(spec.params[4].default_value, Literal(std::string("fp32")));
  EXPECT_EQ(spec.params[4].role, kerntune::Role::precision);
}

TEST(SdkSpec, WritesExpressionsAndBuffers) {
  const KernelSpec spec = parsed();
  EXPECT_THAT(spec.constraints, ElementsAre("block_x * tile <= 128"));
  EXPECT_THAT(spec.applicability, ElementsAre("total % tile == 0"));
  ASSERT_EQ(spec.buffers.size(), 5U);
  EXPECT_EQ(spec.buffers[0].dtype, kerntune::DType::f16);
  EXPECT_EQ(spec.buffers[0].alignment, "512");
  EXPECT_EQ(spec.buffers[0].fill.kind, kerntune::Fill::Kind::normal);
  EXPECT_EQ(spec.buffers[0].fill.b, 2);
  EXPECT_EQ(spec.buffers[2].role, kerntune::BufferRole::inout);
  EXPECT_EQ(spec.buffers[3].count, "4");
  EXPECT_EQ(spec.buffers[4].role, kerntune::BufferRole::workspace);
}

TEST(SdkSpec, WritesSourceCode) {
  const KernelSpec spec = parsed();
  const auto& code = std::get<kerntune::SourceCode>(spec.code);
  EXPECT_EQ(code.text, "__global__ void conv() {}\n");
  ASSERT_EQ(code.headers.size(), 1U);
  EXPECT_EQ(code.headers[0].text, "#define T 1\n");
  EXPECT_THAT(code.options, ElementsAre("--std=c++17"));
  ASSERT_EQ(code.defines.size(), 2U);
  EXPECT_EQ(code.defines[1].value, "2");
  EXPECT_EQ(code.register_cap, "64");
  EXPECT_EQ(code.min_blocks_per_sm, "tile");
}

TEST(SdkSpec, WritesStepsInOrder) {
  const KernelSpec spec = parsed();
  ASSERT_EQ(spec.steps.size(), 2U);
  const auto& memset = std::get<kerntune::MemsetStep>(spec.steps[0]);
  EXPECT_EQ(memset.byte, 255);
  EXPECT_EQ(memset.when, "fast");
  const auto& launch = std::get<kerntune::LaunchStep>(spec.steps[1]);
  EXPECT_EQ(launch.entry, "conv<{tile}>");
  EXPECT_EQ(launch.grid[0], "ceil_div(total, block_x)");
  EXPECT_EQ(launch.shared_bytes, "tile * 1024");
  ASSERT_EQ(launch.args.size(), 4U);
  EXPECT_EQ(std::get<kerntune::BufferArg>(launch.args[1]).offset, "n");
  EXPECT_EQ(std::get<kerntune::ScalarArg>(launch.args[2]).value, "2.5");
  EXPECT_EQ(std::get<kerntune::TensorMapArg>(launch.args[3]).swizzle, "128B");
}

TEST(SdkSpec, WritesSymbolsReferenceAndWork) {
  const KernelSpec spec = parsed();
  ASSERT_EQ(spec.symbols.size(), 2U);
  EXPECT_TRUE(std::holds_alternative<kerntune::BufferArg>(spec.symbols[0].value));
  EXPECT_TRUE(spec.reference.host);
  ASSERT_TRUE(spec.reference.kernel.has_value());
  EXPECT_EQ(spec.reference.kernel->steps.size(), 2U);
  EXPECT_EQ(spec.reference.check_dims.at("batch"), 3);
  ASSERT_EQ(spec.tolerances.size(), 1U);
  EXPECT_EQ(spec.tolerances[0].rel, "1e-4 * n");
  EXPECT_EQ(spec.work.bytes, "8 * total");
}

TEST(SdkSpec, WritesCallables) {
  const std::string json =
      sdk::kernel("call")
          .batch("batch", {.def = 4})
          .param("p", {1}, 1)
          .out("y", sdk::DType::f32, "batch")
          .callable<Nothing>({.runs = sdk::Runs::cuda, .revision = "2", .libraries = {{"cublasLt", "13.0"}}})
          .json();
  const KernelSpec spec = parse_spec(json, "test");
  const auto& code = std::get<kerntune::CallableCode>(spec.code);
  EXPECT_EQ(code.runs, kerntune::CallableCode::Runs::cuda);
  EXPECT_EQ(code.revision, "2");
  EXPECT_EQ(code.libraries.at("cublasLt"), "13.0");
  EXPECT_FALSE(spec.reference.any());
}

TEST(SdkSpec, RefusesCodeGivenTwice) {
  sdk::Kernel kernel = sdk::kernel("twice").callable<Nothing>({});
  EXPECT_THROW(kernel.source({.text = ""}), std::logic_error);
}

TEST(SdkSpec, LeavesMistakesToTheParserWhichNamesThePlace) {
  const std::string json =
      sdk::kernel("typo").batch("batch", {}).param("p", {1}, 1).constraint("q < 2").callable<Nothing>({}).json();
  EXPECT_THROW(parse_spec(json, "test"), kerntune::SpecError);
}

}  // namespace
