// SPDX-License-Identifier: Apache-2.0
// The lane's part of a final.
#include <algorithm>

#include <nlohmann/json.hpp>

#include <kerntune/core/errors.hpp>

#include "engine/device_lane.hpp"
#include "workers/wire.hpp"

namespace kerntune {
namespace {

using wire::json;

constexpr int kPollMs = 100;

FinalEntry final_entry(const json& j) {
  FinalEntry entry;
  if (j.contains("rejection")) entry.rejection = wire::rejection(j.at("rejection"));
  if (j.contains("facts")) entry.facts = j.at("facts").get<Facts>();
  if (j.contains("verified")) entry.verified = j.at("verified");
  if (j.contains("verification")) entry.verification = wire::verification(j.at("verification"));
  if (!j.contains("rounds_ns")) return entry;
  entry.rounds_ns = j.at("rounds_ns").get<std::vector<double>>();
  entry.median_ns = j.at("median_ns");
  entry.ratio = j.at("ratio").at(0);
  entry.ratio_low = j.at("ratio").at(1);
  entry.ratio_high = j.at("ratio").at(2);
  entry.tie = j.at("tie");
  entry.samples = j.at("samples").get<Samples>();
  entry.flags = j.at("flags").get<SampleFlags>();
  return entry;
}

process::Message final_request(const std::vector<FinalCandidate>& candidates, double max_seconds) {
  std::string blob;
  json list = json::array();
  for (const FinalCandidate& c : candidates) {
    const json modules = wire::from(c.modules, blob);  // before the edges' in the binary part
    list.push_back({{"config", c.config},
                    {"modules", modules},
                    {"edge_code", wire::from(c.edge_code, blob)},
                    {"keep", c.keep},
                    {"estimate_ns", c.estimate_ns}});
  }
  return wire::message({{"op", "confirm"}, {"candidates", list}, {"max_seconds", max_seconds}}, std::move(blob));
}

}  // namespace

void DeviceLane::take_final(const process::Message& message, FinalOutcome& outcome) {
  const json body = wire::body_of(message);
  if (body.contains("round")) outcome.rounds = body.at("round");
  if (!body.contains("finalists")) return;
  const json& finalists = body.at("finalists");
  bool device_failed = false;
  for (std::size_t i = 0; i < std::min(finalists.size(), outcome.entries.size()); ++i) {
    FinalEntry& entry = outcome.entries[i] = final_entry(finalists[i]);
    if (!entry.rejection || entry.rejection->reason != Reason::device_lost) continue;
    device_failed = true;
    if (++device_failures_ >= kMostFailures) give_up(entry.rejection->message);
    entry.rejection.reset();
  }
  if (!device_failed) device_failures_ = 0;
  outcome.rounds = body.at("rounds");
  outcome.unresolved = body.at("unresolved");
  outcome.sigma = body.at("sigma");
  outcome.exhausted = body.at("exhausted");
  outcome.wall_us = body.at("wall_us");
  outcome.verify_us = body.at("verify_us");
  outcome.launches = body.at("launches");
  outcome.launched_us = body.at("launched_us");
  if (shared_with_.empty()) shared_with_ = body.at("shared_with").get<std::string>();
  outcome.broken = body.at("context_lost").get<bool>() || device_failed;
  outcome.ended = true;
}

/// As with jobs: a finalist whose process died is blamed when it happens again, since others had run there before.
void DeviceLane::blame_finalist(const Notice& notice, const std::vector<FinalCandidate>& candidates,
                                FinalOutcome& outcome) {
  outcome.broken = outcome.ended = true;
  const auto step = worker_->step();
  if (!step || step->item >= candidates.size()) return;
  const bool doubtful = notice.rejection.reason == Reason::crash;
  if (doubtful && doubted_.insert(candidates[step->item].config).second) return;
  outcome.entries[step->item].rejection = notice.rejection;
}

FinalOutcome DeviceLane::run_final(const std::vector<FinalCandidate>& candidates, double max_seconds,
                                   const std::function<bool(int round)>& tick) {
  require_device();
  FinalOutcome outcome;
  outcome.entries.resize(candidates.size());
  begin_watch();
  worker_->send(final_request(candidates, max_seconds));
  auto since = Clock::now();
  while (!outcome.ended) {
    std::vector<pollfd> fds;
    add_poll_fds(fds);
    ::poll(fds.data(), fds.size(), kPollMs);
    since = Clock::now();
    std::optional<Notice> notice;
    try {
      while (const auto message = hear(true, notice)) take_final(*message, outcome);
    } catch (const std::exception& error) {
      notice = protocol_notice(error.what());
    }
    if (outcome.ended) break;
    if (notice) {
      blame_finalist(*notice, candidates, outcome);
    } else if (!tick(outcome.rounds)) {
      outcome.aborted = outcome.ended = true;
      worker_.reset();
      return outcome;
    }
  }
  if (outcome.broken && !lost_) restart(since);
  return outcome;
}

}  // namespace kerntune
