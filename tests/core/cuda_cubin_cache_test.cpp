// SPDX-License-Identifier: Apache-2.0
#include <kerntune/core/compile.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "cuda/cubin_file.hpp"

namespace kerntune {
namespace {

namespace fs = std::filesystem;

CompiledModule sample_module(const std::string& key = "k1") {
  CompiledModule module;
  module.key = key;
  module.cubin = std::string(
      "\x7f"
      "ELF\0\n\xff binary",
      15);
  module.cubin_digest = "d1";
  module.entries["sgemm<64,32>"] = {"_Z5sgemmILi64ELi32EEvPf", 128, 16, 8, 12, 4096, 352};
  module.entries["copy"] = {"copy", 12, 0, 0, 0, 0, 0};
  module.log = "warning: two\nlines";
  module.compile_ms = 96.25;
  return module;
}

class CubinCacheTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("kerntune_cubins_" + std::to_string(::getpid()));
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path file_of(const std::string& key) const { return folder_ / (key + ".cubin"); }

  fs::path folder_;
};

TEST_F(CubinCacheTest, ReturnsWhatWasStored) {
  CubinCache cache(folder_.string());
  cache.store(sample_module());
  CompiledModule loaded;
  ASSERT_TRUE(cache.load("k1", loaded));
  EXPECT_EQ(loaded.cubin, sample_module().cubin);
  EXPECT_EQ(loaded.cubin_digest, "d1");
  EXPECT_EQ(loaded.log, "warning: two\nlines");
  EXPECT_EQ(loaded.compile_ms, 96.25);
  EXPECT_TRUE(loaded.from_cache);
  ASSERT_EQ(loaded.entries.size(), 2u);
  const EntryFacts& facts = loaded.entries.at("sgemm<64,32>");
  EXPECT_EQ(facts.lowered_name, "_Z5sgemmILi64ELi32EEvPf");
  EXPECT_THAT((std::vector{facts.regs, facts.stack_bytes, facts.spill_store_bytes, facts.spill_load_bytes,
                           facts.static_shared_bytes, facts.constant_bytes}),
              testing::ElementsAre(128, 16, 8, 12, 4096, 352));
}

TEST_F(CubinCacheTest, MissesAnUnknownKey) {
  CubinCache cache(folder_.string());
  CompiledModule loaded;
  EXPECT_FALSE(cache.load("nothing", loaded));
  EXPECT_EQ(cache.warning(), "");
}

TEST_F(CubinCacheTest, MissesOnAnyFlippedByteAndRepairs) {
  CubinCache cache(folder_.string());
  cache.store(sample_module());
  std::ostringstream text;
  text << std::ifstream(file_of("k1"), std::ios::binary).rdbuf();
  const std::string whole = text.str();
  CompiledModule loaded;
  for (std::size_t at = 0; at < whole.size(); at += 7) {
    SCOPED_TRACE(at);
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
    std::ofstream(file_of("k1"), std::ios::binary) << damaged;
    EXPECT_FALSE(cache.load("k1", loaded));
  }
  cache.store(sample_module());
  EXPECT_TRUE(cache.load("k1", loaded));
}

TEST_F(CubinCacheTest, MissesATruncatedFile) {
  const std::string whole = cuda::encode_cubin_file(sample_module());
  for (std::size_t size = 0; size < whole.size(); size += 11) {
    SCOPED_TRACE(size);
    EXPECT_FALSE(cuda::decode_cubin_file(std::string_view(whole).substr(0, size)).has_value());
  }
}

TEST_F(CubinCacheTest, MissesAFileOfAnotherKey) {
  CubinCache cache(folder_.string());
  cache.store(sample_module("k1"));
  fs::rename(file_of("k1"), file_of("k2"));
  CompiledModule loaded;
  EXPECT_FALSE(cache.load("k2", loaded));
}

TEST_F(CubinCacheTest, WarnsOnceAboutAFolderThatCannotBeWritten) {
  CubinCache cache("/proc/kerntune-cubins");
  EXPECT_THAT(cache.warning(), testing::HasSubstr("cannot be written"));
  EXPECT_THAT(cache.warning(), testing::HasSubstr("KERNTUNE_CACHE_DIR"));
  cache.store(sample_module());  // no effect
  CompiledModule loaded;
  EXPECT_FALSE(cache.load("k1", loaded));
}

TEST_F(CubinCacheTest, ReadsFromAFolderWhoseFilesCannotBeAdded) {
  CubinCache(folder_.string()).store(sample_module());
  fs::remove_all(folder_ / "unfinished");
  std::ofstream(folder_ / "unfinished") << "a file where the folder for new files would be";
  CubinCache cache(folder_.string());
  EXPECT_NE(cache.warning(), "");
  CompiledModule loaded;
  EXPECT_TRUE(cache.load("k1", loaded));
}

TEST_F(CubinCacheTest, LeavesNoUnfinishedFiles) {
  CubinCache cache(folder_.string());
  for (int i = 0; i < 3; ++i) cache.store(sample_module());
  EXPECT_TRUE(fs::is_empty(folder_ / "unfinished"));
}

TEST_F(CubinCacheTest, ManyProcessesStoreOneKey) {
  CubinCache cache(folder_.string());
  std::vector<pid_t> writers;
  for (int i = 0; i < 6; ++i) {
    const pid_t writer = ::fork();
    if (writer == 0) {
      CubinCache own(folder_.string());
      CompiledModule loaded;
      bool ok = own.warning().empty();
      for (int round = 0; round < 20; ++round) {
        own.store(sample_module());
        ok = ok && own.load("k1", loaded) && loaded.cubin == sample_module().cubin;
      }
      ::_exit(ok && own.warning().empty() ? 0 : 1);
    }
    writers.push_back(writer);
  }
  for (const pid_t writer : writers) {
    int status = -1;
    ::waitpid(writer, &status, 0);
    EXPECT_EQ(status, 0) << "a writer saw a missing or damaged file";
  }
  CompiledModule loaded;
  EXPECT_TRUE(cache.load("k1", loaded));
}

TEST(CubinCacheFolder, FollowsTheEnvironment) {
  ::setenv("KERNTUNE_CACHE_DIR", "/x", 1);
  EXPECT_EQ(CubinCache::default_folder(), "/x/cubin");
  ::unsetenv("KERNTUNE_CACHE_DIR");
  ::setenv("XDG_CACHE_HOME", "/y", 1);
  EXPECT_EQ(CubinCache::default_folder(), "/y/kerntune/cubin");
  ::unsetenv("XDG_CACHE_HOME");
}

}  // namespace
}  // namespace kerntune
