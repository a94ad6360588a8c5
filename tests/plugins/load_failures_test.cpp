// SPDX-License-Identifier: Apache-2.0
// Every way in which a file may fail to be a plugin, and what is said about it.
#include <cstdint>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kerntune/core/errors.hpp>
#include <kerntune/core/plugin_host.hpp>

#include "fixtures.hpp"

namespace {

using kerntune::PluginError;
using kerntune::PluginLibrary;
using testing::AllOf;
using testing::HasSubstr;

std::string refusal(const std::string& path) {
  try {
    PluginLibrary::open(path);
  } catch (const PluginError& e) {
    EXPECT_THAT(e.what(), HasSubstr(path)) << "a refusal names the file";
    return e.what();
  }
  return "accepted";
}

TEST(PluginLoading, OpensACorrectPlugin) {
  const PluginLibrary library = PluginLibrary::open(fixture("correct.so"));
  EXPECT_EQ(library.path(), fixture("correct.so"));
  EXPECT_EQ(library.name(), "broken");
  EXPECT_EQ(library.version(), "1.0");
  EXPECT_EQ(library.build_id(), "00112233445566778899aabbccddeeff00112233");
  ASSERT_EQ(library.kernels().size(), 1U);
  EXPECT_EQ(library.kernels()[0].spec().name, "fill");
  EXPECT_TRUE(library.kernels()[0].has_reference());
  EXPECT_EQ(library.find("fill"), &library.kernels()[0]);
  EXPECT_EQ(library.find("other"), nullptr);
}

TEST(PluginLoading, CallsTheEntryOnceHoweverOftenAPluginIsOpened) {
  PluginLibrary::open(fixture("correct.so"));
  EXPECT_EQ(PluginLibrary::open(fixture("correct.so")).kernels().size(), 1U);  // its second call would return no table
  EXPECT_EQ(PluginLibrary::open(fixture("../fixtures/correct.so")).kernels().size(), 1U);
}

TEST(PluginLoading, RefusesAMissingFile) { EXPECT_THAT(refusal(fixture("no_such.so")), HasSubstr("No such file")); }

TEST(PluginLoading, RefusesAFileThatIsNotElf) {
  EXPECT_THAT(refusal(fixture("not_elf.so")), HasSubstr("expected an ELF shared object"));
}

// These three would end the test in their constructors, were they loaded.
TEST(PluginLoading, RefusesALibraryWithoutTheEntryBeforeItsCodeRuns) {
  EXPECT_THAT(refusal(fixture("no_entry.so")), HasSubstr("expected the exported symbol kerntune_plugin_entry_v1"));
}
TEST(PluginLoading, NamesAnotherMajorBeforeItsCodeRuns) {
  EXPECT_THAT(refusal(fixture("other_major_symbol.so")),
              AllOf(HasSubstr("plugin ABI 2"), HasSubstr("loads ABI 1"), HasSubstr("rebuild")));
}
TEST(PluginLoading, RefusesExportedExtrasBeforeTheirCodeRuns) {
  EXPECT_THAT(refusal(fixture("extra_export.so")),
              AllOf(HasSubstr("fixture_extra_symbol"), HasSubstr("kerntune_plugin.map")));
}

TEST(PluginLoading, RefusesDefaultVisibility) {
  EXPECT_THAT(refusal(fixture("default_visibility.so")), HasSubstr("the only exported symbol"));
}

TEST(PluginLoading, NamesAMissingDependency) {
  EXPECT_THAT(refusal(fixture("missing_dependency.so")), HasSubstr("libfixture_gone.so"));
}

TEST(PluginLoading, RefusesAnotherMajorInTheTable) {
  EXPECT_THAT(refusal(fixture("other_major_table.so")),
              HasSubstr("built for plugin ABI 7.0, this kerntune loads ABI 1.x"));
}

TEST(PluginLoading, RefusesShortStructs) {
  EXPECT_THAT(refusal(fixture("short_table.so")),
              HasSubstr("the table must state a struct_size of at least 56 bytes, found 48"));
  EXPECT_THAT(refusal(fixture("short_kernel.so")),
              HasSubstr("kernel 0 must state a struct_size of at least 56 bytes, found 55"));
}

TEST(PluginLoading, AcceptsANewerMinorAndIgnoresItsTail) {
  EXPECT_EQ(PluginLibrary::open(fixture("newer_minor.so")).kernels().size(), 1U);
}

TEST(PluginLoading, RefusesReservedFieldsThatAreNotZero) {
  EXPECT_THAT(refusal(fixture("reserved.so")), HasSubstr("reserved fields must be 0"));
}

TEST(PluginLoading, RefusesATableOutsideTheLibrary) {
  EXPECT_THAT(refusal(fixture("heap_table.so")),
              AllOf(HasSubstr("must be static data of the plugin"), HasSubstr("no library")));
  EXPECT_THAT(refusal(fixture("external_table.so")),
              AllOf(HasSubstr("must be static data of the plugin"), HasSubstr("libfixture_external")));
}

TEST(PluginLoading, RefusesACallbackOutsideTheLibrary) {
  EXPECT_THAT(refusal(fixture("foreign_callback.so")), HasSubstr("launch must be a function of the plugin"));
}

TEST(PluginLoading, RefusesNullTables) {
  EXPECT_THAT(refusal(fixture("null_table.so")), HasSubstr("returned no table"));
  EXPECT_THAT(refusal(fixture("null_kernel.so")), HasSubstr("kernel 0 is a null pointer"));
  EXPECT_THAT(refusal(fixture("no_kernels.so")), HasSubstr("expected 1 to 4096 kernels, found 0"));
}

TEST(PluginLoading, RefusesEqualKernelNames) {
  EXPECT_THAT(refusal(fixture("same_names.so")), HasSubstr("two kernels are named 'fill'"));
}

TEST(PluginLoading, RefusesABadSpecAndSaysWhereItIsBad) {
  EXPECT_THAT(refusal(fixture("bad_spec.so")), AllOf(HasSubstr("kernel 1 of 1"), HasSubstr("nam")));
  EXPECT_THAT(refusal(fixture("empty_spec.so")), HasSubstr("spec must have 1 to"));
}

TEST(PluginLoading, RefusesCallbacksThatContradictTheSpec) {
  EXPECT_THAT(refusal(fixture("missing_reference.so")), HasSubstr("the table has no reference callback"));
  EXPECT_THAT(refusal(fixture("missing_launch.so")),
              HasSubstr("expected all of prepare, launch and teardown, found 2"));
}

TEST(PluginLoading, ReportsAPluginThatCannotDescribeItself) {
  testing::internal::CaptureStderr();
  EXPECT_THAT(refusal(fixture("undescribable.so")), HasSubstr("returned no table"));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), AllOf(HasSubstr("undescribable"), HasSubstr("not UTF-8")));
}

TEST(PluginLoading, NeverTakesABareNameFromTheCurrentDirectory) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(fixture("."));
  const std::string message = refusal("correct.so");
  std::filesystem::current_path(before);
  EXPECT_THAT(message, AllOf(HasSubstr("expected it in one of"), HasSubstr("'./correct.so'")));
}

TEST(PluginLoading, TakesAPathRelativeToTheCurrentDirectory) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(fixture("."));
  const std::string path = PluginLibrary::open("./correct.so").path();
  std::filesystem::current_path(before);
  EXPECT_EQ(path, fixture("correct.so"));
}

}  // namespace
