// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "command.hpp"
#include "help.hpp"

namespace kerntune::app {
namespace {

using ::testing::HasSubstr;

std::vector<Verb> verbs() {
  // Options point into the commands, which are gone after this; the texts are what is looked at.
  std::vector<Verb> all;
  for (const auto& command : all_commands()) all.push_back(command->describe());
  return all;
}

TEST(CliReference, IsWhatTheProgramSays) {
  std::ifstream file(KERNTUNE_TEST_CLI_REFERENCE);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), reference_page(verbs())) << "update it with: kerntune help --markdown > docs/cli.md";
}

TEST(Help, HasWhatEveryVerbPromises) {
  for (const Verb& verb : verbs()) {
    SCOPED_TRACE(verb.name);
    const std::string page = verb_help(verb, {.width = 100});
    EXPECT_FALSE(verb.description.empty());
    for (const char* part : {"usage: kerntune ", "example", "exit codes", "--json", "--help"})
      EXPECT_THAT(page, HasSubstr(part));
    for (const Option& option : verb.options) {
      EXPECT_TRUE(option.hidden || !option.help.empty()) << option.names;
    }
  }
}

TEST(Help, FitsTheTerminalExceptForCommandsToCopy) {
  for (const Verb& verb : verbs()) {
    std::istringstream page(verb_help(verb, {.width = 80}));
    for (std::string line; std::getline(page, line);) {
      const bool to_copy = line.starts_with("  kerntune ") || line.starts_with("usage:");
      EXPECT_TRUE(to_copy || line.size() <= 80U) << line;
    }
  }
}

}  // namespace
}  // namespace kerntune::app
