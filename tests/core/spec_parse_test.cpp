// SPDX-License-Identifier: Apache-2.0
#include <kerntune/core/errors.hpp>
#include <kerntune/core/kernel_spec.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "spec_sample.hpp"
#include "temp_dir.hpp"

namespace kerntune {
namespace {

using test::full_spec;
using test::replaced;
using testing::HasSubstr;
using testing::StartsWith;

/// What parse_spec says about the sample after one change.
std::string error_after(const std::string& from, const std::string& to) {
  try {
    parse_spec(replaced(full_spec(), from, to), "sample.json");
  } catch (const SpecError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ParseSpec, ReadsEveryMember) {
  const KernelSpec spec = parse_spec(full_spec(), "sample.json");
  EXPECT_EQ(spec.name, "axpy");
  EXPECT_EQ(spec.revision, "3");
  EXPECT_EQ(spec.batch_dim().default_value, 64);
  EXPECT_EQ(spec.dims[1].max, 1048576);
  EXPECT_EQ(spec.params[0].role, Role::block_x);
  EXPECT_EQ(std::get<double>(spec.params[3].default_value), 2.0);
  EXPECT_EQ(spec.buffers[0].fill, (Fill{Fill::Kind::normal, 0, 2}));
  EXPECT_EQ(spec.buffers[1].fill, default_fill(DType::f32));
  EXPECT_EQ(spec.buffers[2].alignment, "512");
  const auto& code = std::get<SourceCode>(spec.code);
  EXPECT_EQ(code.headers.at(0).text, "// tiles");
  EXPECT_EQ(code.defines.at(1).name, "TYPE");
  EXPECT_EQ(std::get<MemsetStep>(spec.steps.at(0)).byte, 255);
  const auto& launch = std::get<LaunchStep>(spec.steps.at(1));
  EXPECT_EQ(launch.carveout, "50");
  EXPECT_EQ(std::get<TensorMapArg>(launch.args.at(4)).swizzle, "128B");
  EXPECT_EQ(std::get<ScalarArg>(spec.symbols.at(0).value).value, "1.5");
  EXPECT_EQ(spec.reference.check_dims.at("n"), 1000);
  EXPECT_EQ(spec.tolerances.at(0).rel, "1e-06");
  EXPECT_EQ(spec.work.bytes, "12 * total");
}

TEST(ParseSpec, GivesBackWhatItRead) {
  const KernelSpec spec = parse_spec(full_spec(), "sample.json");
  const std::string json = to_json(spec);
  EXPECT_EQ(parse_spec(json, "again"), spec);
  EXPECT_EQ(to_json(parse_spec(json, "again")), json);
}

TEST(ParseSpec, GivesBackCallableCode) {
  const std::string text = R"({"kerntune_spec": 1, "name": "blas", "dims": [{"name": "batch", "batch": true}],
    "params": [{"name": "algorithm", "values": [0, 1]}],
    "code": {"kind": "callable", "runs": "cuda", "revision": "7", "libraries": {"cublasLt": "13.0"}}})";
  const KernelSpec spec = parse_spec(text, "blas");
  EXPECT_EQ(std::get<CallableCode>(spec.code).libraries.at("cublasLt"), "13.0");
  EXPECT_EQ(parse_spec(to_json(spec), "again"), spec);
}

TEST(ParseSpec, NamesTheDocumentOfBadJson) {
  EXPECT_THAT([] { parse_spec("{", "x.json"); }, testing::ThrowsMessage<SpecError>(StartsWith("spec 'x.json': ")));
}

TEST(ParseSpec, NamesTheNearestMember) {
  EXPECT_EQ(error_after("\"values\": [1, 2, 4]", "\"valeus\": [1, 2, 4]"),
            "kernel 'axpy': params[1]: unknown member 'valeus'; did you mean 'values'?");
  EXPECT_EQ(error_after("\"summary\": \"y", "\"sumary\": \"y"),
            "kernel 'axpy': unknown member 'sumary'; did you mean 'summary'?");
}

TEST(ParseSpec, ShowsWhereAnExpressionIsWrong) {
  const std::string message = error_after("\"ceil_div(total, per_block)\"]", "\"ceil_div(totl, per_block)\"]");
  EXPECT_THAT(message, StartsWith("kernel 'axpy': steps[1].grid[0]: unknown name 'totl'"));
  EXPECT_THAT(message, HasSubstr("\n  ceil_div(totl, per_block)\n           ^~~~"));
}

TEST(ParseSpec, KeepsParametersAwayFromSizesInConstraints) {
  EXPECT_THAT(error_after("block_x * items <= 512", "block_x * items <= n"),
              StartsWith("kernel 'axpy': constraints[0]: unknown name 'n'"));
}

TEST(ParseSpec, KeepsParametersOutOfReferencesAndTolerances) {
  EXPECT_THAT(error_after("ceil_div(total, 256)", "ceil_div(total, block_x)"),
              StartsWith("kernel 'axpy': reference.kernel.steps[0].grid[0]: unknown name 'block_x'"));
  EXPECT_THAT(error_after("1e-6 * n", "1e-6 * items"), StartsWith("kernel 'axpy': tolerances[0].abs: unknown name"));
}

TEST(ParseSpec, KeepsCompiledFactsInGeometry) {
  EXPECT_EQ(error_after("\"shared_bytes\": \"4 * block_x\"", "\"shared_bytes\": \"4 * regs\""), "no error");
  EXPECT_THAT(error_after("\"value\": \"total\"}", "\"value\": \"regs\"}"), HasSubstr("unknown name 'regs'"));
}

TEST(ParseSpec, RejectsDefaultsOutsideTheSpace) {
  EXPECT_THAT(error_after("\"default\": 128", "\"default\": 96"),
              StartsWith("kernel 'axpy': params[0].default: 96 is not one of the values of 'block_x'"));
  EXPECT_THAT(error_after("block_x * items <= 512", "block_x * items <= 64"),
              HasSubstr("constraints[0]: 'block_x * items <= 64' is false for the default configuration block_x=128"));
}

TEST(ParseSpec, RejectsValuesThatAreEqual) {
  EXPECT_EQ(error_after("[1, 2, 4]", "[1, 2, 1.0]"), "kernel 'axpy': params[1].values[2]: 1.0 is given twice");
}

TEST(ParseSpec, RejectsNamesInUse) {
  EXPECT_THAT(error_after("\"name\": \"items\"", "\"name\": \"n\""),
              StartsWith("kernel 'axpy': params[1].name: 'n' is already the name of a dim"));
  EXPECT_THAT(error_after("\"name\": \"n\"", "\"name\": \"sm_count\""),
              HasSubstr("already the name of a device property"));
  EXPECT_THAT(error_after("\"name\": \"total\"", "\"name\": \"regs\""), HasSubstr("already the name of a fact"));
  EXPECT_THAT(error_after("\"name\": \"items\"", "\"name\": \"not\""), StartsWith("kernel 'axpy': params[1].name: "));
}

TEST(ParseSpec, RejectsDerivedValuesUsedTooEarly) {
  EXPECT_THAT(error_after("\"value\": \"batch * n\"", "\"value\": \"batch * per_block\""),
              HasSubstr("derived[0].value"));
  EXPECT_THAT(
      error_after("{\"name\": \"total\", \"value\": \"batch * n\"}",
                  "{\"name\": \"late\", \"value\": \"total\"}, {\"name\": \"total\", \"value\": \"batch * n\"}"),
      HasSubstr("derived[0].value: 'total' is used before it is defined"));
}

TEST(ParseSpec, RejectsUnknownNames) {
  EXPECT_THAT(error_after("{\"buffer\": \"y\", \"offset\"", "{\"buffer\": \"yy\", \"offset\""),
              HasSubstr("steps[1].args[1].buffer: unknown buffer 'yy'; did you mean 'y'?"));
  EXPECT_THAT(error_after("\"dtype\": \"f64\"", "\"dtype\": \"f63\""),
              HasSubstr("buffers[2].dtype: unknown type 'f63'"));
  EXPECT_THAT(error_after("\"role\": \"block_x\"", "\"role\": \"blockx\""), HasSubstr("did you mean 'block_x'?"));
  EXPECT_THAT(error_after("\"128B\"", "\"129B\""), HasSubstr("steps[1].args[4].swizzle: unknown value '129B'"));
  EXPECT_THAT(error_after("axpy<{items}", "axpy<{item}"),
              HasSubstr("steps[1].entry: unknown name 'item' in braces; did you mean 'items'?"));
  EXPECT_THAT(error_after("axpy<{items}", "axpy<{items"), HasSubstr("in braces"));
  EXPECT_THAT(error_after("axpy<{items}", "axpy<}"), HasSubstr("steps[1].entry: unpaired brace"));
}

TEST(ParseSpec, RejectsRolesThatCannotHold) {
  EXPECT_THAT(error_after("[0, 64], \"default\": 0, \"role\": \"register_cap\"",
                          "[-1, 64], \"default\": 64, \"role\": \"register_cap\""),
              HasSubstr("params[5].values[0]: role 'register_cap' takes integers from 0, found -1"));
  EXPECT_THAT(error_after("\"role\": \"min_blocks_per_sm\"", "\"role\": \"register_cap\""),
              HasSubstr("'register_cap' is already the role of 'cap'"));
}

TEST(ParseSpec, RejectsSizesWithoutOneBatch) {
  EXPECT_THAT(error_after("\"batch\": true, ", ""), HasSubstr("dims: expected one dim with \"batch\": true, found 0"));
  EXPECT_THAT(error_after("\"min\": 1, \"max\": 4096", "\"min\": 9, \"max\": 4"), HasSubstr("min 9 is above max 4"));
  EXPECT_THAT(error_after("\"min\": 1, \"max\": 4096", "\"min\": 0, \"max\": 4096"),
              HasSubstr("dims[0]: min is 0, and batches count from 1"));
}

TEST(ParseSpec, RejectsCodeWithoutText) {
  EXPECT_THAT(error_after("\"text\": \"__launch_bounds__(KERNTUNE_BLOCK_THREADS) ...\",", ""),
              HasSubstr("code: member 'text' is missing"));
}

TEST(ParseSpec, RejectsAnotherVersion) {
  EXPECT_THAT(error_after("\"kerntune_spec\": 1", "\"kerntune_spec\": 2"), HasSubstr("spec version 2 is not 1"));
}

TEST(LoadSpecFile, ReadsSourceAndHeadersBesideIt) {
  test::TempDir folder;
  std::ofstream(folder.path() / "k.cu") << "#include \"a.cuh\"\n  # include  \"gone.cuh\"\n__global__ void k() {}\n";
  std::ofstream(folder.path() / "a.cuh") << "#include \"b.cuh\"\n";
  std::ofstream(folder.path() / "b.cuh") << "// b\n";
  std::ofstream(folder.path() / "k.json")
      << R"({"kerntune_spec": 1, "name": "k", "dims": [{"name": "batch", "batch": true}],
    "code": {"kind": "source", "file": "k.cu"}, "steps": [{"kind": "launch", "entry": "k"}]})";
  const auto code = std::get<SourceCode>(load_spec_file((folder.path() / "k.json").string()).code);
  EXPECT_THAT(code.text, HasSubstr("__global__ void k()"));
  ASSERT_EQ(code.headers.size(), 2U);
  EXPECT_EQ(code.headers[1].text, "// b\n");
}

TEST(LoadSpecFile, NamesTheFileThatIsMissing) {
  test::TempDir folder;
  const std::string path = (folder.path() / "k.json").string();
  std::ofstream(path) << R"({"kerntune_spec": 1, "name": "k", "dims": [{"name": "batch", "batch": true}],
    "code": {"kind": "source", "file": "k.cu"}, "steps": [{"kind": "launch", "entry": "k"}]})";
  EXPECT_THAT([&] { load_spec_file(path); },
              testing::ThrowsMessage<SpecError>(
                  testing::AllOf(StartsWith("load spec file '" + path + "': kernel 'k': code: "), HasSubstr("k.cu'"))));
  EXPECT_THAT([] { load_spec_file("/no/such.json"); }, testing::ThrowsMessage<SpecError>(HasSubstr("/no/such.json")));
}

TEST(LoadSpecFile, SaysWhatAStrangeFileIsNot) {
  test::TempDir folder;
  const std::string path = (folder.path() / "x.json").string();
  std::ofstream(path) << R"({"hello": 1})";
  EXPECT_THAT([&] { load_spec_file(path); }, testing::ThrowsMessage<SpecError>(HasSubstr("neither a kerntune spec")));
}

}  // namespace
}  // namespace kerntune
