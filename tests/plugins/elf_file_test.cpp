// SPDX-License-Identifier: Apache-2.0
#include <elf.h>
#include <sys/stat.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixtures.hpp"
#include "plugin/elf_file.hpp"

namespace {

using kerntune::ElfError;
using kerntune::ElfFacts;
using kerntune::read_elf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class ElfFileTest : public testing::Test {
 protected:
  std::string write(const std::string& bytes) {
    const std::string path = folder_.path() / "file.so";
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  std::string error_of(const std::string& path) {
    try {
      read_elf(path);
    } catch (const ElfError& e) {
      return e.what();
    }
    return "no error";
  }
  TempFolder folder_;
};

TEST_F(ElfFileTest, FindsTheExportedSymbolAndTheBuildId) {
  const ElfFacts facts = read_elf(fixture("correct.so"));
  EXPECT_THAT(facts.exported, ElementsAre("kerntune_plugin_entry_v1"));
  EXPECT_EQ(facts.build_id, "00112233445566778899aabbccddeeff00112233");
}

TEST_F(ElfFileTest, LeavesTheBuildIdEmptyWithoutOne) {
  EXPECT_EQ(read_elf(fixture("without_build_id.so")).build_id, "");
}

TEST_F(ElfFileTest, ListsExtras) {
  EXPECT_THAT(read_elf(fixture("extra_export.so")).exported,
              IsSupersetOf({"fixture_extra_symbol", "kerntune_plugin_entry_v1"}));
}

TEST_F(ElfFileTest, SurvivesEveryTruncation) {
  const std::string whole = bytes_of(fixture("correct.so"));
  ASSERT_GT(whole.size(), 1000U);
  for (std::size_t size = 0; size < whole.size(); size += 499) {
    SCOPED_TRACE(size);
    EXPECT_NE(error_of(write(whole.substr(0, size))), "no error");
  }
}

TEST_F(ElfFileTest, SurvivesCorruptSectionHeaders) {
  const std::string whole = bytes_of(fixture("correct.so"));
  const auto& header = *reinterpret_cast<const Elf64_Ehdr*>(whole.data());
  for (std::size_t at = header.e_shoff; at < whole.size(); at += 3) {
    std::string corrupt = whole;
    corrupt[at] = '\xFF';
    error_of(write(corrupt));  // an error or facts: never a crash (a sanitizer build looks closer)
  }
  std::string corrupt = whole;
  reinterpret_cast<Elf64_Ehdr*>(corrupt.data())->e_shoff = ~Elf64_Off{0} - 8;
  EXPECT_THAT(error_of(write(corrupt)), HasSubstr("truncated or corrupt"));
}

TEST_F(ElfFileTest, RefusesAnotherMachine) {
  std::string other = bytes_of(fixture("correct.so"));
  reinterpret_cast<Elf64_Ehdr*>(other.data())->e_machine = EM_S390;
  EXPECT_THAT(error_of(write(other)), HasSubstr("for this machine"));
}

TEST_F(ElfFileTest, RefusesAnObjectFile) {
  std::string other = bytes_of(fixture("correct.so"));
  reinterpret_cast<Elf64_Ehdr*>(other.data())->e_type = ET_REL;
  EXPECT_THAT(error_of(write(other)), HasSubstr("expected a shared object"));
}

TEST_F(ElfFileTest, RefusesWhatIsNotARegularFileWithoutWaiting) {
  const std::string pipe = folder_.path() / "pipe.so";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(error_of(pipe), HasSubstr("expected a regular file"));
  EXPECT_THAT(error_of(folder_.path()), HasSubstr("expected a regular file"));
}

TEST_F(ElfFileTest, SaysThatAFileIsMissing) {
  EXPECT_THAT(error_of(folder_.path() / "no.so"), HasSubstr("No such file"));
}

}  // namespace
