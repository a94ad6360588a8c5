// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kerntune/core/plugin_host.hpp>

#include "fixtures.hpp"

namespace {

using kerntune::plugin_search_path;

class SearchPathTest : public testing::Test {
 protected:
  void TearDown() override { ::unsetenv("KERNTUNE_PLUGIN_PATH"); }
};

TEST_F(SearchPathTest, BeginsWithTheEnvironmentsFoldersInOrder) {
  ::setenv("KERNTUNE_PLUGIN_PATH", "/one:/two", 1);
  const std::vector<std::string> folders = plugin_search_path();
  ASSERT_GE(folders.size(), 2U);
  EXPECT_EQ(folders[0], "/one");
  EXPECT_EQ(folders[1], "/two");
}

TEST_F(SearchPathTest, NeverMeansTheCurrentDirectoryByAnEmptyEntry) {
  ::setenv("KERNTUNE_PLUGIN_PATH", ":/one::", 1);
  EXPECT_THAT(plugin_search_path(), testing::Not(testing::Contains("")));
  EXPECT_THAT(plugin_search_path(), testing::Contains("/one"));
}

TEST_F(SearchPathTest, ContainsTheInstalledPlugins) {
  EXPECT_THAT(plugin_search_path(), testing::Contains(testing::EndsWith("lib/kerntune/plugins")));
}

TEST_F(SearchPathTest, FindsABareNameWithOrWithoutItsEnding) {
  ::setenv("KERNTUNE_PLUGIN_PATH", fixture("").c_str(), 1);
  EXPECT_EQ(kerntune::PluginLibrary::open("correct.so").path(), fixture("correct.so"));
  EXPECT_EQ(kerntune::PluginLibrary::open("correct").path(), fixture("correct.so"));
}

}  // namespace
