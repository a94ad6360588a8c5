// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include <kerntune/core/errors.hpp>
#include <kerntune/core/tuner.hpp>

#include "common.hpp"
#include "progress_printer.hpp"
#include "tune_options.hpp"

namespace kerntune::app {
namespace {

class RecordCommand final : public Command {
 public:
  Verb describe() override {
    Verb verb{
        .name = "record",
        .summary = "Measure a whole space into a file that can be replayed",
        .description =
            R"(Measures every configuration at each batch and writes a recording, which 'kerntune tune --device replay:FILE' reads:
for judging search strategies, for tests and for teaching. Everything goes through the result store, so an
interrupted recording goes on where it was; the file is written when the space is complete.)",
        .options = options_.describe(),
        .examples = {{"kerntune record copy --batch 1,64 -o copy.json", "Two batches of a small space"},
                     {"kerntune tune copy --device replay:copy.json --budget 20", "Search in it without a device"}},
        .units = "The recording keeps every sample in nanoseconds.",
        .exit_codes =
            R"(0 done, 1 nothing usable, 2 usage, 3 environment, 4 interrupted (no file was written) or batches without a result)",
    };
    verb.options.push_back({.names = "-o,--output",
                            .value = "FILE",
                            .help = "Recording to write; packed if it ends in .gz",
                            .target = &output_,
                            .required = true,
                            .group = "output"});
    verb.options.push_back(
        {.names = "--quiet", .value = "", .help = "No progress on stderr", .target = &quiet_, .group = "output"});
    return verb;
  }

  ExitCode run(const Console& console) override {
    check_output();
    RecordRequest request{options_.request("record"), output_};
    request.tune.command = console.command_line;
    const auto show = quiet_ ? ProgressPrinter::Show::nothing : ProgressPrinter::Show::progress;
    report::RecordingReport report;
    report.output = output_;
    report.tune = run_with_progress(console, show, [&](const ProgressSink& sink, const StopFlag& stop) {
      return record_space(request, sink, stop);
    });
    report.written = !report.tune.interrupted && report.tune.stopped.empty();
    print(console.json ? report::record_json(report) : report::record_text(report, console.out));
    return recording_exit_code(report.tune);
  }

 private:
  static ExitCode recording_exit_code(const TuneReport& report) {
    const auto measured = [](const BatchResult& batch) { return report::fastest_seen(batch) != nullptr; };
    if (report.interrupted || !report.stopped.empty()) return ExitCode::partial;
    if (std::none_of(report.batches.begin(), report.batches.end(), measured)) return ExitCode::nothing_usable;
    return std::all_of(report.batches.begin(), report.batches.end(), measured) ? ExitCode::done : ExitCode::partial;
  }

  void check_output() const {
    const std::filesystem::path folder = std::filesystem::absolute(output_).parent_path();
    std::error_code error;
    if (!std::filesystem::is_directory(folder, error))
      throw UsageError(
          fmt::format("record --output '{}': folder '{}' does not exist; make it first", output_, folder.string()));
    check_writable("write recording", output_);
  }

  TuneOptions options_{TuneOptions::For::record};
  std::string output_;
  bool quiet_ = false;
};

}  // namespace

std::unique_ptr<Command> make_record_command() { return std::make_unique<RecordCommand>(); }

}  // namespace kerntune::app
