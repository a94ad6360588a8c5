// SPDX-License-Identifier: Apache-2.0
// What storing costs: one evaluation with 100 samples, and the started row of the next, in one commit.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <string>

#include <kerntune/storage/result_store.hpp>

#include "support/sample_records.hpp"

namespace {

using namespace kerntune;
using storage::ResultStore;

class StoreIn {
 public:
  explicit StoreIn(const std::string& folder) : path_(folder + "/kerntune-store-bench.db") { remove(); }
  StoreIn(const StoreIn&) = delete;
  StoreIn& operator=(const StoreIn&) = delete;
  ~StoreIn() { remove(); }
  ResultStore open() const { return ResultStore::open(path_, ResultStore::Mode::create); }

 private:
  void remove() const {
    std::filesystem::remove(path_);
    std::filesystem::remove(path_ + "-journal");
  }
  std::string path_;
};

std::string config(std::int64_t i) { return "block_x=" + std::to_string(i % 97) + ",tile=" + std::to_string(i); }

void commit_one(benchmark::State& state, const std::string& folder) {
  const StoreIn file(folder);
  ResultStore store = file.open();
  auto finished = testing::sample_evaluation();
  finished.samples_ns.assign(100, 20.5);
  std::int64_t i = 0;
  for (auto _ : state) {
    finished.key.config = config(i);
    const auto started = testing::sample_started(config(++i));
    store.commit({&finished, 1}, {&started, 1});
  }
  state.counters["rows"] = static_cast<double>(i);
}

void find_one(benchmark::State& state, const std::string& folder) {
  const StoreIn file(folder);
  ResultStore store = file.open();
  std::vector<storage::EvaluationRecord> records;
  for (std::int64_t i = 0; i < 10'000; ++i) {
    records.push_back(testing::sample_evaluation(config(i)));
    records.back().samples_ns.assign(100, 20.5);
  }
  store.commit(records, {});
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(store.find(records[i++ * 7919 % records.size()].key));
}

void read_context(benchmark::State& state, const std::string& folder) {
  const StoreIn file(folder);
  ResultStore store = file.open();
  std::vector<storage::EvaluationRecord> records;
  for (std::int64_t i = 0; i < 1000; ++i) {
    records.push_back(testing::sample_evaluation(config(i)));
    records.back().samples_ns.assign(100, 20.5);
  }
  store.commit(records, {});
  for (auto _ : state) benchmark::DoNotOptimize(store.evaluations(records[0].key));
}

void create(benchmark::State& state, const std::string& folder) {
  for (auto _ : state) {
    const StoreIn file(folder);
    benchmark::DoNotOptimize(file.open());
  }
}

BENCHMARK_CAPTURE(commit_one, ram_disk, "/dev/shm")->Unit(benchmark::kMicrosecond)->Iterations(5000);
BENCHMARK_CAPTURE(commit_one, disk, ".")->Unit(benchmark::kMicrosecond)->Iterations(100)->UseRealTime();
BENCHMARK_CAPTURE(find_one, of_10k_rows, "/dev/shm")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(read_context, of_1000_evaluations, "/dev/shm")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(create, ram_disk, "/dev/shm")->Unit(benchmark::kMicrosecond);

}  // namespace
