// SPDX-License-Identifier: Apache-2.0
#include "report_sample.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace kerntune::testing {
namespace {

using expr::Literal;

/// splitmix64: enough for a landscape.
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31U);
  }
  double unit() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }

 private:
  std::uint64_t state_;
};

std::vector<Literal> integers(std::initializer_list<std::int64_t> values) {
  std::vector<Literal> literals;
  for (const std::int64_t value : values) literals.emplace_back(value);
  return literals;
}

double number(const KernelSpec& spec, const search::Config& config, std::size_t param) {
  return static_cast<double>(std::get<std::int64_t>(spec.params[param].values[config[param]]));
}

std::string text_of(const KernelSpec& spec, const search::Config& config) {
  std::string text;
  for (std::size_t i = 0; i < config.size(); ++i)
    text += (i == 0 ? "" : ",") + spec.params[i].name + "=" + expr::to_text(spec.params[i].values[config[i]]);
  return text;
}

/// The time rises with the distance from an optimum that moves with the batch.
double landscape(const KernelSpec& spec, const search::Config& config, double batch) {
  const double block_m = number(spec, config, 0), block_n = number(spec, config, 1), stages = number(spec, config, 3);
  const double best_m = batch < 4 ? 32 : 128;
  double slow = 1 + 0.22 * std::pow(std::log2(block_m / best_m), 2) + 0.11 * std::pow(std::log2(block_n / 64), 2);
  slow *= 1 + 0.07 * std::abs(stages - 3);
  slow *= std::get<bool>(spec.params[4].values[config[4]]) ? 1.0 : 1.12;
  return (4200 + 1450 * batch) * slow;
}

Facts facts_of(const KernelSpec& spec, const search::Config& config) {
  const double regs = 24 + number(spec, config, 0) * number(spec, config, 1) / 128;
  const double blocks = std::floor(65536 / std::max(1.0, regs * 256));
  return {{"regs", std::min(regs, 255.0)},
          {"occupancy", std::min(1.0, blocks * 256 / 2048)},
          {"waves", 1 + 32768 / (number(spec, config, 0) * number(spec, config, 1))},
          {"threads_per_block", 256}};
}

EvaluationTrace observe(const KernelSpec& spec, const search::Config& config, double batch, double incumbent,
                        Noise& noise) {
  EvaluationTrace trace;
  trace.config = config;
  trace.config_text = text_of(spec, config);
  trace.facts = facts_of(spec, config);
  const double shared = (number(spec, config, 0) + number(spec, config, 1)) * 32 * 4 * number(spec, config, 3);
  if (shared > 120000) {
    trace.rejection = Rejection{Reason::device_limit, "asks for " + std::to_string(static_cast<int>(shared)) +
                                                          " bytes of shared memory; the device has 118784 per block"};
    return trace;
  }
  if (noise.unit() < 0.03) {
    trace.rejection =
        Rejection{Reason::compile_error, "sgemm.cu(42): error: no instance of \"tile<128, 8>\" <matches>\n1 error"};
    return trace;
  }
  trace.time_ns = landscape(spec, config, batch) * (1 + 0.01 * noise.unit());
  const bool slower = incumbent > 0 && trace.time_ns > 2.2 * incumbent;
  trace.status = slower ? EvaluationTrace::Status::slower : EvaluationTrace::Status::measured;
  if (slower) trace.time_ns *= 0.8;
  return trace;
}

Finalist finalist_of(const EvaluationTrace& trace, double leader_ns) {
  Finalist finalist;
  finalist.config = trace.config;
  finalist.config_text = trace.config_text;
  finalist.time_ns = trace.time_ns;
  finalist.ratio = trace.time_ns / leader_ns;
  finalist.ratio_low = finalist.ratio == 1 ? 1 : finalist.ratio - 0.004;
  finalist.ratio_high = finalist.ratio == 1 ? 1 : finalist.ratio + 0.004;
  finalist.verified = "reference";
  finalist.facts = trace.facts;
  finalist.tie = finalist.ratio_low < 1.01;
  return finalist;
}

void count_failures(BatchResult& batch) {
  for (const EvaluationTrace& trace : batch.trace) {
    if (!trace.rejection) continue;
    ++batch.failures_by_reason[std::string(name_of(trace.rejection->reason))];
    ++(trace.rejection->reason == Reason::device_limit ? batch.pruned_static : batch.failed);
  }
}

