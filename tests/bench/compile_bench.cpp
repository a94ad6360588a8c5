// SPDX-License-Identifier: Apache-2.0
// Compile throughput of the pool against the best that as many bare processes reach on the same sources: each of those
// compiles every n-th job with nothing in between, no supervisor, no cache. Both include starting the processes. Cold
// cubin cache.
//
//   KERNTUNE_PLUGIN_PATH=build/bench/plugins compile_bench --benchmark_counters_tabular=true
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include <benchmark/benchmark.h>
#include <nlohmann/json.hpp>

#include <kerntune/core/catalogue.hpp>
#include <kerntune/core/spec_program.hpp>
#include <kerntune/core/worker.hpp>
#include <kerntune/search/rng.hpp>

#include "engine/compile_pool.hpp"
#include "engine/context.hpp"
#include "temp_dir.hpp"
#include "workers/wire.hpp"

namespace {

using namespace kerntune;

constexpr std::string_view kBareFlag = "--bare-compile";
constexpr int kJobs = 192;

std::vector<CompileJob> sgemm_jobs() {
  const KernelEntry entry = find_kernel("sgemm", {});
  const SpecProgram program(entry.spec);
  DeviceProperties h200;
  h200.compute_capability = 90;
  h200.is_cuda = 1;
  search::Rng rng(1);
  std::vector<CompileJob> jobs;
  while (jobs.size() < kJobs) {
    const auto binding = program.bind(program.space().sample(rng), program.complete_dims({}), h200);
    const auto plan = program.compile_plan(*binding);
    jobs.push_back(compile_job(std::get<SourceCode>(entry.spec.code), *plan, "sm_90"));
  }
  return jobs;
}

const std::vector<CompileJob>& jobs() {
  static const auto all = sgemm_jobs();
  return all;
}

/// argv: program, flag, file of jobs, first, step.
int compile_bare(char** argv) {
  std::ifstream file(argv[2]);
  const auto list = nlohmann::json::parse(file);
  for (std::size_t i = std::strtoul(argv[3], nullptr, 10); i < list.size(); i += std::strtoul(argv[4], nullptr, 10)) {
    if (!nvrtc::compile(wire::compile_job(list[i]))) return 1;
  }
  return 0;
}

bool run_bare(const std::string& file, int processes) {
  std::vector<pid_t> children;
  for (int i = 0; i < processes; ++i) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      const std::string first = std::to_string(i), step = std::to_string(processes);
      ::execl("/proc/self/exe", "compile_bench", kBareFlag.data(), file.c_str(), first.c_str(), step.c_str(), nullptr);
      std::_Exit(127);
    }
    children.push_back(pid);
  }
  bool ok = true;
  for (const pid_t pid : children) {
    int status = 0;
    ::waitpid(pid, &status, 0);
    ok = ok && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  return ok;
}

int processes() { return static_cast<int>(std::thread::hardware_concurrency()); }

void BareProcesses(benchmark::State& state) {
  const test::TempDir dir;
  auto list = nlohmann::json::array();
  for (const CompileJob& job : jobs()) list.push_back(wire::from(job));
  std::ofstream(dir / "jobs.json") << list.dump();
  for (auto _ : state) {
    if (!run_bare(dir / "jobs.json", processes())) state.SkipWithError("a job did not compile");
  }
  state.SetItemsProcessed(state.iterations() * kJobs);
}

void Pool(benchmark::State& state) {
  (void)jobs();
  for (auto _ : state) {
    const test::TempDir cache;
    CompilePool pool(processes(), cache.path());
    for (const auto& outcome : pool.compile_all(jobs())) {
      if (!outcome) state.SkipWithError(outcome.error().message.c_str());
    }
  }
  state.SetItemsProcessed(state.iterations() * kJobs);
}

BENCHMARK(BareProcesses)->UseRealTime()->Unit(benchmark::kMillisecond)->Iterations(1)->Repetitions(3);
BENCHMARK(Pool)->UseRealTime()->Unit(benchmark::kMillisecond)->Iterations(1)->Repetitions(3);

}  // namespace

int main(int argc, char** argv) {
  if (is_worker(argc, argv)) return worker_main(argc, argv);
  if (argc == 5 && argv[1] == kBareFlag) return compile_bare(argv);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
