// SPDX-License-Identifier: Apache-2.0
// What one propose() and observe() cost, in a space of 10^9 configurations under a constraint.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include <kerntune/search/strategy.hpp>

namespace {

using kerntune::search::Config;
using kerntune::search::Feedback;
using kerntune::search::Param;
using kerntune::search::ParamSpace;

ParamSpace large_space() {
  std::vector<Param> params;
  for (int p = 0; p < 10; ++p) {
    Param param = {"p" + std::to_string(p), {}};
    for (std::int64_t value = 1; value <= 8; ++value) {
      param.values.emplace_back(value);
    }
    params.push_back(std::move(param));
  }
  return ParamSpace::build(std::move(params), {"p0 * p1 <= 32", "p2 % p3 == 0 or p4 > 2"});
}

double time_of(const Config& config) {
  double time_ns = 1000;
  for (std::size_t p = 0; p < config.size(); ++p) {
    const double off = static_cast<double>(config[p]) - static_cast<double>(p) * 0.8;
    time_ns += off * off * 10;
  }
  return time_ns;
}

// A run of range(0) evaluations; the reported time per item is one proposal with its observation.
void run(benchmark::State& state, std::string_view name) {
  const ParamSpace space = large_space();
  for (auto _ : state) {
    const auto strategy = kerntune::search::make_strategy(name, space, 1);
    for (std::int64_t i = 0; i < state.range(0); ++i) {
      const Config config = strategy->propose().config;
      strategy->observe(config, {Feedback::Status::measured, time_of(config)});
    }
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

BENCHMARK_CAPTURE(run, exhaustive, "exhaustive")->Arg(200)->Arg(2000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, random, "random")->Arg(200)->Arg(2000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, local, "local")->Arg(200)->Arg(2000)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, model, "model")->Arg(100)->Arg(200)->Arg(500)->Arg(2000)->Unit(benchmark::kMillisecond);

}  // namespace
