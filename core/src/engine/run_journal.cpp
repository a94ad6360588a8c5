// SPDX-License-Identifier: Apache-2.0
#include "engine/run_journal.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include <fmt/format.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <kerntune/core/worker.hpp>

#include "engine/evaluation_log.hpp"
#include "workers/wire.hpp"

namespace kerntune {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string random_run_id() {
  std::random_device entropy;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", entropy(), entropy(), entropy(), entropy());
}

/// Another one each time the machine starts; empty if the kernel does not say.
std::string boot_id() {
  std::string id;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
  return id;
}

/// Who runs a run, so that a later one can tell whether it still does.
struct Owner {
  std::string host;
  int pid = 0;
  std::string boot;
  std::string text() const { return fmt::format("{} {} {}", host, pid, boot); }
};

Owner this_process() { return {host_name(), ::getpid(), boot_id()}; }

Owner owner_of(const storage::RunRecord& run) {
  Owner owner;
  std::istringstream(run.host) >> owner.host >> owner.pid >> owner.boot;
  return owner;
}

bool same_boot(const Owner& a, const Owner& b) { return a.boot.empty() || b.boot.empty() || a.boot == b.boot; }

/// False only if it surely does not run any more: a process of this host that is gone.
bool may_be_running(const storage::RunRecord& run) {
  if (run.ended_unix_us) return false;
  const Owner owner = owner_of(run), here = this_process();
  if (owner.host != here.host || owner.pid <= 0) return true;
  return same_boot(owner, here) && (::kill(owner.pid, 0) == 0 || errno == EPERM);
}

/// The machine that it ran on, this one, has been started again since it began.
bool went_down_with_its_machine(const storage::RunRecord& run) {
  const Owner owner = owner_of(run), here = this_process();
  return !run.ended_unix_us && owner.host == here.host && !same_boot(owner, here);
}

}  // namespace

RunJournal::RunJournal(storage::ResultStore& store, const TuneRequest& request, const TuningContext& context)
    : store_(store), run_id_(random_run_id()) {
  storage::RunRecord run;
  run.run_id = run_id_;
  run.started_unix_us = unix_microseconds();
  run.kernel = context.kernel.spec.name;
  run.spec_json = to_json(context.kernel.spec);
  run.device_json = wire::from(context.device).dump();
  run.strategy = request.strategy.empty() ? std::string(search::default_strategy()) : request.strategy;
  run.command = request.command;
  run.host = this_process().text();
  run.version = KERNTUNE_VERSION;
  run.seed = request.seed;
  store_.begin_run(run);
  find_suspects();
}

RunJournal::~RunJournal() {
  if (ended_) return;
  try {
    end("failed");
  } catch (const std::exception&) {  // the store is what failed; whoever threw first has the better message
  }
}

void RunJournal::end(const std::string& outcome) {
  ended_ = true;
  clear_own();
  store_.end_run(run_id_, unix_microseconds(), outcome);
}

/// What was in flight when this run was stopped is no trace of a kill.
void RunJournal::clear_own() {
  std::vector<storage::StartedRecord> own = store_.leftovers("");
  std::erase_if(own, [&](const storage::StartedRecord& row) { return row.run_id != run_id_; });
  if (!own.empty()) store_.clear_started(own);
}

void RunJournal::find_suspects() {
  std::map<std::string, storage::RunRecord> runs;
  for (storage::RunRecord& run : store_.runs()) runs.emplace(run.run_id, run);
  std::vector<storage::StartedRecord> dead;
  for (storage::StartedRecord& row : store_.leftovers(run_id_)) {
    const auto run = runs.find(row.run_id);
    if (run != runs.end() && may_be_running(run->second)) continue;
    suspects_.add(row.key, run != runs.end() && went_down_with_its_machine(run->second));
    dead.push_back(std::move(row));
  }
  if (dead.empty()) return;
  warnings_.push_back(
      fmt::format("{} evaluation{} under way when earlier runs were killed, the first {} at {}; measured again, alone, "
                  "when {} turn comes",
                  dead.size(), dead.size() == 1 ? " was" : "s were", dead.front().key.config, dead.front().key.dims,
                  dead.size() == 1 ? "its" : "their"));
}

}  // namespace kerntune
