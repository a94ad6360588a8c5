// SPDX-License-Identifier: Apache-2.0
// What production pays: once for opening, once per call site for resolving, per launch for picking.
#include <benchmark/benchmark.h>

#include <array>
#include <filesystem>
#include <string>

#include <kerntune/query/tuned_configs.hpp>
#include <kerntune/storage/result_store.hpp>

#include "support/sample_records.hpp"

namespace {

using namespace kerntune;

constexpr char kPath[] = "/dev/shm/kerntune-query-bench.db";
constexpr std::int64_t kBatches = 20;

std::string sizes(std::int64_t i) { return "k=" + std::to_string(i) + ",n=4096"; }

// `winners` winners: 20 batches at each of several sizes.
void make_store(std::int64_t winners) {
  std::filesystem::remove(kPath);
  auto store = storage::ResultStore::open(kPath, storage::ResultStore::Mode::create);
  for (std::int64_t i = 0; i < winners; ++i) {
    auto record = testing::sample_final(std::int64_t{1} << i % kBatches, static_cast<double>(10 + i % kBatches));
    record.other_dims = sizes(i / kBatches);
    record.dims = "batch=" + std::to_string(record.batch) + "," + record.other_dims;
    kerntune::testing::record_winner(store, record);
  }
}

query::Key key(std::int64_t size) { return {"gemm", sizes(size), "cc90-sm132", ""}; }

void open(benchmark::State& state) {
  make_store(state.range(0));
  for (auto _ : state) {
    const auto configs = query::TunedConfigs::open(kPath);
    if (!configs.error().empty()) state.SkipWithError(configs.error().c_str());
    benchmark::DoNotOptimize(configs);
  }
  std::filesystem::remove(kPath);
}

class Opened : public benchmark::Fixture {
 public:
  void SetUp(const benchmark::State&) override {
    make_store(10'000);
    configs = query::TunedConfigs::open(kPath);
    std::filesystem::remove(kPath);
  }
  query::TunedConfigs configs;
};

BENCHMARK_F(Opened, resolve)(benchmark::State& state) {
  std::array<query::Key, 64> keys;
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = key(static_cast<std::int64_t>(i * 7));
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(configs.resolve(keys[i++ % keys.size()]));
}

// Batches in an order that no branch predictor learns, as with real traffic.
BENCHMARK_F(Opened, pick)(benchmark::State& state) {
  std::array<std::int64_t, 1024> batches;
  std::uint64_t random = 1;
  for (auto& batch : batches) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    batch = static_cast<std::int64_t>(random >> 33) % (std::int64_t{1} << (random >> 58) % kBatches) + 1;
  }
  const query::Family family = configs.resolve(key(3));
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(family.pick(batches[i++ % batches.size()]));
}

BENCHMARK_F(Opened, pick_same_batch)(benchmark::State& state) {
  const query::Family family = configs.resolve(key(3));
  std::int64_t batch = 100;
  for (auto _ : state) {
    benchmark::DoNotOptimize(batch);
    benchmark::DoNotOptimize(family.pick(batch));
  }
}

BENCHMARK(open)->Arg(100)->Arg(10'000)->Unit(benchmark::kMillisecond);

}  // namespace