void decide(BatchResult& batch) {
  std::vector<const EvaluationTrace*> order;
  for (const EvaluationTrace& trace : batch.trace)
    if (trace.status == EvaluationTrace::Status::measured) order.push_back(&trace);
  std::sort(order.begin(), order.end(), [](const auto* a, const auto* b) { return a->time_ns < b->time_ns; });
  for (std::size_t i = 0; i < order.size() && i < 6; ++i)
    batch.finalists.push_back(finalist_of(*order[i], order[0]->time_ns));
  const EvaluationTrace& default_trace = batch.trace.front();
  batch.default_config = finalist_of(default_trace, order[0]->time_ns);
  const auto is_default = [&](const Finalist& f) { return f.config_text == default_trace.config_text; };
  if (std::none_of(batch.finalists.begin(), batch.finalists.end(), is_default))
    batch.finalists.push_back(*batch.default_config);
  batch.best = batch.finalists.front();
  batch.defence =
      IncumbentDefence{batch.default_config->config_text, "default", batch.best->config_text, 1.8, 1.75, 1.86, true};
  for (const Finalist& finalist : batch.finalists)
    if (finalist.tie) batch.ties.push_back(finalist.config_text);
  batch.speedup = batch.default_config->ratio;
  batch.speedup_low = batch.default_config->ratio_low;
  batch.speedup_high = batch.default_config->ratio_high;
  batch.confirm_rounds = 12;
}

search::Config random_config(const KernelSpec& spec, Noise& noise) {
  search::Config config;
  for (const ParamSpec& param : spec.params)
    config.push_back(static_cast<std::uint32_t>(noise.next() % param.values.size()));
  return config;
}

GpuSnapshots sample_snapshots() {
  GpuSnapshot before{"session", {}}, after{"final", {}};
  before.state.sm_clock_mhz = 1980;
  before.state.temperature_c = 34;
  before.state.clock_event_reasons = ClockEvents{ClockEvents::gpu_idle};
  after.state = before.state;
  after.state.power_mw = 540'300;
  after.state.temperature_c = 61;
  after.state.clock_event_reasons = ClockEvents{ClockEvents::sw_power_cap};
  return {before, after};
}

BatchResult tuned_batch(const KernelSpec& spec, std::int64_t size) {
  Noise noise(static_cast<std::uint64_t>(size));
  BatchResult batch;
  batch.batch = size;
  batch.dims = {{"k", 4096}, {"m", size}, {"n", 4096}};
  search::Config leader = {1, 1, 0, 1, 0};
  double best = 0;
  std::set<search::Config> seen;
  for (std::int64_t i = 0; i < 200; ++i) {
    search::Config config = i == 0 ? leader : random_config(spec, noise);
    // Later proposals stay near the leader, as a search does.
    if (i > 60)
      for (std::size_t p = 0; p < config.size(); ++p)
        if (noise.unit() < 0.7) config[p] = leader[p];
    // Never the same one twice.
    while (!seen.insert(config).second) config = random_config(spec, noise);
    EvaluationTrace trace = observe(spec, config, static_cast<double>(size), best, noise);
    trace.index = i;
    trace.reused = i > 0 && i < 13;
    if (trace.status == EvaluationTrace::Status::measured && (best == 0 || trace.time_ns < best)) {
      best = trace.time_ns;
      leader = trace.config;
    }
    batch.trace.push_back(std::move(trace));
  }
  batch.evaluated = 200;
  batch.reused = 12;
  batch.flop = 2.0 * static_cast<double>(size) * 4096 * 4096;
  batch.bytes = 4.0 * (4096.0 * 4096 + 2.0 * static_cast<double>(size) * 4096);
  batch.wall_s = 21;
  batch.gpu_snapshots = sample_snapshots();
  count_failures(batch);
  decide(batch);
  return batch;
}

DeviceInfo sample_device() {
  DeviceInfo device;
  device.kind = DeviceKind::cuda;
  device.id = "cuda:0";
  device.name = "Imaginary H1";
  device.device_class = "cuda-sm90-132sm-l2:62914560-smem:232448";
  device.driver = "13.0 (580.00)";
  device.peak_bytes_per_s = 20e12;
  device.peak_flop_per_s_f32 = 60e12;
  device.board = BoardFacts{};
  device.board->pci_bus_id = "00000000:0F:00.0";
  device.board->power_limit_mw = device.board->power_limit_default_mw = 700'000;
  device.board->pcie_generation = 1, device.board->pcie_generation_max = 5;
  device.board->pcie_width = device.board->pcie_width_max = 16;
  device.board->ecc = true, device.board->mig = false;
  device.board->nvlinks_active = 18;
  device.board->numa_nodes = "0";
  return device;
}

