// SPDX-License-Identifier: Apache-2.0
// How long until a space is ready, that is until it can count and reach any configuration, and what using it costs.
// Targets: gemm 18 ms and expdist 3 ms (KTT 2.2's tree on one core), all recorded spaces together 0.1 s, a space of
// more than 1e15 configurations 100 ms and 100 MB.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <kerntune/expr/expression.hpp>
#include <kerntune/search/param_space.hpp>

#include "param_space_loader.hpp"

namespace {

using namespace kerntune;
using search::Config;
using search::ParamSpace;
using search::Rng;

constexpr const char* kRecorded[] = {"atf_prl",           "atf_prl2", "atf_prl4", "convolution_milo", "dedispersion",
                                     "dedispersion_milo", "expdist",  "gemm",     "gemm_milo",        "hotspot_milo"};

ParamSpace build(const search::SpaceDefinition& definition) {
  return ParamSpace::build(definition.params, definition.constraints);
}

void report(benchmark::State& state, const ParamSpace& space) {
  state.counters["valid"] = static_cast<double>(space.count());
  state.counters["bytes"] = static_cast<double>(space.memory_bytes());
}

void recorded_space(benchmark::State& state, const char* name) {
  const search::SpaceDefinition definition = search::load_space_definition(name);
  for (auto _ : state) {
    benchmark::DoNotOptimize(build(definition).count());
  }
  report(state, build(definition));
}

void all_recorded_spaces(benchmark::State& state) {
  std::vector<search::SpaceDefinition> definitions;
  for (const char* name : kRecorded) {
    definitions.push_back(search::load_space_definition(name));
  }
  for (auto _ : state) {
    for (const search::SpaceDefinition& definition : definitions) {
      benchmark::DoNotOptimize(build(definition).count());
    }
  }
}
BENCHMARK(all_recorded_spaces)->Unit(benchmark::kMillisecond);

std::string name_of(std::int64_t i) { return std::string("p").append(std::to_string(i)); }

search::SpaceDefinition chain(std::int64_t params, std::int64_t values) {
  search::SpaceDefinition definition;
  for (std::int64_t i = 0; i < params; ++i) {
    definition.params.push_back({name_of(i), {}});
    for (std::int64_t value = 1; value <= values; ++value) {
      definition.params.back().values.emplace_back(value);
    }
  }
  return definition;
}

search::SpaceDefinition chain_of_products(std::int64_t params, std::int64_t values) {
  search::SpaceDefinition definition = chain(params, values);
  for (std::int64_t i = 0; i + 1 < params; ++i) {
    definition.constraints.push_back(name_of(i) + " * " + name_of(i + 1) + " <= " + std::to_string(2 * values));
  }
  return definition;
}

search::SpaceDefinition chain_of_divisors(std::int64_t params, std::int64_t values) {
  search::SpaceDefinition definition = chain(params, values);
  for (std::int64_t i = 0; i + 1 < params; ++i) {
    definition.constraints.push_back(name_of(i + 1) + " % " + name_of(i) + " == 0");
  }
  return definition;
}

// Groups of four parameters under three constraints, each sharing a parameter with the next group.
search::SpaceDefinition chain_of_groups(std::int64_t params, std::int64_t values) {
  search::SpaceDefinition definition = chain(params, values);
  for (std::int64_t i = 0; i + 3 < params; i += 3) {
    const std::string a = name_of(i);
    const std::string b = name_of(i + 1);
    const std::string c = name_of(i + 2);
    const std::string d = name_of(i + 3);
    definition.constraints.push_back(a + " * " + b + " * " + c + " <= " + std::to_string(6 * values));
    definition.constraints.push_back(c + " + " + d + " >= " + a);
    definition.constraints.push_back(d + " % " + b + " == 0");
  }
  return definition;
}

search::SpaceDefinition one_sum(std::int64_t params, std::int64_t values) {
  search::SpaceDefinition definition = chain(params, values);
  std::string sum = name_of(0);
  for (std::int64_t i = 1; i < params; ++i) {
    sum += " + " + name_of(i);
  }
  definition.constraints.push_back(sum + " <= " + std::to_string(params * values / 2));
  return definition;
}

// Builds, counts, samples and finds again, from nothing. Arguments: parameters, values of each.
void giant_space(benchmark::State& state, search::SpaceDefinition (*make)(std::int64_t, std::int64_t)) {
  const search::SpaceDefinition definition = make(state.range(0), state.range(1));
  for (auto _ : state) {
    const ParamSpace space = build(definition);
    Rng rng(1);
    benchmark::DoNotOptimize(space.index_of(space.sample(rng)));
  }
  report(state, build(definition));
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["process_peak_bytes"] = 1024.0 * static_cast<double>(usage.ru_maxrss);
}
BENCHMARK_CAPTURE(giant_space, chain_of_products, chain_of_products)
    ->Args({30, 32})
    ->Args({30, 64})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(giant_space, chain_of_divisors, chain_of_divisors)
    ->Args({40, 64})
    ->Args({60, 128})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(giant_space, chain_of_groups, chain_of_groups)
    ->Args({31, 8})
    ->Args({31, 16})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(giant_space, one_sum, one_sum)->Args({30, 16})->Unit(benchmark::kMillisecond);

void sample(benchmark::State& state, const char* name) {
  const ParamSpace space = build(search::load_space_definition(name));
  Rng rng(1);
  for (auto _ : state) {
    benchmark::DoNotOptimize(space.sample(rng));
  }
}

void find_again(benchmark::State& state, const char* name) {
  const ParamSpace space = build(search::load_space_definition(name));
  const Config config = space.at(space.count() / 2);
  for (auto _ : state) {
    benchmark::DoNotOptimize(space.index_of(config));
  }
}

void hamming_neighbours(benchmark::State& state, const char* name) {
  const ParamSpace space = build(search::load_space_definition(name));
  const Config config = space.at(space.count() / 2);
  for (auto _ : state) {
    benchmark::DoNotOptimize(space.neighbours(config, ParamSpace::Neighbourhood::hamming));
  }
}

void register_recorded() {
  for (const char* name : kRecorded) {
    benchmark::RegisterBenchmark((std::string("recorded_space/") + name).c_str(), recorded_space, name)
        ->Unit(benchmark::kMillisecond);
  }
  for (const char* name : {"gemm", "hotspot_milo"}) {
    benchmark::RegisterBenchmark((std::string("sample/") + name).c_str(), sample, name);
    benchmark::RegisterBenchmark((std::string("find_again/") + name).c_str(), find_again, name);
    benchmark::RegisterBenchmark((std::string("hamming_neighbours/") + name).c_str(), hamming_neighbours, name);
  }
}
[[maybe_unused]] const bool kRegistered = (register_recorded(), true);

constexpr const char* kConstraint =
    "use_shmem == 0 or ((block_size_x * tile_size_x + 14) * (block_size_y * tile_size_y + 14)) < 12 * 1024";

expr::Symbols constraint_symbols() {
  expr::Symbols symbols;
  for (const char* name : {"use_shmem", "block_size_x", "tile_size_x", "block_size_y", "tile_size_y"}) {
    symbols.add(name);
  }
  return symbols;
}

void compile_expression(benchmark::State& state) {
  const expr::Symbols symbols = constraint_symbols();
  for (auto _ : state) {
    benchmark::DoNotOptimize(expr::Expression::compile(kConstraint, symbols));
  }
}
BENCHMARK(compile_expression);

void evaluate_expression(benchmark::State& state) {
  const expr::Expression expression = expr::Expression::compile(kConstraint, constraint_symbols());
  std::vector<expr::Value> values;
  for (const std::int64_t value : {1, 32, 4, 8, 2}) {
    values.emplace_back(value);
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(expression.evaluate(values));
  }
}
BENCHMARK(evaluate_expression);

}  // namespace
