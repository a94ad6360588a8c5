// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include <kerntune/core/errors.hpp>
#include <kerntune/core/tuner.hpp>

#include "common.hpp"
#include "convert.hpp"

namespace kerntune::app {
namespace {

class RunCommand final : public Command {
 public:
  Verb describe() override {
    return {
        .name = "run",
        .summary = "Verify and time one configuration",
        .description =
            R"(Compiles, verifies and times one configuration and shows what is known about it. Nothing is stored. With
--in-process everything happens in this process, so that ncu, compute-sanitizer or cuda-gdb can be put in front of
it; a configuration that crashes then takes the program with it.

With --paired, or several --config, the configurations are compared as in the final of a tune: rounds in which each has
its turn, and the ratio to the fastest with an interval that holds for all of them together.)",
        .options = options(),
        .examples = {{"kerntune run transpose --config 'tile=64,block_y=8,vec=4,pad=1,order=rows' --batch 64",
                      "One configuration, in full"},
                     {"kerntune run transpose --config tile=64 --batch 64", "The default with another tile"},
                     {"kerntune run transpose --batch 64 --paired --config 'tile=64,block_y=8,vec=4,pad=1,order=rows'",
                      "Whether it is faster than the default, and whether that can be told"},
                     {"compute-sanitizer kerntune run sgemm --batch 64 --in-process",
                      "The default configuration under a tool"}},
        .units = "Times are per run of the kernel: text in the unit that fits, JSON in nanoseconds.",
        .exit_codes =
            "0 it ran and its output is right, 1 it did not (the reason is shown), 2 usage, 3 environment, 4 some of "
            "those compared did not run",
    };
  }

  ExitCode run(const Console& console) override {
    if (paired_ || configs_.size() > 1) return run_paired(console);
    const RunResult result = run_config(request());
    print(console.json ? report::run_json(result) : report::run_text(result, console.out));
    return result.rejection ? ExitCode::nothing_usable : ExitCode::done;
  }

 private:
  ExitCode run_paired(const Console& console) {
    if (in_process_) throw UsageError("run --paired: not with --in-process; a comparison needs its worker");
    std::vector<std::string> texts = configs_;
    if (texts.size() < 2) texts.emplace_back();  // against the default
    const Comparison comparison = compare_configs(request(), texts);
    print(console.json ? report::comparison_json(comparison) : report::comparison_text(comparison, console.out));
    if (comparison.leader.empty()) return ExitCode::nothing_usable;
    const auto failed = [](const Comparison::Entry& entry) { return entry.rejection.has_value(); };
    return std::any_of(comparison.entries.begin(), comparison.entries.end(), failed) ? ExitCode::partial
                                                                                     : ExitCode::done;
  }

  std::vector<Option> options() {
    return {
        {.names = "KERNEL",
         .value = "",
         .help = "A kernel's name, PLUGIN.so[:KERNEL] or a spec file (.json)",
         .target = &kernel_,
         .required = true,
         .group = "arguments"},
        {.names = "--config",
         .value = "TEXT",
         .help = "Configuration, a=1,b=2; parameters that are left out take the value of the kernel's default "
                 "configuration; repeatable with --paired",
         .target = &configs_},
        {.names = "--paired",
         .value = "",
         .help = "Compare the configurations (one: with the default) in interleaved, paired rounds",
         .target = &paired_},
        {.names = "--batch", .value = "N", .help = "Batch; default: the kernel's usual one", .target = &batch_},
        {.names = "--dim", .value = "NAME=VALUE", .help = "Another size of the problem; repeatable", .target = &dims_},
        {.names = "--device", .value = "D", .help = "auto, host, cuda:N or replay:FILE", .target = &device_},
        {.names = "--plugins",
         .value = "PATH",
         .help = "Where to look for the kernel, instead of the usual folders; repeatable",
         .target = &plugins_},
        {.names = "--l2",
         .value = "STATE",
         .help = "Cache before each launch; default: cold on a GPU, warm on the host",
         .target = &l2_,
         .choices = {"cold", "warm"}},
        {.names = "--mode",
         .value = "MODE",
         .help = "How launches are issued; default eager",
         .target = &mode_,
         .choices = {"eager", "graph"}},
        {.names = "--launches", .value = "N", .help = "Timed launches; default 50", .target = &launches_},
        {.names = "--timeout",
         .value = "S",
         .help = "Seconds that one step may take, beside 20 times what launches usually take; default 60",
         .target = &timeout_s_},
        {.names = "--in-process",
         .value = "",
         .help = "Run in this process, for tools to attach to",
         .target = &in_process_},
    };
  }

  RunRequest request() {
    if (batch_ && *batch_ <= 0)
      throw UsageError(fmt::format("run --batch: expected a number from 1 on, found {}", *batch_));
    if (launches_ < 1 || launches_ > 1'000'000)
      throw UsageError(fmt::format("run --launches: expected 1 to 1000000, found {}", launches_));
    check_seconds("run --timeout", timeout_s_);
    RunRequest request;
    request.dims = parse_dims("run --dim", dims_);
    request.kernel = kernel_named(kernel_, plugins_, device_);
    check_dims("run --dim", request.kernel.spec, request.dims);
    request.config = configs_.empty() ? std::string() : configs_.front();
    request.batch = batch_.value_or(0);
    request.device = resolve_device(device_, request.kernel.spec);
    request.policy = policy_for(l2_, mode_, request.device);
    request.in_process = in_process_;
    request.launches = static_cast<int>(launches_);
    request.timeout_s = timeout_s_;
    return request;
  }

  std::string kernel_, device_ = "auto", l2_, mode_ = "eager";
  std::vector<std::string> configs_, dims_, plugins_;
  std::optional<std::int64_t> batch_;
  std::int64_t launches_ = 50;
  double timeout_s_ = 60;
  bool in_process_ = false, paired_ = false;
};

}  // namespace

std::unique_ptr<Command> make_run_command() { return std::make_unique<RunCommand>(); }

}  // namespace kerntune::app
