// SPDX-License-Identifier: Apache-2.0
#include "counters/bottleneck.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace kerntune {
namespace {

using Value = std::optional<double>;

constexpr double kSectorBytes = 32;
constexpr double kL1SectorsPerCycle = 4;  // 128 bytes per multiprocessor and cycle, since cc 7.0

Value fact(const Facts& facts, const std::string& name) {
  const auto found = facts.find(name);
  return found == facts.end() ? std::nullopt : Value(found->second);
}

Value percent(const Counters& counters, std::string_view metric) {
  const Value value = counters.value(metric);
  return value ? Value(std::clamp(*value / 100, 0.0, 1.0)) : std::nullopt;
}

Value sum(Value a, Value b) { return a && b ? Value(*a + *b) : std::nullopt; }
Value ratio(Value a, Value b) { return a && b && *b > 0 ? Value(*a / *b) : std::nullopt; }

Value largest(std::initializer_list<Value> values) {
  Value found;
  for (const Value& value : values)
    if (value && (!found || *value > *found)) found = value;
  return found;
}

/// How much longer the profiled range was than the run in it.
double range_stretch(const Counters& counters, double time_ns) {
  const Value ns = counters.value("gpu__time_duration.sum");
  return ns && time_ns > 0 ? std::max(1.0, *ns / time_ns) : 1.0;
}

/// A percentage of the range's length as a fraction of the run's.
Value of_run(Value fraction, double stretch) {
  return fraction ? Value(std::min(1.0, *fraction * stretch)) : std::nullopt;
}

Value dram_fraction(const Counters& counters, Value bytes, const DeviceInfo& device) {
  if (const Value counted = percent(counters, "dram__bytes.sum.pct_of_peak_sustained_elapsed")) return counted;
  const Value ns = counters.value("gpu__time_duration.sum");
  if (!bytes || !ns || *ns <= 0 || device.peak_bytes_per_s <= 0) return std::nullopt;
  return *bytes / (*ns * 1e-9) / device.peak_bytes_per_s;
}

Value l1_fraction(const Counters& counters, const DeviceInfo& device) {
  if (const Value counted =
          largest({percent(counters, "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed"),
                   percent(counters, "l1tex__lsuin_requests.avg.pct_of_peak_sustained_elapsed")}))
    return counted;
  const Value sectors = counters.value("l1tex__t_sectors.sum"), cycles = counters.value("sm__cycles_elapsed.max");
  const double units = static_cast<double>(device.properties.sm_count) * kL1SectorsPerCycle;
  if (!sectors || !cycles || units <= 0 || *cycles <= 0) return std::nullopt;
  return *sectors / (*cycles * units);
}

/// Share of resident warps' time. A stall counter sums, over all cycles, the warps that wait.
Value memory_wait(const Counters& counters, Value occupancy, const DeviceInfo& device) {
  const Value waiting = counters.value("smsp__warps_issue_stalled_long_scoreboard.sum");
  const Value cycles = counters.value("sm__cycles_active.avg");
  const DeviceProperties& p = device.properties;
  if (!waiting || !cycles || !occupancy || p.warp_size <= 0) return std::nullopt;
  const double warps = *occupancy * static_cast<double>(p.max_threads_per_sm) / static_cast<double>(p.warp_size);
  const double all = warps * *cycles * static_cast<double>(p.sm_count);
  return all > 0 ? Value(std::clamp(*waiting / all, 0.0, 1.0)) : std::nullopt;
}

LaunchLimiter limiter_of(const Counters& counters) {
  const std::string prefix = "tpc__warp_launch_cycles_stalled_shader_cs_reason_";
  constexpr std::array<std::pair<LaunchLimiter, const char*>, 4> kReasons{
      {{LaunchLimiter::registers, "register_allocation.sum"},
       {LaunchLimiter::shared_memory, "shmem_allocation.sum"},
       {LaunchLimiter::blocks, "cta_allocation.sum"},
       {LaunchLimiter::barriers, "barrier_allocation.sum"}}};
  LaunchLimiter limiter = LaunchLimiter::none;
  double most = 0;
  for (const auto& [reason, suffix] : kReasons) {
    const double cycles = counters.value(prefix + suffix).value_or(0);
    if (cycles > most) {
      most = cycles;
      limiter = reason;
    }
  }
  return limiter;
}

int whole_percent(double fraction) { return static_cast<int>(fraction * 100 + 0.5); }

// Thresholds of Nsight Compute's "speed of light" rules.
constexpr double kAtTheLimit = 0.8, kNearTheLimit = 0.6;

struct NamedLimit {
  const char* name;
  double fraction;
};

std::vector<NamedLimit> sorted_limits(const Bottleneck& b) {
  std::vector<NamedLimit> limits{{"DRAM bandwidth", b.dram},     {"L2 throughput", b.l2},
                                 {"L1 and shared memory", b.l1}, {"arithmetic pipes", b.compute},
                                 {"tensor pipe", b.tensor},      {"instruction issue", b.issue}};
  std::stable_sort(limits.begin(), limits.end(),
                   [](const NamedLimit& x, const NamedLimit& y) { return x.fraction > y.fraction; });
  return limits;
}

std::string occupancy_text(const CounterFeatures& features) {
  std::string text = fmt::format("occupancy {} %", whole_percent(*features.achieved_occupancy));
  if (features.possible_occupancy)
    text += fmt::format(" of {} % possible", whole_percent(*features.possible_occupancy));
  if (features.limiter != LaunchLimiter::none)
    text += fmt::format("; {} keep further blocks out", name_of(features.limiter));
  return text;
}

}  // namespace

