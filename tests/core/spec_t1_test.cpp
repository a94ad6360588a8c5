// SPDX-License-Identifier: Apache-2.0
#include <kerntune/core/errors.hpp>
#include <kerntune/core/spec_program.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "spec_sample.hpp"
#include "temp_dir.hpp"

namespace kerntune {
namespace {

using test::replaced;
using testing::ElementsAre;
using testing::HasSubstr;

std::string data(const std::string& name) { return std::string(KERNTUNE_TEST_SPECS) + "/" + name; }

const SourceCode& source_of(const KernelSpec& spec) { return std::get<SourceCode>(spec.code); }
const LaunchStep& launch_of(const KernelSpec& spec) { return std::get<LaunchStep>(spec.steps.at(0)); }

struct Published {
  const char* file;
  std::int64_t count;
};

class PublishedSpace : public testing::TestWithParam<Published> {};

// Counts from the files' publishers, found by full enumeration there.
TEST_P(PublishedSpace, HasItsPublishedCount) {
  const SpecProgram program(load_spec_file(data(GetParam().file)));
  EXPECT_EQ(search::to_string(program.space().count()), std::to_string(GetParam().count));
  EXPECT_FALSE(program.spec().launchable());
  EXPECT_NE(source_of(program.spec()).unavailable, "");
  EXPECT_TRUE(program.space().contains(program.default_config()));
  EXPECT_EQ(parse_spec(to_json(program.spec()), "again"), program.spec());
}

INSTANTIATE_TEST_SUITE_P(T1, PublishedSpace,
                         testing::Values(Published{"t1/convolution.json", 6768},
                                         Published{"t1/convolution_milo.json", 4362},
                                         Published{"t1/dedispersion_milo.json", 11130},
                                         Published{"t1/gemm_milo.json", 116928},
                                         Published{"t1/hotspot_milo.json", 82984}));

INSTANTIATE_TEST_SUITE_P(
    Definitions, PublishedSpace,
    testing::Values(Published{"../spaces/atf_prl.json", 48720}, Published{"../spaces/atf_prl2.json", 1200},
                    Published{"../spaces/atf_prl4.json", 10800}, Published{"../spaces/convolution_milo.json", 4362},
                    Published{"../spaces/dedispersion.json", 11130},
                    Published{"../spaces/dedispersion_milo.json", 11130}, Published{"../spaces/expdist.json", 504000},
                    Published{"../spaces/gemm.json", 116928}, Published{"../spaces/gemm_milo.json", 116928},
                    Published{"../spaces/hotspot_milo.json", 82984}));

TEST(T1, MapsAPublishedKernel) {
  const KernelSpec spec = load_spec_file(data("t1/hotspot_milo.json"));
  EXPECT_EQ(spec.name, "hotspot");
  const LaunchStep& launch = launch_of(spec);
  EXPECT_EQ(launch.entry, "calculate_temp");
  EXPECT_EQ(launch.grid[0], "ceil_div(4096, (block_size_x) * (tile_size_x))");
  EXPECT_EQ(launch.grid[1], "ceil_div(4096, (block_size_y) * (tile_size_y))");
  EXPECT_EQ(launch.block[2], "1");
  ASSERT_EQ(launch.args.size(), 7U);
  EXPECT_EQ(std::get<BufferArg>(launch.args[0]).buffer, "power");
  EXPECT_EQ(std::get<ScalarArg>(launch.args[3]).value, "0.1");
  EXPECT_EQ(spec.buffers[0].count, "25160256");
  EXPECT_EQ(spec.buffers[1].fill, (Fill{Fill::Kind::uniform, 0, 324}));
  EXPECT_EQ(spec.buffers[2].role, BufferRole::inout);
  EXPECT_THAT(source_of(spec).options, ElementsAre("-std=c++11"));
  EXPECT_THAT(source_of(spec).unavailable, HasSubstr("hotspot_milo.cu'"));
  EXPECT_EQ(spec.params[2].role, Role::block_x);
}

// The file's default has temporal_tiling_factor=1 and loop_unroll_factor_t=2, which its own condition forbids, and a
// max_tfactor that is not listed.
TEST(T1, RepairsADefaultThatViolatesConditions) {
  const SpecProgram program(load_spec_file(data("t1/hotspot_milo.json")));
  EXPECT_THAT(program.space().text(program.default_config()),
              testing::AllOf(HasSubstr("block_size_x=256"), HasSubstr("temporal_tiling_factor=2"),
                             HasSubstr("loop_unroll_factor_t=2"), HasSubstr("max_tfactor=10")));
}

TEST(T1, BindsConstantMemoryAndStillPassesIt) {
  const KernelSpec spec = load_spec_file(data("t1/convolution_milo.json"));
  ASSERT_EQ(spec.symbols.size(), 1U);
  EXPECT_EQ(spec.symbols[0].symbol, "d_filter");
  EXPECT_EQ(launch_of(spec).args.size(), 3U);
  EXPECT_EQ(spec.buffers[0].count, "(4096)*(4096)");
  EXPECT_EQ(spec.buffers[1].count, "((4096)+15-1) * ((4096)+15-1)");
  EXPECT_EQ(spec.buffers[0].role, BufferRole::out);
}

TEST(T1, KeepsTheSpaceOfAnotherLanguage) {
  const KernelSpec spec = load_spec_file(data("t1/gemm_milo.json"));
  EXPECT_THAT(source_of(spec).unavailable, HasSubstr("its language is OpenCL"));
  EXPECT_TRUE(spec.steps.empty());
}

/// A small T1 file and its source in a folder of their own.
class SmallT1 : public testing::Test {
 protected:
  KernelSpec load(const std::string& from, const std::string& to) {
    std::ofstream(folder_.path() / "k.cu") << source_;
    std::ofstream(folder_.path() / "k.json") << replaced(json_, from, to);
    return load_spec_file(folder_ / "k.json");
  }
  KernelSpec load() { return load("{", "{"); }
  std::string error(const std::string& from, const std::string& to) {
    try {
      load(from, to);
    } catch (const SpecError& error) {
      return error.what();
    }
    return "no error";
  }

