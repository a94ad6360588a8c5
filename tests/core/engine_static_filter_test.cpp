// SPDX-License-Identifier: Apache-2.0
// Configurations of equal machine code share a result only if everything else that a run depends on is equal too.
#include "engine/static_filter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec/architecture_limits.hpp"

namespace kerntune {
namespace {

using testing::HasSubstr;

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

/// What the filter says of `step` (with its braces open) on an architecture; empty if it lets it through.
std::string refusal(int architecture, const std::string& step, const std::string& code = "") {
  TuningContext context = context_of(kC, step);
  if (!code.empty()) {
    KernelSpec spec = context.program->spec();
    std::get<SourceCode>(spec.code).min_blocks_per_sm = code;
    context.program = std::make_shared<SpecProgram>(std::move(spec));
  }
  context.device.properties = architecture_limits(architecture).value();
  context.device.properties.sm_count = 10;
  const auto view = static_filter(context, context.program->default_config(), {{"batch", 64}});
  if (view) return {};
  EXPECT_EQ(view.error().reason, Reason::device_limit) << view.error().message;
  return view.error().message;
}

std::string launch(const std::string& members) { return R"({"kind": "launch", "entry": "k", )" + members + "}"; }

/// The architectures on which the filter refuses it.
std::vector<int> refused_on(const std::string& step, const std::string& code = "") {
  std::vector<int> refused;
  for (const int architecture : known_architectures())
    if (!refusal(architecture, step, code).empty()) refused.push_back(architecture);
  return refused;
}

TEST(StaticFilter, KnowsTheArchitecturesAndGuessesNone) {
  EXPECT_THAT(known_architectures(), testing::ElementsAre(70, 75, 80, 86, 89, 90, 100, 120));
  EXPECT_FALSE(architecture_limits(91));
}

TEST(StaticFilter, RefusesSharedMemoryThatAnArchitectureLacks) {
  using testing::ElementsAre;
  EXPECT_THAT(refused_on(launch(R"("shared_bytes": "64 * 1024")")), ElementsAre());
  EXPECT_THAT(refused_on(launch(R"("shared_bytes": "64 * 1024 + 1")")), ElementsAre(75));
  EXPECT_THAT(refused_on(launch(R"("shared_bytes": "99 * 1024")")), ElementsAre(70, 75));
  EXPECT_THAT(refused_on(launch(R"("shared_bytes": "99 * 1024 + 1")")), ElementsAre(70, 75, 86, 89, 120));
  EXPECT_THAT(refused_on(launch(R"("shared_bytes": "163 * 1024 + 1")")), ElementsAre(70, 75, 80, 86, 89, 120));
  EXPECT_THAT(refused_on(launch(R"("shared_bytes": "227 * 1024 + 1")")), testing::SizeIs(8));
  EXPECT_THAT(refusal(75, launch(R"("shared_bytes": 65537)")),
              HasSubstr("k: 65537 bytes of dynamic shared memory; the device allows 65536 per block"));
}

TEST(StaticFilter, RefusesBlocksOfTooManyThreads) {
  EXPECT_THAT(refused_on(launch(R"("block": [1024])")), testing::IsEmpty());
  EXPECT_THAT(refused_on(launch(R"("block": [1025])")), testing::SizeIs(8));
  EXPECT_THAT(refused_on(launch(R"("block": [1, 1, 65])")), testing::SizeIs(8));
  EXPECT_THAT(refusal(90, launch(R"("block": [2147483647, 2147483647, 2147483647])")), HasSubstr("allows 1024"));
}

TEST(StaticFilter, RefusesClustersBeforeHopper) {
  EXPECT_THAT(refused_on(launch(R"("grid": [8], "cluster": [8])")), testing::ElementsAre(70, 75, 80, 86, 89));
  EXPECT_THAT(refused_on(launch(R"("grid": [32], "cluster": [32])")), testing::SizeIs(8));
  EXPECT_THAT(refusal(89, launch(R"("grid": [8], "cluster": [8])")), HasSubstr("the device has 8.9"));
}

TEST(StaticFilter, RefusesCooperativeLaunchesThatCannotBeResident) {
  // 10 multiprocessors; 512 threads: two blocks on Turing, three on 8.6, 8.9 and 12.0, four elsewhere
  const auto of = [](const std::string& grid, const std::string& more = "") {
    return launch(R"("cooperative": "True", "block": [512], "grid": [)" + grid + "]" + more);
  };
  EXPECT_THAT(refused_on(of("20")), testing::IsEmpty());
  EXPECT_THAT(refused_on(of("30")), testing::ElementsAre(75));
  EXPECT_THAT(refused_on(of("40")), testing::ElementsAre(75, 86, 89, 120));
  EXPECT_THAT(refused_on(of("41")), testing::SizeIs(8));
  EXPECT_THAT(refused_on(of("20", R"(, "shared_bytes": "64 * 1024")")), testing::ElementsAre(70, 75, 86, 89, 120));
}

TEST(StaticFilter, RefusesMoreBlocksPerMultiprocessorThanItHolds) {
  EXPECT_THAT(refused_on(launch(R"("block": [512])"), "2"), testing::IsEmpty());
  EXPECT_THAT(refused_on(launch(R"("block": [512])"), "3"), testing::ElementsAre(75));
  EXPECT_THAT(refused_on(launch(R"("block": [512])"), "4"), testing::ElementsAre(75, 86, 89, 120));
  EXPECT_THAT(refused_on(launch(R"("block": [33])"), "17"), testing::ElementsAre(75, 86));  // as 64 threads
  EXPECT_THAT(
      refusal(75, launch(R"("block": [512])"), "3"),
      HasSubstr("3 blocks of 512 threads on each multiprocessor (min_blocks_per_sm); the device holds at most 2"));
}

TEST(StaticFilter, LooksAtWhatIsKnownOfALaunchThatReadsCompiledFacts) {
  const std::string grid = R"json("grid": ["max(blocks_per_sm, 1)"], )json";
  EXPECT_THAT(refusal(90, launch(grid + R"("block": [2048])")), HasSubstr("2048 threads"));
  EXPECT_THAT(refusal(75, launch(grid + R"("shared_bytes": 65537)")), HasSubstr("65537 bytes"));
  EXPECT_THAT(refusal(80, launch(grid + R"("cluster": [2])")), HasSubstr("clusters"));
  EXPECT_EQ(refusal(75, launch(grid + R"("block": [1024])")), "");
  // With one block it would be too much; how many there are is not known yet.
  EXPECT_EQ(refusal(75, launch(R"json("shared_bytes": "100000 // max(blocks_per_sm, 1)")json")), "");
}

}  // namespace
}  // namespace kerntune
