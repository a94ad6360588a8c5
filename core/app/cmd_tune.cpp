// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <fstream>
#include <optional>

#include <fmt/format.h>

#include <kerntune/core/errors.hpp>
#include <kerntune/core/tuner.hpp>

#include "common.hpp"
#include "progress_printer.hpp"
#include "tune_options.hpp"

namespace kerntune::app {
namespace {

class TuneCommand final : public Command {
 public:
  Verb describe() override {
    Verb verb{
        .name = "tune",
        .summary = "Find the fastest correct configuration for each batch",
        .description =
            R"(Searches the kernel's space for each batch, smallest first. Every configuration is compiled and run in processes of
its own, verified before it may lead, and the leaders are compared with the default in interleaved rounds. Each
result is stored as it is measured: after an interruption the same command goes on where it was, and measures
nothing again that is known and current.

Ctrl-C finishes what is in flight and prints the best so far (exit code 4); a second one stops at once.)",
        .options = options_.describe(),
        .examples =
            {{"kerntune tune axpy --batch 1,8,64 --budget 200", "Three batches, 200 configurations each"},
             {"kerntune tune ./libgemm.so:sgemm --device cuda:0 --batch 64 --dim k=4096 --dim n=4096 --budget 5m "
              "--report sgemm.html",
              "Five minutes for one kernel of a plugin, with a report to look at"}},
        .units =
            R"(Times are per run of the kernel: text in the unit that fits, JSON in nanoseconds. Speed-up is the default's time
over the best's, paired, with its 95 % interval.)",
    };
    verb.options.push_back({.names = "--report",
                            .value = "FILE.html",
                            .help = "Write one self-contained page with charts and tables",
                            .target = &report_path_,
                            .group = "output"});
    verb.options.push_back(
        {.names = "--quiet", .value = "", .help = "No progress on stderr", .target = &quiet_, .group = "output"});
    return verb;
  }

  ExitCode run(const Console& console) override {
    TuneRequest request = options_.request("tune");
    request.command = console.command_line;
    if (!report_path_.empty()) check_writable("write report", report_path_);
    const auto show = quiet_ ? ProgressPrinter::Show::nothing : ProgressPrinter::Show::progress;
    const TuneReport report = run_with_progress(console, show, [&](const ProgressSink& sink, const StopFlag& stop) {
      return kerntune::tune(request, sink, stop);
    });
    const auto unwritten = write_page(report, console);  // first: stdout may be closed or full
    print(console.json ? report::tune_json(report) : report::tune_text(report, console.out));
    if (!unwritten) return exit_code_of(report);
    say(fmt::format("kerntune: {}\n", *unwritten));  // stdout has its one document
    return ExitCode::environment;
  }

 private:
  /// Why the page could not be written, if it could not.
  std::optional<std::string> write_page(const TuneReport& report, const Console& console) const {
    if (report_path_.empty()) return std::nullopt;
    std::ofstream file(report_path_, std::ios::binary | std::ios::trunc);
    file << report::tune_html(report, console.command_line);
    file.close();
    if (!file) return fmt::format("write report '{}': the file could not be written completely", report_path_);
    if (!quiet_) say(fmt::format("report written to {}\n", report_path_));
    return std::nullopt;
  }

  TuneOptions options_{TuneOptions::For::tune};
  std::string report_path_;
  bool quiet_ = false;
};

}  // namespace

std::unique_ptr<Command> make_tune_command() { return std::make_unique<TuneCommand>(); }

}  // namespace kerntune::app