  std::string source_ = "__global__ void k() {}";
  std::string json_ = R"({
    "ConfigurationSpace": {"TuningParameters": [
      {"Name": "bx", "Type": "int", "Values": "[32, 64]", "Default": 64},
      {"Name": "scale", "Type": "float", "Values": "[1, 2.5]"},
      {"Name": "flag", "Type": "bool", "Values": "[0, 1]"},
      {"Name": "word", "Type": "string", "Values": "['float', 'half']"}]},
    "KernelSpecification": {
      "Language": "CUDA", "KernelName": "k", "KernelFile": "k.cu", "GlobalSizeType": "OpenCL",
      "LocalSize": {"X": "bx", "Y": "4"}, "GlobalSize": {"X": "1000", "Y": "bx * 2"}, "SharedMemory": 128,
      "Arguments": [
        {"Name": "v", "Type": "float4", "Size": 10, "MemoryType": "Vector", "AccessType": "ReadOnly", "FillType": "Constant", "FillValue": 3},
        {"Name": "c", "Type": "half", "Size": 5, "MemoryType": "Symbol", "AccessType": "ReadOnly", "FillType": "Random"},
        {"Type": "int32", "Size": 6, "MemoryType": "Local"},
        {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": 7}]}})";
  test::TempDir folder_;
};

TEST_F(SmallT1, IsLaunchableWithItsSource) {
  const KernelSpec spec = load();
  EXPECT_TRUE(spec.launchable());
  EXPECT_EQ(spec.name, "k");
  EXPECT_EQ(spec.batch_dim().max, 1);
}

TEST_F(SmallT1, CoercesValuesToTheirType) {
  const KernelSpec spec = load();
  EXPECT_EQ(std::get<double>(spec.params[1].values[0]), 1.0);
  EXPECT_EQ(std::get<bool>(spec.params[2].values[1]), true);
  EXPECT_EQ(std::get<std::string>(spec.params[3].values[1]), "half");
}

TEST_F(SmallT1, CountsGlobalSizeInThreadsOrBlocks) {
  EXPECT_EQ(launch_of(load()).grid[0], "ceil_div(1000, bx)");
  EXPECT_EQ(launch_of(load()).grid[1], "ceil_div(bx * 2, 4)");
  EXPECT_EQ(launch_of(load("\"OpenCL\"", "\"CUDA\"")).grid[0], "1000");
}

TEST_F(SmallT1, DividesProblemSizeByTheBlockWithoutGridDiv) {
  const KernelSpec spec = load("\"GlobalSize\": {\"X\": \"1000\", \"Y\": \"bx * 2\"}", "\"ProblemSize\": [500, 20]");
  EXPECT_EQ(launch_of(spec).grid[0], "ceil_div(500, bx)");
  EXPECT_EQ(launch_of(spec).grid[1], "ceil_div(20, 4)");
}

TEST_F(SmallT1, MapsEveryKindOfArgument) {
  const KernelSpec spec = load();
  EXPECT_EQ(spec.buffers[0].count, "(10) * 4");
  EXPECT_EQ(spec.buffers[0].fill, (Fill{Fill::Kind::constant, 3, 0}));
  EXPECT_EQ(spec.buffers[1].dtype, DType::f16);
  EXPECT_EQ(spec.symbols.at(0).symbol, "c");
  const LaunchStep& launch = launch_of(spec);
  ASSERT_EQ(launch.args.size(), 2U);  // a KTT symbol is no argument
  EXPECT_EQ(std::get<ScalarArg>(launch.args[1]).value, "7");
  EXPECT_EQ(launch.shared_bytes, "128 + (6) * 4");
}

TEST_F(SmallT1, DefinesEveryParameter) {
  source_ = "__global__ void k() { int b = block_size_y, g = grid_size_x; }";
  const SpecProgram program(load());
  const auto binding = program.bind(program.default_config(), {}, {});
  EXPECT_THAT(program.compile_plan(*binding)->options,
              ElementsAre("-Dbx=64", "-Dscale=1.0", "-Dflag=0", "-Dword=float", "-Dkernel_tuner=1", "-Dgrid_size_x=16",
                          "-Dblock_size_y=4"));
}

TEST_F(SmallT1, StaysASpaceWhenSomethingIsUnsupported) {
  const KernelSpec spec = load("\"FillType\": \"Constant\"", "\"FillType\": \"BinaryRaw\"");
  EXPECT_FALSE(spec.launchable());
  EXPECT_THAT(source_of(spec).unavailable, HasSubstr("fill type 'BinaryRaw'"));
  EXPECT_THAT(source_of(load("\"int32\", \"Size\"", "\"int16\", \"Size\"")).unavailable, HasSubstr("'int16'"));
}

TEST_F(SmallT1, NamesThePlaceOfAMistake) {
  EXPECT_THAT(error("\"Values\": \"[32, 64]\"", "\"Values\": \"[32, 64\""),
              HasSubstr("ConfigurationSpace.TuningParameters[0].Values: a bracket is not closed"));
  EXPECT_THAT(error("\"KernelName\": \"k\", ", ""), HasSubstr("KernelSpecification: member 'KernelName' is missing"));
  EXPECT_THAT(error("\"Scalar\"", "\"Scaler\""), HasSubstr("Arguments[3].MemoryType: unknown memory 'Scaler'"));
  EXPECT_THAT(error("\"bx * 2\"", "\"by * 2\""), HasSubstr("kernel 'k': steps[0].grid[1]: unknown name 'by'"));
}

TEST_F(SmallT1, TakesSizesAndRolesFromItsExtension) {
  const KernelSpec spec = load("{\n", R"json({ "kerntune": {
      "name": "renamed", "dims": [{"name": "batch", "batch": true, "max": 8}, {"name": "m", "default": 100}],
      "derived": [{"name": "total", "value": "batch * m"}], "applicability": ["total % 4 == 0"],
      "roles": {"bx": "none", "scale": "precision"}, "default": {"bx": 32},
      "grid": ["ceil_div(total, bx)"], "block": ["bx"], "shared_bytes": "bx",
      "arguments": {"v": {"count": "4 * total", "fill": {"kind": "iota"}, "alignment": 16}, "n": {"value": "total"}},
      "work": {"bytes": "total"}},
  )json");
  EXPECT_EQ(spec.name, "renamed");
  EXPECT_EQ(spec.batch_dim().max, 8);
  EXPECT_THAT(launch_of(spec).grid, ElementsAre("ceil_div(total, bx)", "", ""));
  EXPECT_EQ(launch_of(spec).shared_bytes, "bx");
  EXPECT_EQ(spec.buffers[0].count, "4 * total");
  EXPECT_EQ(spec.buffers[0].fill.kind, Fill::Kind::iota);
  EXPECT_EQ(std::get<ScalarArg>(launch_of(spec).args[1]).value, "total");
  EXPECT_EQ(std::get<std::int64_t>(spec.params[0].default_value), 32);
  EXPECT_EQ(spec.params[1].role, Role::precision);
}

TEST_F(SmallT1, NamesUnknownMembersOfItsExtension) {
  EXPECT_THAT(error("{\n", "{\"kerntune\": {\"dimz\": []},\n"),
              HasSubstr("kerntune: unknown member 'dimz'; did you mean 'dims'?"));
  EXPECT_THAT(error("{\n", "{\"kerntune\": {\"roles\": {\"by\": \"block_x\"}},\n"),
              HasSubstr("no parameter has this name"));
}

}  // namespace
}  // namespace kerntune
