// SPDX-License-Identifier: Apache-2.0
#include "metric_sets.hpp"

#include <algorithm>
#include <array>

// Which metrics fit one pass was found with the host library's own scheduler; tests/core/cupti_planner_test.cpp holds
// the counts for nine chips. *__throughput metrics are never asked for: each is a maximum over many counters and takes
// 5 to 17 passes.

namespace kerntune::cupti {
namespace {

const std::array<MetricSet, 6> kSets{{
    {"core",
     "time, occupancy, issue, DRAM, L2, L1, latency",
     {"gpu__time_duration.sum", "gpc__cycles_elapsed.max", "sm__cycles_active.avg",
      "sm__warps_active.avg.pct_of_peak_sustained_active", "smsp__issue_active.avg.pct_of_peak_sustained_active",
      "dram__bytes_read.sum", "dram__bytes_write.sum", "lts__t_sectors.avg.pct_of_peak_sustained_elapsed",
      "smsp__warps_issue_stalled_long_scoreboard.sum", "l1tex__t_sectors.sum", "l1tex__t_sector_hit_rate.pct",
      "sm__cycles_elapsed.max", "smsp__inst_executed.sum"}},
    {"wide",
     "core, DRAM utilisation, L2 traffic, what held back the launch of blocks",
     {"gpu__time_duration.sum",
      "gpc__cycles_elapsed.max",
      "sm__cycles_active.avg",
      "sm__warps_active.avg.pct_of_peak_sustained_active",
      "smsp__issue_active.avg.pct_of_peak_sustained_active",
      "dram__bytes_read.sum",
      "dram__bytes_write.sum",
      "dram__bytes.sum.pct_of_peak_sustained_elapsed",
      "lts__t_sectors.avg.pct_of_peak_sustained_elapsed",
      "smsp__warps_issue_stalled_long_scoreboard.sum",
      "l1tex__t_sectors.sum",
      "l1tex__t_sector_hit_rate.pct",
      "sm__cycles_elapsed.max",
      "smsp__inst_executed.sum",
      "lts__t_sectors_op_read.sum",
      "lts__t_sectors_op_write.sum",
      "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
      "tpc__warp_launch_cycles_stalled_shader_cs_reason_register_allocation.sum",
      "tpc__warp_launch_cycles_stalled_shader_cs_reason_shmem_allocation.sum",
      "tpc__warp_launch_cycles_stalled_shader_cs_reason_cta_allocation.sum",
      "tpc__warp_launch_cycles_stalled_shader_cs_reason_barrier_allocation.sum"}},
    {"compact",
     "what one pass holds on chips with few counters",
     {"gpu__time_duration.sum", "gpc__cycles_elapsed.max", "sm__cycles_active.avg",
      "sm__warps_active.avg.pct_of_peak_sustained_active", "smsp__issue_active.avg.pct_of_peak_sustained_active",
      "dram__bytes_read.sum", "dram__bytes_write.sum", "dram__bytes.sum.pct_of_peak_sustained_elapsed",
      "lts__t_sectors.avg.pct_of_peak_sustained_elapsed", "l1tex__t_sectors.sum", "l1tex__t_sector_hit_rate.pct",
      "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "l1tex__lsuin_requests.avg.pct_of_peak_sustained_elapsed",
      "smsp__warps_issue_stalled_short_scoreboard.sum",
      "tpc__warp_launch_cycles_stalled_shader_cs_reason_register_allocation.sum",
      "tpc__warp_launch_cycles_stalled_shader_cs_reason_shmem_allocation.sum"}},
    {"tensor",
     "time, occupancy, tensor pipe, DRAM, L2, shared memory, latency",
     {"gpu__time_duration.sum", "gpc__cycles_elapsed.max", "sm__cycles_active.avg",
      "sm__warps_active.avg.pct_of_peak_sustained_active",
      "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", "dram__bytes_read.sum", "dram__bytes_write.sum",
      "dram__bytes.sum.pct_of_peak_sustained_elapsed", "lts__t_sectors.avg.pct_of_peak_sustained_elapsed",
      "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed",
      "smsp__warps_issue_stalled_long_scoreboard.sum", "smsp__issue_active.avg.pct_of_peak_sustained_active"}},
    {"deep",
     "pipes, stalls, spills, shared memory, tensor pipe: for explaining a winner",
     {"sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active",
      "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active",
      "sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active",
      "sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active",
      "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
      "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed",
      "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "smsp__warps_issue_stalled_short_scoreboard.sum",
      "smsp__warps_issue_stalled_mio_throttle.sum", "smsp__warps_issue_stalled_math_pipe_throttle.sum",
      "smsp__warps_issue_stalled_barrier.sum", "smsp__warps_issue_stalled_lg_throttle.sum",
      "smsp__warps_issue_stalled_wait.sum", "lts__t_sectors_lookup_miss.sum", "smsp__inst_executed_op_local_ld.sum",
      "smsp__inst_executed_op_local_st.sum", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
      "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"}},
    {"flops",
     "floating-point operations, counted by instrumented code: slow",
     {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum",
      "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum"}},
}};

const MetricSet& named(std::string_view name) { return *find_set(name); }

}  // namespace

std::span<const MetricSet> all_sets() { return kSets; }

const MetricSet* find_set(std::string_view name) {
  const auto found = std::find_if(kSets.begin(), kSets.end(), [&](const MetricSet& set) { return set.name == name; });
  return found == kSets.end() ? nullptr : &*found;
}

const MetricSet& standard_set(std::string_view chip) {
  if (chip.starts_with("GV") || chip.starts_with("TU")) return named("core");
  if (chip == "GA100" || chip == "GH100" || chip.starts_with("GB1")) return named("wide");
  return named("compact");  // GA10x, AD10x, GB20x, and what comes
}

std::vector<std::string> aliases_of(std::string_view metric) {
  if (metric == "dram__bytes_read.sum") return {"dram__bytes_op_read.sum"};    // GB20x
  if (metric == "dram__bytes_write.sum") return {"dram__bytes_op_write.sum"};  // GB20x
  return {};
}

}  // namespace kerntune::cupti
