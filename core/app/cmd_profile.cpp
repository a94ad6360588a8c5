// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include <kerntune/core/errors.hpp>
#include <kerntune/core/tuner.hpp>

#include "common.hpp"
#include "convert.hpp"

namespace kerntune::app {
namespace {

class ProfileCommand final : public Command {
 public:
  Verb describe() override {
    return {
        .name = "profile",
        .summary = "Take hardware counters of configurations and say what limits them",
        .description =
            R"(Compiles, verifies and times configurations, then counts one run of each with the GPU's hardware counters (CUPTI's
range profiler) and says what limits it. With several --config, it also says what changed from each to the fastest.
Nothing is stored, and nothing is timed while the profiler is on. docs/counters.md explains sets, metrics and what to
do where counters cannot be had.)",
        .options = options(),
        .examples = {{"kerntune profile sgemm --batch 512", "The default configuration, one pass"},
                     {"kerntune profile row_softmax --batch 64 --config block_x=64 --config block_x=256",
                      "What changes with the block"},
                     {"kerntune profile sgemm --set deep --passes 0", "Pipes, stalls, spills: four passes"},
                     {"kerntune profile copy --metric dram__bytes_read.sum --metric lts__t_sectors.sum",
                      "Metrics of your own"}},
        .units = "Times are per run of the kernel; counters are in CUPTI's units, summed over one run.",
        .exit_codes =
            "0 counters were taken, 1 no configuration could be run, 2 usage, 3 environment, 4 counters cannot be had "
            "(the reason is shown), or some configurations did not run",
    };
  }

  ExitCode run(const Console& console) override {
    std::vector<std::string> texts = configs_;
    if (texts.empty()) texts.emplace_back();  // the default
    const ProfileReport report = profile_configs(request(), texts, counters());
    print(console.json ? report::profile_json(report) : report::profile_text(report, console.out));
    const auto failed = [](const ProfileReport::Entry& entry) { return entry.rejection.has_value(); };
    if (std::all_of(report.entries.begin(), report.entries.end(), failed)) return ExitCode::nothing_usable;
    const bool any_failed = std::any_of(report.entries.begin(), report.entries.end(), failed);
    return any_failed || !report.access.usable() ? ExitCode::partial : ExitCode::done;
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
         .help = "Configuration, a=1,b=2; parameters that are left out take the default's value; repeatable",
         .target = &configs_},
        {.names = "--set",
         .value = "NAME",
         .help = "Metric set: standard (one pass, by the chip), deep, flops, core, wide, compact or tensor; default "
                 "standard",
         .target = &set_},
        {.names = "--metric", .value = "NAME", .help = "A metric instead of a set; repeatable", .target = &metrics_},
        {.names = "--passes",
         .value = "N",
         .help = "Runs that counting may take; metrics that need more are dropped; 0: as many as it takes; default 1, "
                 "and 0 with --metric or --set deep",
         .target = &passes_},
        {.names = "--batch", .value = "N", .help = "Batch; default: the kernel's usual one", .target = &batch_},
        {.names = "--dim", .value = "NAME=VALUE", .help = "Another size of the problem; repeatable", .target = &dims_},
        {.names = "--device", .value = "D", .help = "auto or cuda:N", .target = &device_},
        {.names = "--plugins",
         .value = "PATH",
         .help = "Where to look for the kernel, instead of the usual folders; repeatable",
         .target = &plugins_},
        {.names = "--l2",
         .value = "STATE",
         .help = "Cache before each run; default: cold on a GPU",
         .target = &l2_,
         .choices = {"cold", "warm"}},
        {.names = "--launches",
         .value = "N",
         .help = "Timed launches before counting; default 20",
         .target = &launches_},
        {.names = "--timeout",
         .value = "S",
         .help = "Seconds that one step may take, beside 20 times what launches usually take; default 60",
         .target = &timeout_s_},
    };
  }

  RunRequest request() {
    if (batch_ && *batch_ <= 0)
      throw UsageError(fmt::format("profile --batch: expected a number from 1 on, found {}", *batch_));
    if (launches_ < 1 || launches_ > 1'000'000)
      throw UsageError(fmt::format("profile --launches: expected 1 to 1000000, found {}", launches_));
    check_seconds("profile --timeout", timeout_s_);
    RunRequest request;
    request.dims = parse_dims("profile --dim", dims_);
    request.kernel = kernel_named(kernel_, plugins_, device_);
    check_dims("profile --dim", request.kernel.spec, request.dims);
    request.batch = batch_.value_or(0);
    request.device = resolve_device(device_, request.kernel.spec);
    request.policy = policy_for(l2_, "eager", request.device);
    request.launches = static_cast<int>(launches_);
    request.timeout_s = timeout_s_;
    return request;
  }

  CounterRequest counters() const {
    if (passes_ && *passes_ < 0)
      throw UsageError(fmt::format("profile --passes: expected a number from 0 on, found {}", *passes_));
    if (!metrics_.empty() && !set_.empty()) throw UsageError("profile: --metric and --set exclude each other");
    CounterRequest request;
    if (!set_.empty()) request.set = set_;
    request.metrics = metrics_;
    const bool unbounded = !metrics_.empty() || set_ == "deep" || set_ == "flops";
    request.max_passes = passes_ ? static_cast<std::uint64_t>(*passes_) : unbounded ? 0 : 1;
    return request;
  }

  std::string kernel_, device_ = "auto", l2_, set_;
  std::vector<std::string> configs_, metrics_, dims_, plugins_;
  std::optional<std::int64_t> batch_, passes_;
  std::int64_t launches_ = 20;
  double timeout_s_ = 60;
};

}  // namespace

std::unique_ptr<Command> make_profile_command() { return std::make_unique<ProfileCommand>(); }

}  // namespace kerntune::app
