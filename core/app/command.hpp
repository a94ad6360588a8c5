// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <kerntune/core/report.hpp>

namespace kerntune::app {

/// What the shell is told. Scripts depend on the numbers (docs/cli.md).
enum class ExitCode : int {
  done = 0,
  nothing_usable = 1,  // it ran, and no configuration (or no answer) can be used
  usage = 2,           // the command line or an input file is wrong
  environment = 3,     // a device, a plugin, a file or a library is missing or broken
  partial = 4,         // interrupted, or some batches have no result
};

/// Where an option's text goes once it is converted. Borrowed: the command that describes the option owns it.
using Target = std::variant<bool*, std::string*, std::vector<std::string>*, std::int64_t*, std::uint64_t*, double*,
                            std::optional<std::int64_t>*, std::optional<std::uint64_t>*>;

struct Option {
  std::string names{};  // "--batch", "-o,--output"; without dashes a positional: "KERNEL"
  std::string value{};  // placeholder shown in the help, "N"; empty for flags and positionals
  std::string help{};
  Target target{};
  std::vector<std::string> choices{};  // the only texts allowed; empty: any
  bool required = false;
  std::string group{};  // heading in the help; empty: "options"
  bool hidden = false;  // not in the help: between processes of ours
};

struct Example {
  std::string command;
  std::string what;
};

/// A verb as the help, the reference page and the parser see it.
struct Verb {
  std::string name;
  std::string summary{};      // one line, for the list of verbs
  std::string description{};  // paragraphs
  std::vector<Option> options{};
  std::vector<Example> examples{};
  std::string units{};       // units of what goes in and comes out
  std::string exit_codes{};  // what this verb's codes mean, where that needs saying
};

/// Where output goes and how it may look there.
struct Console {
  report::Style out;  // stdout
  report::Style err;  // stderr
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  bool json = false;         // one JSON document on stdout, nothing else there
  std::string command_line;  // what the user typed, for records
};

/// One verb: describes itself, then runs with the values that the parser put into its members.
class Command {
 public:
  virtual ~Command() = default;
  /// Options point into this object.
  virtual Verb describe() = 0;
  /// Errors: the Error family and StorageError, SpaceError; the caller turns them into exit codes.
  virtual ExitCode run(const Console& console) = 0;
};

/// Every verb, in the order of the help.
std::vector<std::unique_ptr<Command>> all_commands();

std::unique_ptr<Command> make_check_plugin_command();
std::unique_ptr<Command> make_devices_command();
std::unique_ptr<Command> make_kernels_command();
std::unique_ptr<Command> make_list_command();
std::unique_ptr<Command> make_query_command();
std::unique_ptr<Command> make_record_command();
std::unique_ptr<Command> make_run_command();
std::unique_ptr<Command> make_profile_command();
std::unique_ptr<Command> make_show_command();
std::unique_ptr<Command> make_space_command();
std::unique_ptr<Command> make_tune_command();

/// Writes to stdout. Errors: kerntune::Error if it cannot be written (a full disk, a closed pipe).
void print(const std::string& text);
/// Text for the user on stderr. Where it cannot be written (a log on a full disk) the work goes on.
void say(const std::string& text) noexcept;

}  // namespace kerntune::app