std::string_view name_of(LaunchLimiter limiter) noexcept {
  switch (limiter) {
    case LaunchLimiter::none:
      return "none";
    case LaunchLimiter::registers:
      return "registers";
    case LaunchLimiter::shared_memory:
      return "shared memory";
    case LaunchLimiter::blocks:
      return "block slots";
    case LaunchLimiter::barriers:
      return "barriers";
  }
  return "none";
}

CounterFeatures features_of(const Counters& counters, const Facts& facts, const DeviceInfo& device, double time_ns) {
  CounterFeatures f;
  const Value read = counters.value("dram__bytes_read.sum");
  f.dram_bytes = sum(read, counters.value("dram__bytes_write.sum"));
  const double stretch = range_stretch(counters, time_ns);
  f.dram_fraction = of_run(dram_fraction(counters, f.dram_bytes, device), stretch);
  f.l2_fraction = of_run(percent(counters, "lts__t_sectors.avg.pct_of_peak_sustained_elapsed"), stretch);
  f.l1_fraction = of_run(l1_fraction(counters, device), stretch);
  f.issue_fraction = percent(counters, "smsp__issue_active.avg.pct_of_peak_sustained_active");
  f.compute_fraction = largest({percent(counters, "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active"),
                                percent(counters, "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active"),
                                percent(counters, "sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active")});
  f.tensor_fraction = percent(counters, "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active");
  f.active_fraction =
      of_run(ratio(counters.value("sm__cycles_active.avg"), counters.value("sm__cycles_elapsed.max")), stretch);
  f.achieved_occupancy = percent(counters, "sm__warps_active.avg.pct_of_peak_sustained_active");
  f.possible_occupancy = fact(facts, "occupancy");
  f.memory_wait_fraction = memory_wait(counters, f.achieved_occupancy, device);
  const Value l2_read = counters.value("lts__t_sectors_op_read.sum");
  f.l2_sectors = sum(l2_read, counters.value("lts__t_sectors_op_write.sum"));
  f.l1_sectors = counters.value("l1tex__t_sectors.sum");
  f.instructions = counters.value("smsp__inst_executed.sum");
  if (l2_read) f.l2_miss_fraction = ratio(read, *l2_read * kSectorBytes);
  f.sectors_per_request = ratio(counters.value("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"),
                                counters.value("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"));
  if (const Value per_ns = ratio(counters.value("gpc__cycles_elapsed.max"), counters.value("gpu__time_duration.sum")))
    f.clock_mhz = *per_ns * 1e3;
  f.limiter = limiter_of(counters);
  return f;
}

Bottleneck bottleneck_of(const CounterFeatures& f) noexcept {
  Bottleneck b;
  const double active = f.active_fraction.value_or(1);
  b.dram = f.dram_fraction.value_or(0);
  b.l2 = f.l2_fraction.value_or(0);
  b.l1 = f.l1_fraction.value_or(0);
  b.compute = f.compute_fraction.value_or(0) * active;  // counted while active, wanted of the whole run
  b.tensor = f.tensor_fraction.value_or(0) * active;
  b.issue = f.issue_fraction.value_or(0) * active;
  const double busiest = std::max({b.dram, b.l2, b.l1, b.compute, b.tensor, b.issue});
  b.tail = 1 - active;
  b.latency = std::max(0.0, active - busiest);
  return b;
}

