// SPDX-License-Identifier: Apache-2.0
// Configurations of equal machine code share a result only if everything else that a run depends on is equal too.
#include "engine/static_filter.hpp"

#include <gtest/gtest.h>

namespace kerntune {
namespace {

/// One kernel `k` over buffer c, with a parameter `p` of 0 and 1 and what a test adds.
TuningContext context_of(const std::string& buffers, const std::string& steps, const std::string& more = "") {
  const std::string json = R"({"kerntune_spec": 1, "name": "k", "dims": [{"name": "batch", "batch": true}],
    "params": [{"name": "p", "values": [0, 1], "default": 0}], "buffers": [)" +
                           buffers + R"(],
    "code": {"kind": "source", "text": "x"}, "steps": [)" +
                           steps + "]" + more + "}";
  TuningContext context;
  context.program = std::make_shared<SpecProgram>(parse_spec(json, "test"));
  context.device.kind = DeviceKind::cuda;
  context.device.properties.max_threads_per_block = 1024;
  context.device.properties.shared_per_block_optin = 1 << 16;
  return context;
}

constexpr const char* kC = R"({"name": "c", "dtype": "f32", "count": "batch", "role": "out"})";
constexpr const char* kLaunch = R"({"kind": "launch", "entry": "k", "args": [{"buffer": "c"}]})";

/// True if both values of `p` count as the same work once they compile to the same code.
bool same_work(const TuningContext& context) {
  CompiledModule module;
  module.cubin_digest = "same";
  const auto signature = [&](const char* config) {
    const auto view = static_filter(context, context.program->space().parse(config), {{"batch", 64}});
    if (!view) throw std::runtime_error(view.error().message);
    return binary_signature(*view, module);
  };
  return signature("p=0") == signature("p=1");
}

TEST(BinarySignature, IsEqualWhereNothingDiffers) { EXPECT_TRUE(same_work(context_of(kC, kLaunch))); }

TEST(BinarySignature, SeesArgumentsAndGeometry) {
  EXPECT_FALSE(same_work(context_of(kC, R"({"kind": "launch", "entry": "k", "grid": ["1 + p"]})")));
  EXPECT_FALSE(
      same_work(context_of(kC, R"({"kind": "launch", "entry": "k", "args": [{"scalar": "i32", "value": "p"}]})")));
}

TEST(BinarySignature, SeesALaunchThatDependsOnCompiledFacts) {
  // The grid is known only once the kernel is compiled: one of the two launches fewer blocks.
  EXPECT_FALSE(same_work(context_of(
      kC,
      R"json({"kind": "launch", "entry": "k", "grid": ["batch if p == 0 else min(batch, max(blocks_per_sm, 1))"]})json")));
}

TEST(BinarySignature, SeesMemsets) {
  EXPECT_FALSE(
      same_work(context_of(kC, R"({"kind": "memset", "buffer": "c", "when": "p == 1"}, )" + std::string(kLaunch))));
}

TEST(BinarySignature, SeesSizesOfBuffers) {
  EXPECT_FALSE(same_work(context_of(
      std::string(kC) + R"json(, {"name": "w", "dtype": "f32", "count": "batch * (1 + p)", "role": "workspace"})json",
      kLaunch)));
}

TEST(BinarySignature, SeesSymbols) {
  EXPECT_FALSE(
      same_work(context_of(kC, kLaunch, R"(, "symbols": [{"symbol": "scale", "scalar": "f32", "value": "p"}])")));
}

}  // namespace
}  // namespace kerntune
