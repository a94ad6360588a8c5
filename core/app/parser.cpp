// SPDX-License-Identifier: Apache-2.0
// The only file that knows CLI11.
#include "parser.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <kerntune/core/errors.hpp>

#include "convert.hpp"
#include "near_name.hpp"

namespace kerntune::app {
namespace {

bool is_flag(const Option& option) { return std::holds_alternative<bool*>(option.target); }
bool is_list(const Option& option) { return std::holds_alternative<std::vector<std::string>*>(option.target); }

std::vector<Option> every_option(const Verb& verb, Invocation& invocation) {
  std::vector<Option> options = verb.options;
  for (Option& option : common_options(invocation)) options.push_back(std::move(option));
  return options;
}

[[noreturn]] void refuse_unknown(const Verb& verb, const std::string& word, const std::vector<std::string>& known) {
  throw UsageError(fmt::format("{}: unknown option '{}'{}; 'kerntune {} --help' lists the options", verb.name, word,
                               did_you_mean(word, known), verb.name));
}

/// CLI11 reports an unknown option last, after what is missing because of it; people want to hear of it first.
void refuse_unknown_options(const Verb& verb, const std::vector<Option>& options,
                            const std::vector<std::string>& words) {
  std::vector<std::string> known;
  for (const Option& option : options)
    if (!is_positional(option))
      for (std::string& name : names_of(option)) known.push_back(std::move(name));
  for (const std::string& word : words) {
    if (word == "--") return;
    if (!word.starts_with("--")) continue;
    const std::string name = word.substr(0, word.find('='));
    if (std::find(known.begin(), known.end(), name) == known.end()) refuse_unknown(verb, name, known);
  }
}

/// CLI11 takes the word after "--db=" for its value: an empty shell variable would swallow the next option.
void refuse_empty_values(const Verb& verb, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word == "--") return;
    if (word.starts_with("--") && word.find('=') == word.size() - 1)
      throw UsageError(
          fmt::format("{} {}: expected a value after '=', found nothing", verb.name, word.substr(0, word.size() - 1)));
  }
}

std::string display_name(const Option& option) { return names_of(option).back(); }

/// One option's words, as CLI11 collected them.
struct Collected {
  const Option* option = nullptr;
  std::vector<std::string> words;
  bool present = false;
};

void declare(CLI::App& app, Collected& collected) {
  const Option& option = *collected.option;
  if (is_flag(option)) {
    app.add_flag(option.names, collected.present);
    return;
  }
  CLI::Option* added = app.add_option(option.names, collected.words);
  if (is_positional(option) && is_list(option)) return;
  // One word per appearance: "--dim a=1 b" must leave b alone.
  added->allow_extra_args(false)->expected(1);
  if (is_list(option) || !is_positional(option)) added->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void store(const Verb& verb, const Collected& collected) {
  const Option& option = *collected.option;
  const std::string where = fmt::format("{} {}", verb.name, display_name(option));
  if (is_flag(option)) {
    if (collected.present) *std::get<bool*>(option.target) = true;
    return;
  }
  if (collected.words.empty()) {
    if (option.required) throw UsageError(fmt::format("{} is missing; see 'kerntune {} --help'", where, verb.name));
    return;
  }
  if (collected.words.size() > 1 && !is_list(option))
    throw UsageError(fmt::format("{} was given {} times ({}); once is expected", where, collected.words.size(),
                                 fmt::join(collected.words, ", ")));
  for (const std::string& word : collected.words) {
    if (word.empty()) throw UsageError(fmt::format("{}: expected a value, found an empty word", where));
    convert(where, option, word);
  }
}

void run_parser(CLI::App& app, const Verb& verb, const std::vector<std::string>& words) {
  std::vector<std::string> reversed(words.rbegin(), words.rend());
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::ParseError& error) {
    throw UsageError(fmt::format("{}: {}; see 'kerntune {} --help'", verb.name, error.what(), verb.name));
  }
  std::vector<std::string> extra = app.remaining();
  std::erase(extra, "--");  // CLI11 counts the separator itself among what is left over
  if (extra.empty()) return;
  throw UsageError(
      fmt::format("{}: '{}' was not expected; see 'kerntune {} --help'", verb.name, extra.front(), verb.name));
}

bool asks_for_help(const std::vector<std::string>& words) {
  const auto end = std::find(words.begin(), words.end(), "--");
  return std::any_of(words.begin(), end, [](const std::string& word) { return word == "--help" || word == "-h"; });
}

}  // namespace

bool is_positional(const Option& option) { return !option.names.starts_with("-"); }

std::vector<std::string> names_of(const Option& option) { return split(option.names, ','); }

std::vector<Option> common_options(Invocation& invocation) {
  return {
      {.names = "--json",
       .value = "",
       .help = "Print one JSON document instead of text (docs/json.md)",
       .target = &invocation.json,
       .group = "common options"},
      {.names = "-h,--help",
       .value = "",
       .help = "Print this help",
       .target = &invocation.help,
       .group = "common options"},
  };
}

Invocation parse(const Verb& verb, const std::vector<std::string>& words) {
  Invocation invocation;
  // Known before anything can fail: errors are reported in the form that was asked for.
  if (asks_for_help(words)) return {.help = true, .json = false};
  const std::vector<Option> options = every_option(verb, invocation);
  refuse_unknown_options(verb, options, words);
  refuse_empty_values(verb, words);

  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::vector<Collected> collected(options.size());
  for (std::size_t i = 0; i < options.size(); ++i) {
    collected[i].option = &options[i];
    declare(app, collected[i]);
  }
  run_parser(app, verb, words);
  for (const Collected& one : collected) store(verb, one);
  return invocation;
}

}  // namespace kerntune::app
