// SPDX-License-Identifier: Apache-2.0
#include "engine/edge_sizes.hpp"

#include <gmock/gmock.h>

#include "engine/examiner.hpp"

namespace kerntune {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

/// c[batch, n], with what a test adds.
std::string spec(const std::string& dims, const std::string& params, const std::string& more) {
  return R"({"kerntune_spec": 1, "name": "k", "dims": [)" + dims + R"(], "params": [)" + params +
         R"(], "buffers": [{"name": "c", "dtype": "f32", "count": "batch * n", "role": "out"}],
         "code": {"kind": "source", "text": "x"}, "steps": [{"kind": "launch", "entry": "k"}])" +
         more + "}";
}
constexpr const char* kDims = R"({"name": "batch", "batch": true, "max": 4096}, {"name": "n", "default": 4096})";
constexpr const char* kTiles = R"({"name": "tile", "values": [32, 64, 128], "default": 64},
                                  {"name": "vec", "values": [1, 4], "default": 1})";

std::vector<Dims> edges(const std::string& json, const std::string& config, const Dims& tuned,
                        bool with_default = false) {
  const SpecProgram program(parse_spec(json, "test"));
  return edge_sizes(program, program.space().parse(config), tuned, {}, with_default);
}

Dims dims(std::int64_t batch, std::int64_t n) { return {{"batch", batch}, {"n", n}}; }

TEST(EdgeSizes, AreTheSmallestOneBatchRaggedAndJustBelow) {
  EXPECT_THAT(edges(spec(kDims, kTiles, ""), "tile=64,vec=1", dims(64, 4096)),
              ElementsAre(dims(1, 1), dims(1, 4096), dims(129, 129), dims(63, 4095)));
}

TEST(EdgeSizes, KeepToWhatTheConfigurationIsApplicableTo) {
  EXPECT_THAT(edges(spec(kDims, kTiles, R"(, "applicability": ["n % vec == 0"])"), "tile=64,vec=4", dims(64, 4096)),
              ElementsAre(dims(1, 4), dims(1, 4096), dims(129, 132), dims(63, 4092)));
}

TEST(EdgeSizes, KeepToTheDeclaredRanges) {
  const std::string json = spec(
      R"({"name": "batch", "batch": true, "min": 8, "max": 64}, {"name": "n", "min": 100, "max": 100, "default": 100})",
      kTiles, "");
  for (const Dims& edge : edges(json, "tile=64,vec=1", dims(16, 100))) {
    EXPECT_GE(edge.at("batch"), 8);
    EXPECT_LE(edge.at("batch"), 64);
    EXPECT_EQ(edge.at("n"), 100);
  }
  EXPECT_THAT(edges(json, "tile=64,vec=1", dims(16, 100)), Contains(dims(8, 100)));
}

TEST(EdgeSizes, NoneWhereTheTunedSizeIsTheOnlyOne) {
  const std::string json = spec(
      R"({"name": "batch", "batch": true, "min": 4, "max": 4, "default": 4}, {"name": "n", "min": 9, "max": 9, "default": 9})",
      kTiles, "");
  EXPECT_THAT(edges(json, "tile=64,vec=1", dims(4, 9)), IsEmpty());
}

TEST(EdgeSizes, NeverContainTheTunedSizeOrOneTwice) {
  for (const std::int64_t batch : {1, 2, 63, 129}) {
    auto found = edges(spec(kDims, kTiles, ""), "tile=64,vec=1", dims(batch, 129));
    EXPECT_THAT(found, Not(Contains(dims(batch, 129))));
    const std::size_t all = found.size();
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    EXPECT_EQ(found.size(), all);
  }
}

TEST(EdgeSizes, LeaveOutWhatNeedsTooMuchMemory) {
  for (const Dims& edge : edges(spec(kDims, kTiles, ""), "tile=64,vec=1", dims(4096, 1 << 20)))
    EXPECT_LE(edge.at("batch") * edge.at("n") * 4, static_cast<std::int64_t>(kMaxEdgeBytes));
}

TEST(EdgeSizes, SuitTheDefaultWhereItIsWhatOutputsAreComparedWith) {
  const std::string json =
      spec(kDims, R"({"name": "vec", "values": [1, 4], "default": 4})", R"(, "applicability": ["n % vec == 0"])");
  for (const Dims& edge : edges(json, "vec=1", dims(64, 4096), true)) EXPECT_EQ(edge.at("n") % 4, 0);
  EXPECT_THAT(edges(json, "vec=1", dims(64, 4096), false), Contains(dims(1, 1)));
}

TEST(EdgeSizes, SayWhereTheCodeIsAnother) {
  const std::string json = R"({"kerntune_spec": 1, "name": "k", "dims": [)" + std::string(kDims) + R"(], "params": [)" +
                           kTiles +
                           R"json(], "buffers": [{"name": "c", "dtype": "f32", "count": "batch * n", "role": "out"}],
    "code": {"kind": "source", "text": "x", "defines": [{"name": "ITEMS", "value": "ceil_div(n, tile)"}]},
    "reference": {"host": true}, "steps": [{"kind": "launch", "entry": "k"}]})json";
  const SpecProgram program(parse_spec(json, "test"));
  DeviceInfo device;
  device.kind = DeviceKind::cuda;
  const auto found = edges_of(program, program.space().parse("tile=64,vec=1"), dims(64, 4096), device);
  ASSERT_EQ(found.size(), 4U);
  EXPECT_FALSE(found[0].same_code) << "n is 1";
  EXPECT_TRUE(found[1].same_code) << "only the batch differs";
  EXPECT_TRUE(found[3].same_code) << "4095 has as many tiles as 4096";
  device.kind = DeviceKind::replay;
  EXPECT_THAT(edges_of(program, program.space().parse("tile=64,vec=1"), dims(64, 4096), device), IsEmpty());
}

}  // namespace
}  // namespace kerntune