TuneReport empty_report() {
  TuneReport report;
  report.kernel = "sgemm";
  report.spec = sample_spec();
  report.device = sample_device();
  report.toolchain = "nvrtc 13.0";
  report.strategy = "hill-climb";
  report.seed = 7;
  report.policy = "l2=cold,mode=eager,method=1";
  report.store_path = "/tmp/tuned.db";
  report.run_id = "00112233445566778899aabbccddeeff";
  report.space_count = "1600";
  report.wall_s = 64;
  return report;
}

}  // namespace

KernelSpec sample_spec() {
  KernelSpec spec;
  spec.name = "sgemm";
  spec.revision = "1";
  spec.summary = "C = A * B in single precision, tiled in shared memory";
  spec.dims = {{.name = "m", .default_value = 64, .batch = true, .min = 1, .max = 4096},
               {.name = "n", .default_value = 4096},
               {.name = "k", .default_value = 4096}};
  spec.params = {
      {.name = "block_m",
       .values = integers({16, 32, 64, 128, 256}),
       .default_value = std::int64_t{32},
       .summary = "rows of a tile"},
      {.name = "block_n",
       .values = integers({16, 32, 64, 128, 256}),
       .default_value = std::int64_t{32},
       .summary = "columns of a tile"},
      {.name = "vector",
       .values = integers({1, 2, 4, 8}),
       .default_value = std::int64_t{1},
       .summary = "elements per load"},
      {.name = "stages",
       .values = integers({1, 2, 3, 4}),
       .default_value = std::int64_t{2},
       .summary = "of the pipeline"},
      {.name = "swizzle", .values = {false, true}, .default_value = false, .summary = "avoids bank conflicts"}};
  spec.constraints = {"block_m * block_n <= 32768", "vector < 8 or swizzle"};
  return spec;
}

TuneReport sample_report(const std::vector<std::int64_t>& batches) {
  TuneReport report = empty_report();
  for (const std::int64_t batch : batches) report.batches.push_back(tuned_batch(report.spec, batch));
  return report;
}

TuneReport hopeless_report() {
  TuneReport report = empty_report();
  BatchResult batch;
  batch.batch = 8;
  batch.dims = {{"k", 4096}, {"m", 8}, {"n", 4096}};
  batch.evaluated = 2;
  batch.failed = 2;
  batch.failures_by_reason = {{"wrong_result", 2}};
  batch.note = "no configuration gave the reference's result";
  EvaluationTrace trace;
  trace.config = {0, 0, 0, 0, 0};
  trace.config_text = text_of(report.spec, trace.config);
  trace.rejection = Rejection{Reason::wrong_result, "c[17] is 3.5, expected 4.25 +- 1e-5"};
  batch.trace = {trace};
  report.batches.push_back(batch);
  return report;
}

TuneReport small_report() {
  TuneReport report = empty_report();
  BatchResult batch;
  batch.batch = 64;
  batch.dims = {{"k", 4096}, {"m", 64}, {"n", 4096}};
  batch.evaluated = 10;
  batch.reused = 3;
  Finalist best;
  best.config_text = "block_m=128,block_n=64,vector=1,stages=3,swizzle=true";
  best.time_ns = 100000;
  best.verified = "reference";
  best.tie = true;
  Finalist standard = best;
  standard.config_text = "block_m=32,block_n=32,vector=1,stages=2,swizzle=false";
  standard.time_ns = 186000;
  standard.ratio = 1.86, standard.ratio_low = 1.85, standard.ratio_high = 1.87, standard.tie = false;
  batch.best = best;
  batch.default_config = standard;
  batch.finalists = {best, standard};
  batch.ties = {best.config_text};
  batch.speedup = 1.86, batch.speedup_low = 1.85, batch.speedup_high = 1.87;
  batch.flop = 3e9;
  report.batches.push_back(batch);
  return report;
}

}  // namespace kerntune::testing
