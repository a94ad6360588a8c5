// SPDX-License-Identifier: Apache-2.0
#include <kerntune/core/tuner.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <random>

#include <fmt/format.h>
#include <unistd.h>

#include <kerntune/core/errors.hpp>

#include "engine/batch_tuner.hpp"
#include "engine/gpu_health.hpp"
#include "engine/list_strategy.hpp"
#include "engine/run_journal.hpp"
#include "engine/session_setup.hpp"
#include "engine/tune_internal.hpp"

namespace kerntune {
namespace {

using Clock = std::chrono::steady_clock;

/// How many configurations may be under way at once: enough to keep every compiler and the lane busy, and no more,
/// since a strategy proposes better the more it has observed.
int look_ahead(const Workshop& shop) {
  if (shop.pool) return shop.compile_processes + 5;
  return shop.context.device.kind == DeviceKind::replay ? 1 : 2;
}

void check(const TuneRequest& request) {
  if (request.batches.empty())
    throw UsageError(fmt::format("tune kernel '{}': no batch was given", request.kernel.spec.name));
  if (request.store_path.empty())
    throw UsageError(fmt::format("tune kernel '{}': no store was given", request.kernel.spec.name));
  if (request.budget.evaluations && *request.budget.evaluations < 1) {
    throw UsageError(fmt::format("tune kernel '{}': a budget of {} evaluations; at least 1 is needed",
                                 request.kernel.spec.name, *request.budget.evaluations));
  }
}

std::vector<std::int64_t> ordered_batches(const TuneRequest& request) {
  std::vector<std::int64_t> batches = request.batches;
  std::sort(batches.begin(), batches.end());
  batches.erase(std::unique(batches.begin(), batches.end()), batches.end());
  return batches;
}

/// Time left for each of the batches still to come.
std::optional<double> share_of_time(const TuneRequest& request, Clock::time_point begun, std::size_t remaining) {
  if (!request.budget.seconds) return std::nullopt;
  const double spent = std::chrono::duration<double>(Clock::now() - begun).count();
  return std::max(0.0, *request.budget.seconds - spent) / static_cast<double>(remaining);
}

WorkshopLimits limits_of(const TuneRequest& request) {
  WorkshopLimits limits;
  limits.lane = {request.evaluation_timeout_s, request.memory_limit_bytes};
  limits.compile.timeout_s = request.compile_timeout_s;
  if (request.memory_limit_bytes > 0) limits.compile.memory_bytes = request.memory_limit_bytes;
  limits.compile_processes = request.compile_processes;
  return limits;
}

/// While another process keeps the store locked (a backup, a stopped program), a run waits: nothing is lost meanwhile,
/// and much would have to be set up again. It says so, and listens to who wants it to stop.
storage::ResultStore::Patience patience_of(const std::string& path, const ProgressSink& progress,
                                           const StopFlag& stop) {
  using namespace std::chrono_literals;
  return [&progress, &stop, path, told = 0](std::chrono::milliseconds waited) mutable {
    constexpr auto kTellEvery = 10s, kUsual = 10s, kLongest = 600s;
    if (waited < kTellEvery) told = 0;  // another wait
    if (progress && waited / kTellEvery > told) {
      told = static_cast<int>(waited / kTellEvery);
      TuneProgress p;
      p.note =
          fmt::format("store '{}': another process has kept it locked for {} s ('fuser' names it); waiting, up to {} s",
                      path, waited / 1s, kLongest / 1s);
      progress(p);
    }
    if (stop.load() > 1) return false;
    return waited < (stop.load() > 0 ? kUsual : kLongest);
  };
}

TuneReport report_of(const TuneRequest& request, const TuningContext& context, const std::string& run_id) {
  TuneReport report;
  report.kernel = context.kernel.spec.name;
  report.spec = context.kernel.spec;
  report.device = context.device;
  report.toolchain = context.toolchain;
  report.strategy = request.strategy.empty() ? std::string(search::default_strategy()) : request.strategy;
  report.seed = request.seed;
  report.policy = context.policy.text();
  report.store_path = request.store_path;
  report.run_id = run_id;
  report.space_count = search::to_string(context.program->space().count());
  return report;
}

void warn_of_circumstances(const BatchResult& batch, TuneReport& report) {
  if (!batch.provisional.empty())
    report.warnings.push_back(
        fmt::format("batch {}: its times are provisional, because {}; tune again when that is over", batch.batch,
                    batch.provisional));
  if (const std::string capped = power_capped(batch.gpu_snapshots, report.device.board); !capped.empty())
    report.warnings.push_back(fmt::format("batch {}: {}; its times are those of this limit", batch.batch, capped));
}

void warn_of_board(TuneReport& report) {
  if (!report.device.board) return;
  GpuSnapshots all;
  for (const BatchResult& batch : report.batches)
    all.insert(all.end(), batch.gpu_snapshots.begin(), batch.gpu_snapshots.end());
  for (std::string& note : unusual(*report.device.board, all)) report.warnings.push_back(std::move(note));
}

}  // namespace

TuneReport tune_with(const TuneRequest& original, const TuneOptions& options, const ProgressSink& progress,
                     const StopFlag& stop) {
  const auto begun = Clock::now();
  check(original);
  TuneRequest request = original;
  request.batches = ordered_batches(original);
  if (request.order_seed || !request.configurations.empty()) request.strategy = "list";
  if (!request.incumbent_path.empty())  // one that cannot be read is refused before anything is spent
    (void)storage::ResultStore::open(request.incumbent_path, storage::ResultStore::Mode::read_only);
  const auto program = std::make_shared<const SpecProgram>(request.kernel.spec);
  for (const std::int64_t batch : request.batches) {  // refuse before anything is spent
    Dims dims = request.dims;
    dims[request.kernel.spec.batch_dim().name] = batch;
    (void)program->complete_dims(dims);
  }
  (void)strategy_for(request, *program);
  Workshop shop = open_workshop(request.kernel, program, request.device, request.policy, limits_of(request));
  storage::ResultStore store = storage::ResultStore::open(request.store_path, storage::ResultStore::Mode::create);
  store.wait_with(patience_of(request.store_path, progress, stop));
  RunJournal journal(store, request, shop.context);
  TuneReport report = report_of(request, shop.context, journal.run_id());
  report.warnings = journal.warnings();

  CounterBudget counters(request.counters);
  const bool may_count = request.counters == CounterUse::on || shop.context.device.kind == DeviceKind::cuda;
  const std::size_t total = request.batches.size();
  for (std::size_t i = 0; i < total && stop.load() == 0 && report.stopped.empty(); ++i) {
    BatchTuner tuner({request, shop.context, *shop.lane, shop.pool.get(), store, journal.suspects(), journal.run_id(),
                      request.batches[i], i, share_of_time(request, begun, total - i), look_ahead(shop),
                      may_count ? &counters : nullptr, options.fixed_launches, progress, stop});
    report.batches.push_back(tuner.run());
    warn_of_circumstances(report.batches.back(), report);
    if (report.batches.back().device_lost) report.stopped = report.batches.back().note;
  }
  warn_of_board(report);
  report.interrupted = stop.load() > 0;
  report.worker_restarts = shop.lane->restarts();
  report.slowest_restart_s = shop.lane->slowest_restart_s();
  if (!report.stopped.empty())
    report.warnings.push_back(report.stopped +
                              "; what was measured is stored, and the same command goes on from there");
  if (shop.pool && !shop.pool->cache_warning().empty()) report.warnings.push_back(shop.pool->cache_warning());
  report.wall_s = std::chrono::duration<double>(Clock::now() - begun).count();
  journal.end(!report.stopped.empty() ? "failed: " + report.stopped : report.interrupted ? "interrupted" : "done");
  return report;
}

TuneReport tune(const TuneRequest& request, const ProgressSink& progress, const StopFlag& stop) {
  return tune_with(request, {}, progress, stop);
}

}  // namespace kerntune
