// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include <kerntune/core/errors.hpp>
#include <kerntune/search/param_space.hpp>
#include <kerntune/search/rng.hpp>

#include "common.hpp"
#include "convert.hpp"

namespace kerntune::app {
namespace {

search::ParamSpace space_of(const KernelSpec& spec) {
  std::vector<search::Param> params;
  for (const ParamSpec& param : spec.params) params.push_back({param.name, param.values});
  return search::ParamSpace::build(std::move(params), spec.constraints);
}

constexpr std::int64_t kMostSamples = 1'000'000;  // they are held in memory

/// Decimal digits to an exact 128-bit index. Requires: count > 0.
search::Count parse_index(const std::string& text, search::Count count) {
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  if (!digits) throw UsageError(fmt::format("space --at: expected a whole number from 0 on, found '{}'", text));
  search::Count index = 0;
  for (const char digit : text) {
    const auto units = static_cast<unsigned>(digit - '0');
    if (units >= count || index > (count - 1 - units) / 10)
      throw UsageError(fmt::format("space --at: expected an index below {}, found {}", search::to_string(count), text));
    index = index * 10 + units;
  }
  return index;
}

class SpaceCommand final : public Command {
 public:
  Verb describe() override {
    return {
        .name = "space",
        .summary = "Count, sample or index the valid configurations of a space",
        .description =
            R"(Shows the parameters and constraints of a space and how many configurations it has. The space may be a kernel's, or
that of a file: a kernel spec, a T1 input file (Kernel Tuner, BAT, KTT), a bare definition {"name", "params",
"constraints"} or a recording. Configurations are found by index without ever being listed, so that large spaces
cost no more than small ones.)",
        .options = {{.names = "SPEC",
                     .value = "",
                     .help = "A file or a kernel",
                     .target = &spec_,
                     .required = true,
                     .group = "arguments"},
                    {.names = "--count",
                     .value = "",
                     .help = "Print the number of valid configurations and nothing else",
                     .target = &count_},
                    {.names = "--sample",
                     .value = "N",
                     .help = "N configurations drawn uniformly, with repetition",
                     .target = &sample_},
                    {.names = "--seed", .value = "N", .help = "Seed of the sample; default 1", .target = &seed_},
                    {.names = "--at", .value = "I", .help = "The configuration with index I, from 0", .target = &at_},
                    {.names = "--plugins",
                     .value = "PATH",
                     .help = "Where to look for the kernel, instead of the usual folders; repeatable",
                     .target = &plugins_}},
        .examples = {{"kerntune space gemm.json --count", "The bare number"},
                     {"kerntune space sgemm --sample 5 --seed 7", "Five configurations with their indices"}},
        .units = "Counts and indices are exact, also beyond 64 bits.",
        .exit_codes = "0 done, 1 the space is empty, 2 usage or a broken file, 3 environment",
    };
  }

  ExitCode run(const Console& console) override {
    const int wishes = (count_ ? 1 : 0) + (sample_ ? 1 : 0) + (at_.empty() ? 0 : 1);
    if (wishes > 1) throw UsageError("space: --count, --sample and --at exclude each other; give one of them");
    if (sample_ && (*sample_ < 1 || *sample_ > kMostSamples))
      throw UsageError(fmt::format("space --sample: expected 1 to {}, found {}", kMostSamples, *sample_));
    report::SpaceListing listing{kernel_named(spec_, plugins_), {}};
    const search::ParamSpace space = space_of(listing.kernel.spec);
    if (count_ && !console.json) {
      print(search::to_string(space.count()) + '\n');
    } else {
      if (!space.empty()) fill(listing, space);
      print(console.json ? report::space_json(listing) : report::space_text(listing, console.out));
    }
    return space.empty() ? ExitCode::nothing_usable : ExitCode::done;
  }

 private:
  void fill(report::SpaceListing& listing, const search::ParamSpace& space) const {
    if (!at_.empty()) add(listing, space, space.at(parse_index(at_, space.count())));
    search::Rng rng(seed_);
    for (std::int64_t i = 0; i < sample_.value_or(0); ++i) add(listing, space, space.sample(rng));
  }

  static void add(report::SpaceListing& listing, const search::ParamSpace& space, const search::Config& config) {
    const auto index = space.index_of(config);
    if (!index) throw Error(fmt::format("space: configuration {} is not in its own space", space.text(config)));
    listing.configurations.push_back({search::to_string(*index), space.text(config)});
  }

  std::string spec_, at_;
  std::vector<std::string> plugins_;
  std::optional<std::int64_t> sample_;
  std::uint64_t seed_ = 1;
  bool count_ = false;
};

}  // namespace

std::unique_ptr<Command> make_space_command() { return std::make_unique<SpaceCommand>(); }

}  // namespace kerntune::app
