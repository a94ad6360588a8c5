// SPDX-License-Identifier: Apache-2.0
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
it; a configuration that crashes then takes the program with it.)",
        .options = options(),
        .examples = {{"kerntune run sgemm --config 'block_m=128,block_n=64' --batch 64",
                      "One configuration; parameters that are "
                      "left out must have a single value"},
                     {"compute-sanitizer kerntune run sgemm --batch 64 --in-process",
                      "The default configuration under a tool"}},
        .units = "Times are per run of the kernel: text in the unit that fits, JSON in nanoseconds.",
        .exit_codes = "0 it ran and its output is right, 1 it did not (the reason is shown), 2 usage, 3 environment",
    };
  }

  ExitCode run(const Console& console) override {
    const RunResult result = run_config(request());
    print(console.json ? report::run_json(result) : report::run_text(result, console.out));
    return result.rejection ? ExitCode::nothing_usable : ExitCode::done;
  }

 private:
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
         .help = "Configuration, a=1,b=2; default: the kernel's own",
         .target = &config_},
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
    if (!(timeout_s_ > 0))
      throw UsageError(fmt::format("run --timeout: expected seconds above 0, found {}", timeout_s_));
    RunRequest request;
    request.dims = parse_dims("run --dim", dims_);
    request.kernel = kernel_named(kernel_, plugins_, device_);
    check_dims("run --dim", request.kernel.spec, request.dims);
    request.config = config_;
    request.batch = batch_.value_or(0);
    request.device = resolve_device(device_, request.kernel.spec);
    request.policy = policy_for(l2_, mode_, request.device);
    request.in_process = in_process_;
    request.launches = static_cast<int>(launches_);
    request.timeout_s = timeout_s_;
    return request;
  }

  std::string kernel_, config_, device_ = "auto", l2_, mode_ = "eager";
  std::vector<std::string> dims_, plugins_;
  std::optional<std::int64_t> batch_;
  std::int64_t launches_ = 50;
  double timeout_s_ = 60;
  bool in_process_ = false;
};

}  // namespace

std::unique_ptr<Command> make_run_command() { return std::make_unique<RunCommand>(); }

}  // namespace kerntune::app
