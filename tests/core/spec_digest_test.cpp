// SPDX-License-Identifier: Apache-2.0
#include <kerntune/core/kernel_spec.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec_sample.hpp"

namespace kerntune {
namespace {

using test::full_spec;
using test::replaced;

struct Digests {
  std::string code, space, reference;
};

Digests digests_after(const std::string& from, const std::string& to) {
  const KernelSpec spec = parse_spec(replaced(full_spec(), from, to), "sample");
  return {code_digest(spec), space_digest(spec), reference_digest(spec)};
}

Digests plain() { return digests_after("axpy", "axpy"); }

TEST(Digest, IsSha256InHex) { EXPECT_THAT(plain().code, testing::MatchesRegex("[0-9a-f]{64}")); }

TEST(Digest, OfCodeChangesWithWhatRuns) {
  const std::string unchanged = plain().code;
  const std::pair<const char*, const char*> changes[] = {
      {"KERNTUNE_BLOCK_THREADS) ...", "KERNTUNE_BLOCK_THREADS) .."},               // source
      {"// tiles", "// tile"},                                                     // header
      {"--std=c++17", "--std=c++20"},                                              // options
      {"\"ITEMS\", \"value\": \"items\"", "\"ITEMS\", \"value\": \"items + 1\""},  // defines
      {"axpy<{items},", "axpy2<{items},"},                                         // entry
      {"\"carveout\": 50", "\"carveout\": 51"},                                    // geometry
      {"\"byte\": 255", "\"byte\": 254"},                                          // steps
      {"\"offset\": \"items - 1\"", "\"offset\": \"0\""},                          // args
      {"\"b\": 2", "\"b\": 3"},                                                    // fill
      {"\"alignment\": 512", "\"alignment\": 256"},                                // buffers
      {"\"value\": 1.5", "\"value\": 1.25"},                                       // symbols
      {"\"value\": \"batch * n\"", "\"value\": \"n * batch\""},                    // derived
      {", \"role\": \"block_x\"", ""},                                             // a role that filled the block
      {"\"revision\": \"3\"", "\"revision\": \"4\""}};
  for (const auto& [from, to] : changes) {
    SCOPED_TRACE(from);
    EXPECT_NE(digests_after(from, to).code, unchanged);
  }
}

TEST(Digest, OfCodeIgnoresSpaceAndReference) {
  const std::string unchanged = plain().code;
  EXPECT_EQ(digests_after("[64, 128, 256]", "[64, 128, 256, 512]").code, unchanged);
  EXPECT_EQ(digests_after("block_x * items <= 512", "block_x * items <= 256").code, unchanged);
  EXPECT_EQ(digests_after("void ref() {}", "void ref() { }").code, unchanged);
  EXPECT_EQ(digests_after("1e-6 * n", "1e-5 * n").code, unchanged);
  EXPECT_EQ(digests_after("\"file\": \"axpy.cu\"", "\"file\": \"b.cu\"").code, unchanged);
  EXPECT_EQ(digests_after("y = a*x + y", "something else").code, unchanged);
}

TEST(Digest, OfCodeIgnoresTheOrderOfHeaders) {
  KernelSpec spec = parse_spec(full_spec(), "sample");
  auto& headers = std::get<SourceCode>(spec.code).headers;
  headers.push_back({"a.cuh", "// a"});
  const std::string digest = code_digest(spec);
  std::swap(headers[0], headers[1]);
  EXPECT_EQ(code_digest(spec), digest);
}

TEST(Digest, OfSpaceChangesWithValuesAndConstraints) {
  const std::string unchanged = plain().space;
  EXPECT_NE(digests_after("[64, 128, 256]", "[64, 128, 256, 512]").space, unchanged);
  EXPECT_NE(digests_after("[0.5, 2.0]", "[0.5, 2]").space, unchanged);  // 2 is another kind of value than 2.0
  EXPECT_NE(digests_after("block_x * items <= 512", "block_x * items <= 256").space, unchanged);
  EXPECT_EQ(digests_after("\"default\": 128", "\"default\": 64").space, unchanged);
}

TEST(Digest, OfReferenceChangesWithKernelAndTolerance) {
  const std::string unchanged = plain().reference;
  EXPECT_NE(digests_after("void ref() {}", "void ref() { }").reference, unchanged);
  EXPECT_NE(digests_after("1e-6 * n", "1e-5 * n").reference, unchanged);
  EXPECT_NE(digests_after("\"host\": true,", "").reference, unchanged);
  EXPECT_EQ(digests_after("one multiply-add", "another reason").reference, unchanged);
}

TEST(Digest, OfCallableCodeChangesWithRevisionAndLibraries) {
  KernelSpec spec = parse_spec(full_spec(), "sample");
  spec.steps.clear();
  spec.code = CallableCode{CallableCode::Runs::cuda, "1", {{"cublasLt", "13.0"}}};
  const std::string digest = code_digest(spec);
  spec.code = CallableCode{CallableCode::Runs::cuda, "2", {{"cublasLt", "13.0"}}};
  EXPECT_NE(code_digest(spec), digest);
  spec.code = CallableCode{CallableCode::Runs::cuda, "1", {{"cublasLt", "13.1"}}};
  EXPECT_NE(code_digest(spec), digest);
}

// Fields carry their lengths: moving a byte from one field to the next changes the digest.
TEST(Digest, KeepsFieldsApart) {
  KernelSpec spec = parse_spec(full_spec(), "sample");
  auto& options = std::get<SourceCode>(spec.code).options;
  options = {"-a", "b"};
  const std::string digest = code_digest(spec);
  options = {"-ab", ""};
  EXPECT_NE(code_digest(spec), digest);
}

TEST(ReferenceDigest, ChangesWithTheCodeOfAHostReferenceAlone) {
  KernelSpec spec;
  EXPECT_EQ(reference_digest(spec, "build 1"), reference_digest(spec)) << "there is no host reference";
  spec.reference.host = true;
  EXPECT_NE(reference_digest(spec, "build 1"), reference_digest(spec, "build 2"));
}

}  // namespace
}  // namespace kerntune
