// SPDX-License-Identifier: Apache-2.0
#include <kerntune/core/compile.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <optional>
#include <set>

#include "cuda/toolkit.hpp"

namespace kerntune {
namespace {

CompileJob small_job() {
  CompileJob job;
  job.file = "axpy.cu";
  job.source = "__global__ void axpy() {}";
  job.headers = {{"tile.cuh", "#define TILE 4"}};
  job.options = {"-DN=4"};
  job.entries = {"axpy"};
  job.arch = "sm_90";
  return job;
}

TEST(CompileKey, IsStableAndHexadecimal) {
  const std::string key = compile_key(small_job(), "13.0.88");
  EXPECT_EQ(key, compile_key(small_job(), "13.0.88"));
  EXPECT_EQ(key.size(), 64u);
  EXPECT_EQ(key.find_first_not_of("0123456789abcdef"), std::string::npos);
}

TEST(CompileKey, ChangesWithEverythingThatTheCubinDependsOn) {
  const std::vector<std::function<void(CompileJob&)>> changes{
      [](CompileJob& job) { job.file = "b.cu"; },
      [](CompileJob& job) { job.source += " "; },
      [](CompileJob& job) { job.headers[0].second += " "; },
      [](CompileJob& job) { job.headers[0].first = "other.cuh"; },
      [](CompileJob& job) { job.headers.clear(); },
      [](CompileJob& job) { job.options = {"-DN=5"}; },
      [](CompileJob& job) { job.options = {"-D", "N=4"}; },
      [](CompileJob& job) { job.entries = {"axpy<4>"}; },
      [](CompileJob& job) { job.arch = "sm_80"; },
      [](CompileJob& job) { job.register_cap = 32; },
  };
  std::set<std::string> keys{compile_key(small_job(), "13.0.88"), compile_key(small_job(), "12.6.85")};
  for (const auto& change : changes) {
    CompileJob job = small_job();
    change(job);
    keys.insert(compile_key(job, "13.0.88"));
  }
  EXPECT_EQ(keys.size(), changes.size() + 2);
}

TEST(CompileKey, IgnoresLimitsOfTheCompileProcess) {
  CompileJob job = small_job();
  job.timeout_s = 1;
  job.memory_limit_bytes = 1;
  EXPECT_EQ(compile_key(job, "13.0.88"), compile_key(small_job(), "13.0.88"));
}

TEST(CompileKey, DoesNotConfuseNeighbouringFields) {
  CompileJob a = small_job(), b = small_job();
  a.options = {"-DA", "-DB"};
  b.options = {"-DA-DB"};
  EXPECT_NE(compile_key(a, ""), compile_key(b, ""));
}

TEST(ForeignHeaders, AreFoundInSourceAndHeaders) {
  CompileJob job = small_job();
  EXPECT_FALSE(cuda::includes_foreign_headers(job));
  job.source = "#include \"tile.cuh\"\n";
  EXPECT_FALSE(cuda::includes_foreign_headers(job));
  job.source = "  #  include <cuda_fp16.h>\n";
  EXPECT_TRUE(cuda::includes_foreign_headers(job));
  job.source = "#include \"tile.cuh\"";
  job.headers[0].second = "#include HEADER_BY_MACRO";
  EXPECT_TRUE(cuda::includes_foreign_headers(job));
}

TEST(ForeignHeaders, FoldersAreReadFromEverySpelling) {
  const std::vector<std::string> options{"-I/a", "-I",       "/b", "--include-path=/c", "-DX=1", "--include-path",
                                         "/d",   "-isystem", "/e"};
  EXPECT_EQ(cuda::include_folders_of(options), (std::vector<std::string>{"/a", "/b", "/c", "/d", "/e"}));
}

/// Sets a variable of the environment for a test's time.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name); before != nullptr) before_ = before;
    ::setenv(name, value, 1);
  }
  ~Variable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST(LibraryCandidates, AToolkitThatIsNamedComesBeforeTheLoadersSearch) {
  const Variable home("CUDA_HOME", "/opt/cuda12"), path("CUDA_PATH", "");
  EXPECT_EQ(cuda::library_candidates({"libx.so.13", "libx.so.12"}, "KERNTUNE_TEST_LIBX"),
            (std::vector<std::string>{
                "/opt/cuda12/lib64/libx.so.13", "/opt/cuda12/lib64/libx.so.12",
                "/opt/cuda12/extras/CUPTI/lib64/libx.so.13", "/opt/cuda12/extras/CUPTI/lib64/libx.so.12", "libx.so.13",
                "libx.so.12", "/usr/local/cuda/lib64/libx.so.13", "/usr/local/cuda/lib64/libx.so.12",
                "/usr/local/cuda/extras/CUPTI/lib64/libx.so.13", "/usr/local/cuda/extras/CUPTI/lib64/libx.so.12"}));
}

TEST(LibraryCandidates, ALibraryThatIsNamedIsTheOnlyOne) {
  const Variable library("KERNTUNE_TEST_LIBX", "/opt/libx.so");
  EXPECT_EQ(cuda::library_candidates({"libx.so.13"}, "KERNTUNE_TEST_LIBX"), std::vector<std::string>{"/opt/libx.so"});
}

}  // namespace
}  // namespace kerntune
