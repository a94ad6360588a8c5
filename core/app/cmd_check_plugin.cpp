// SPDX-License-Identifier: Apache-2.0
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include <fmt/format.h>

#include <kerntune/core/compile.hpp>
#include <kerntune/core/conformance.hpp>
#include <kerntune/core/errors.hpp>

#include "child.hpp"
#include "command.hpp"
#include "convert.hpp"

namespace kerntune::app {
namespace {

void report_to_parent(const std::string& text) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t written = write(kReportDescriptor, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw Error(fmt::format("report a check: {}", std::strerror(errno)));
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

class CheckPluginCommand final : public Command {
 public:
  Verb describe() override {
    return {
        .name = "check-plugin",
        .summary = "Check that a plugin keeps what kerntune relies on",
        .description =
            R"(Loads the plugin, checks its kernels' specs and spaces, that each default configuration applies to every declared
batch within the limits of common devices, that host kernels repeat and agree with their reference, and that sources
compile. Made for a plugin author's CI. The plugin is opened in a process of its own. A check that cannot be done
here is skipped with the reason, never passed.)",
        .options =
            {{.names = "FILE",
              .value = "",
              .help = "The plugin, a shared object",
              .target = &path_,
              .required = true,
              .group = "arguments"},
             {.names = "--seed",
              .value = "N",
              .help = "Seed of random batches, configurations and inputs; default 1",
              .target = &seed_},
             {.names = "--timeout", .value = "S", .help = "Seconds for all checks; default 300", .target = &timeout_s_},
             {.names = "--in-process",
              .value = "",
              .help = "Check in this process, for a debugger",
              .target = &in_process_},
             {.names = "--report-to-parent", .value = "STYLE", .help = "", .target = &parent_style_, .hidden = true}},
        .examples = {{"kerntune check-plugin build/libmykernels.so", "One line per check, and a verdict"}},
        .exit_codes = "0 every check passed or was skipped, 1 a check failed, 2 usage, 3 environment",
    };
  }

  ExitCode run(const Console& console) override {
    check_seconds("check-plugin --timeout", timeout_s_);
    if (!parent_style_.empty()) return check_for_parent(console);
    if (in_process_) return finish(check_here(), console, console.out, print);
    const ChildResult child = run_self(arguments(console), timeout_s_);
    if (child.ending.empty() && !child.output.empty()) {
      print(child.output);
      return static_cast<ExitCode>(child.exit_code);
    }
    return finish(crashed(child.ending.empty() ? "ended without a report" : child.ending), console, console.out, print);
  }

 private:
  template <typename Write>
  static ExitCode finish(const ConformanceReport& report, const Console& console, const report::Style& style,
                         Write write_text) {
    write_text(console.json ? report::check_json(report) : report::check_text(report, style));
    return report.passed() ? ExitCode::done : ExitCode::nothing_usable;
  }

  /// The child gets how to write as well as what to check.
  std::vector<std::string> arguments(const Console& console) const {
    const report::Style& style = console.out;
    std::vector<std::string> words{"check-plugin",
                                   path_,
                                   "--seed",
                                   fmt::format("{}", seed_),
                                   "--report-to-parent",
                                   fmt::format("{},{},{}", style.width, style.colour ? 1 : 0, style.utf8 ? 1 : 0)};
    if (console.json) words.emplace_back("--json");
    return words;
  }

  ExitCode check_for_parent(const Console& console) const {
    const std::vector<std::string> parts = split(parent_style_, ',');
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (parts.size() != 3) throw UsageError("check-plugin --report-to-parent: for kerntune's own processes");
    const report::Style style{.colour = parts[1] == "1",
                              .utf8 = parts[2] == "1",
                              .width = static_cast<int>(parse_integer("check-plugin --report-to-parent", parts[0]))};
    return finish(check_here(), console, style, report_to_parent);
  }

  ConformanceReport check_here() const {
    ConformanceOptions options;
    options.seed = seed_;
    if (!nvrtc::version().empty()) {
      options.compile = [](const CompileJob& job) { return nvrtc::compile(job); };
      options.architectures = nvrtc::architectures();
    }
    return check_plugin(path_, options);
  }

  ConformanceReport crashed(const std::string& ending) const {
    ConformanceReport report;
    report.path = path_;
    report.checks.push_back(
        {ConformanceCheck::Status::fail, "", "the process that runs the plugin survives",
         fmt::format("it {}; run 'kerntune check-plugin --in-process {}' under a debugger", ending, path_)});
    return report;
  }

  std::string path_, parent_style_;
  std::uint64_t seed_ = 1;
  double timeout_s_ = 300;
  bool in_process_ = false;
};

}  // namespace

std::unique_ptr<Command> make_check_plugin_command() { return std::make_unique<CheckPluginCommand>(); }

}  // namespace kerntune::app
