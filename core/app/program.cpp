// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>

#include <fmt/format.h>

#include <kerntune/core/errors.hpp>
#include <kerntune/search/param_space.hpp>
#include <kerntune/storage/result_store.hpp>

#include "command.hpp"
#include "console.hpp"
#include "help.hpp"
#include "near_name.hpp"
#include "parser.hpp"

namespace kerntune::app {
namespace {

using Commands = std::vector<std::unique_ptr<Command>>;

std::vector<Verb> describe_all(const Commands& commands) {
  std::vector<Verb> verbs;
  for (const auto& command : commands) verbs.push_back(command->describe());
  return verbs;
}

Command& find_command(const Commands& commands, const std::vector<Verb>& verbs, const std::string& word) {
  for (std::size_t i = 0; i < commands.size(); ++i)
    if (verbs[i].name == word) return *commands[i];
  std::vector<std::string> known{"help"};
  for (const Verb& verb : verbs) known.push_back(verb.name);
  throw UsageError(
      fmt::format("unknown verb '{}'{}; 'kerntune help' lists the verbs", word, did_you_mean(word, known)));
}

ExitCode help(const Commands& commands, const std::vector<Verb>& verbs, const std::vector<std::string>& words,
              const Console& console) {
  if (words.empty()) {
    print(program_help(verbs, console.out));
  } else if (words.front() == "--markdown") {
    print(reference_page(verbs));
  } else {
    print(verb_help(find_command(commands, verbs, words.front()).describe(), console.out));
  }
  return ExitCode::done;
}

ExitCode run_verb(const std::vector<std::string>& words, Console& console) {
  const Commands commands = all_commands();
  const std::vector<Verb> verbs = describe_all(commands);
  if (words.empty()) throw UsageError("a verb was expected; 'kerntune help' lists them");
  const std::vector<std::string> rest(words.begin() + 1, words.end());
  if (words.front() == "help" || words.front() == "--help" || words.front() == "-h")
    return help(commands, verbs, rest, console);
  if (words.front() == "--version") {
    print("kerntune " KERNTUNE_VERSION "\n");
    return ExitCode::done;
  }
  Command& command = find_command(commands, verbs, words.front());
  const Verb verb = command.describe();
  const Invocation invocation = parse(verb, rest);
  console.json = invocation.json;
  if (invocation.help) return help(commands, verbs, {verb.name}, console);
  return command.run(console);
}

struct Failure {
  ExitCode code;
  const char* kind;
};

/// The one place where errors become exit codes.
Failure classify(const std::exception& error) {
  if (dynamic_cast<const UsageError*>(&error) != nullptr) return {ExitCode::usage, "usage"};
  if (dynamic_cast<const SpecError*>(&error) != nullptr) return {ExitCode::usage, "spec"};
  if (dynamic_cast<const search::SpaceError*>(&error) != nullptr) return {ExitCode::usage, "space"};
  if (dynamic_cast<const PluginError*>(&error) != nullptr) return {ExitCode::environment, "plugin"};
  if (dynamic_cast<const DeviceError*>(&error) != nullptr) return {ExitCode::environment, "device"};
  if (dynamic_cast<const storage::StorageError*>(&error) != nullptr) return {ExitCode::environment, "storage"};
  return {ExitCode::environment, "environment"};
}

std::string command_line(const std::vector<std::string>& words) {
  std::string line = "kerntune";
  for (const std::string& word : words) line += ' ' + report::shell_word(word);
  return line;
}

int report_failure(const std::exception& error, bool json) {
  const Failure failure = classify(error);
  const int code = static_cast<int>(failure.code);
  std::fflush(stdout);
  say(fmt::format("kerntune: {}\n", error.what()));
  if (json) {
    const std::string text = report::error_json(failure.kind, error.what(), code);
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  }
  return code;
}

}  // namespace

int run_program(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  // Errors of the parser, too, are reported in the form that was asked for.
  const bool json = std::find(words.begin(), words.end(), "--json") != words.end();
  try {
    Console console = make_console();
    console.command_line = command_line(words);
    return static_cast<int>(run_verb(words, console));
  } catch (const std::exception& error) {
    return report_failure(error, json);
  }
}

}  // namespace kerntune::app
