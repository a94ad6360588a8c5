// SPDX-License-Identifier: Apache-2.0
#include "help.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "parser.hpp"

namespace kerntune::app {
namespace {

constexpr std::size_t kOptionColumn = 30;

std::string bold(std::string_view text, const report::Style& style) {
  return style.colour ? fmt::format("\x1b[1m{}\x1b[0m", text) : std::string(text);
}

/// Breaks at blanks; a line break in the text is a blank.
std::string wrapped(std::string text, std::size_t indent, int width) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  const report::Style style{.width = std::clamp(width, 60, 110)};
  return report::wrapped(text, indent, style);
}

/// A blank line in the text ends a paragraph.
std::string paragraphs(const std::string& text, std::size_t indent, int width) {
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find("\n\n", begin), text.size());
    out += (out.empty() ? "" : "\n") + wrapped(text.substr(begin, end - begin), indent, width);
    begin = end + 2;
  }
  return out;
}

std::string option_label(const Option& option) {
  std::string names = fmt::format("{}", fmt::join(names_of(option), ", "));
  if (!option.value.empty() && !is_positional(option)) names += " " + option.value;
  return names;
}

std::string option_text(const Option& option, const report::Style& style) {
  std::string help = option.help;
  if (!option.choices.empty()) help += fmt::format(" [{}]", fmt::join(option.choices, "|"));
  std::string body = wrapped(help, kOptionColumn, style.width);
  const std::string label = "  " + option_label(option);
  if (label.size() + 2 > kOptionColumn) return label + '\n' + body;
  return body.replace(0, label.size(), label);
}

std::string usage(const Verb& verb) {
  std::string text = "kerntune " + verb.name;
  for (const Option& option : verb.options) {
    const bool list = std::holds_alternative<std::vector<std::string>*>(option.target);
    const std::string word = is_positional(option) ? option.names + (list ? "..." : "") : option_label(option);
    if (option.required) text += " " + word;
    if (!option.required && is_positional(option)) text += " [" + word + "]";
  }
  return text + " [options]";
}

/// Headings in order of first use.
std::vector<std::string> groups_of(const std::vector<Option>& options) {
  std::vector<std::string> groups;
  for (const Option& option : options)
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end()) groups.push_back(option.group);
  return groups;
}

std::vector<Option> shown_options(const Verb& verb, Invocation& invocation) {
  std::vector<Option> options = verb.options;
  for (Option& option : common_options(invocation)) options.push_back(std::move(option));
  std::erase_if(options, [](const Option& option) { return option.hidden; });
  return options;
}

constexpr std::string_view kExitCodes =
    "0 done, 1 nothing usable, 2 usage, 3 environment, 4 partial (interrupted, or some batches have no result)";

}  // namespace

std::string verb_help(const Verb& verb, const report::Style& style) {
  Invocation unused;
  const std::vector<Option> options = shown_options(verb, unused);
  std::string out = fmt::format("{}\n\n{} {}\n", verb.summary, bold("usage:", style), usage(verb));
  if (!verb.description.empty()) out += '\n' + paragraphs(verb.description, 0, style.width);
  for (const std::string& group : groups_of(options)) {
    out += fmt::format("\n{}\n", bold(group.empty() ? "options" : group, style));
    for (const Option& option : options)
      if (option.group == group) out += option_text(option, style);
  }
  if (!verb.examples.empty())
    out += fmt::format("\n{}\n", bold(verb.examples.size() > 1 ? "examples" : "example", style));
  for (const Example& example : verb.examples)
    out += fmt::format("  {}\n{}", example.command, wrapped(example.what, 6, style.width));
  if (!verb.units.empty()) out += fmt::format("\n{}\n{}", bold("units", style), paragraphs(verb.units, 2, style.width));
  out += fmt::format("\n{}\n", bold("exit codes", style));
  return out + paragraphs(verb.exit_codes.empty() ? std::string(kExitCodes) : verb.exit_codes, 2, style.width);
}

std::string program_help(const std::vector<Verb>& verbs, const report::Style& style) {
  std::string out = "kerntune finds the fastest correct configuration of a CUDA or host kernel for each batch size.\n";
  out += fmt::format("\n{} kerntune VERB [arguments] [options]\n\n{}\n", bold("usage:", style), bold("verbs", style));
  for (const Verb& verb : verbs) out += fmt::format("  {:<14}{}\n", verb.name, verb.summary);
  out += fmt::format("  {:<14}{}\n  {:<14}{}\n", "help [VERB]", "This list, or the page of a verb", "--version",
                     "Print the version");
  out += fmt::format("\n{}\n", bold("first steps", style));
  out += "  kerntune kernels                 what can be tuned\n";
  out += "  kerntune tune KERNEL --batch 64  tune it here; results are kept and reused\n";
  out += "  kerntune query KERNEL --batch 64 --device auto\n";
  out += fmt::format("\n{}\n  {}\n", bold("exit codes", style), kExitCodes);
  return out;
}

std::string reference_page(const std::vector<Verb>& verbs) {
  const report::Style plain{.colour = false, .utf8 = true, .width = 110};
  std::string out =
      "# Command line\n\n"
      "Made from the program's own help: `kerntune help --markdown > docs/cli.md`. A test fails when they differ.\n"
      "Results of `--json` are described in [json.md](json.md).\n\n```text\n";
  out += program_help(verbs, plain) + "```\n";
  for (const Verb& verb : verbs)
    out += fmt::format("\n## kerntune {}\n\n```text\n{}```\n", verb.name, verb_help(verb, plain));
  return out;
}

}  // namespace kerntune::app