std::vector<std::string> limits_text(const CounterFeatures& features, const Facts& facts) {
  std::vector<std::string> lines;
  if (!features.dram_fraction && !features.issue_fraction && !features.achieved_occupancy) return lines;
  const Bottleneck bottleneck = bottleneck_of(features);
  const std::vector<NamedLimit> limits = sorted_limits(bottleneck);
  for (const NamedLimit& limit : limits)
    if (limit.fraction >= kNearTheLimit)
      lines.push_back(fmt::format("{} {} % of peak: {}", limit.name, whole_percent(limit.fraction),
                                  limit.fraction >= kAtTheLimit ? "at the limit" : "near the limit"));
  if (lines.empty())
    lines.push_back(fmt::format("nothing is near its limit (the nearest: {}, {} % of peak): bound by latency",
                                limits.front().name, whole_percent(limits.front().fraction)));
  if (features.memory_wait_fraction && *features.memory_wait_fraction >= 0.3)
    lines.push_back(
        fmt::format("warps wait for memory {} % of their time", whole_percent(*features.memory_wait_fraction)));
  if (features.achieved_occupancy) lines.push_back(occupancy_text(features));
  if (bottleneck.tail >= 0.1)
    lines.push_back(fmt::format("multiprocessors have no work for {} % of the run: too few blocks, or an uneven tail",
                                whole_percent(bottleneck.tail)));
  if (const Value spills = fact(facts, "spill_bytes"); spills && *spills > 0)
    lines.push_back(fmt::format("{:.0f} bytes per thread are spilled to local memory", *spills));
  return lines;
}

namespace {

/// One quantity before and after, and how much the change matters.
struct Change {
  double weight = 0;
  std::string text;
};

void add_share(std::vector<Change>& changes, const char* name, Value before, Value after, const std::string& why = {}) {
  if (!before || !after) return;
  const double weight = std::abs(*after - *before);
  if (weight < 0.05) return;
  changes.push_back({weight, fmt::format("{} {} -> {} %{}", name, whole_percent(*before), whole_percent(*after), why)});
}

void add_amount(std::vector<Change>& changes, const char* name, Value before, Value after) {
  if (!before || !after || *before <= 0 || *after <= 0) return;
  const double relative = *after / *before - 1;
  if (std::abs(relative) < 0.05) return;
  const double weight = std::min(1.0, std::abs(relative) / 2);
  changes.push_back({weight, fmt::format("{} {:+.0f} %", name, relative * 100)});
}

/// ": fewer registers (96 -> 48)": the fact that an occupancy follows from.
std::string occupancy_reason(const Facts& before, const Facts& after, Value change) {
  struct Resource {
    const char* fact;
    const char* name;
  };
  constexpr Resource kResources[] = {
      {"regs", "registers"}, {"shared_bytes", "shared memory"}, {"threads_per_block", "threads per block"}};
  for (const Resource& resource : kResources) {
    const Value a = fact(before, resource.fact), b = fact(after, resource.fact);
    if (!a || !b || *a == *b || !change) continue;
    if ((*b < *a) == (*change > 0))
      return fmt::format(": {} {} ({:.0f} -> {:.0f})", *b < *a ? "fewer" : "more", resource.name, *a, *b);
  }
  return {};
}

/// Static and dynamic shared memory together, as a fact of its own.
Facts with_shared_bytes(Facts facts) {
  facts["shared_bytes"] =
      fact(facts, "static_shared_bytes").value_or(0) + fact(facts, "dynamic_shared_bytes").value_or(0);
  return facts;
}

}  // namespace

std::vector<std::string> changes_text(const Explained& best, const Explained& other, const DeviceInfo& device,
                                      std::size_t count) {
  const CounterFeatures after = features_of(best.counters, best.facts, device, best.time_ns);
  const CounterFeatures before = features_of(other.counters, other.facts, device, other.time_ns);
  std::vector<Change> changes;
  const Value occupancy_change = after.achieved_occupancy && before.achieved_occupancy
                                     ? Value(*after.achieved_occupancy - *before.achieved_occupancy)
                                     : std::nullopt;
  add_share(changes, "occupancy", before.achieved_occupancy, after.achieved_occupancy,
            occupancy_reason(with_shared_bytes(other.facts), with_shared_bytes(best.facts), occupancy_change));
  add_share(changes, "waiting for memory", before.memory_wait_fraction, after.memory_wait_fraction, " of warp time");
  add_share(changes, "DRAM bandwidth", before.dram_fraction, after.dram_fraction);
  add_share(changes, "L2 throughput", before.l2_fraction, after.l2_fraction);
  add_share(changes, "L1 and shared memory", before.l1_fraction, after.l1_fraction);
  add_share(changes, "issue slots used", before.issue_fraction, after.issue_fraction);
  add_share(changes, "multiprocessors with work", before.active_fraction, after.active_fraction, " of the run");
  add_share(changes, "tensor pipe", before.tensor_fraction, after.tensor_fraction);
  add_amount(changes, "DRAM traffic", before.dram_bytes, after.dram_bytes);
  add_amount(changes, "L2 traffic", before.l2_sectors, after.l2_sectors);
  add_amount(changes, "L1 traffic", before.l1_sectors, after.l1_sectors);
  add_amount(changes, "instructions", before.instructions, after.instructions);
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change& a, const Change& b) { return a.weight > b.weight; });
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min(count, changes.size()); ++i) texts.push_back(std::move(changes[i].text));
  return texts;
}

}  // namespace kerntune
