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
  note_gpu("final", wire::gpu_state(body.at("gpu")));
  outcome.broken = body.at("context_lost").get<bool>() || device_failed;
  outcome.ended = true;
}

/// The final until it ends or its worker does; a worker that is of no more use is replaced.
DeviceLane::FinalPlay DeviceLane::play_final(const std::vector<FinalCandidate>& candidates, double max_seconds,
                                             const std::function<bool(int round)>& tick) {
  FinalPlay play;
  FinalOutcome& outcome = play.outcome;
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
      outcome.broken = outcome.ended = true;
      const auto step = worker_->step();
      if (step && step->item < candidates.size()) play.end = FinalPlay::End{step->item, notice->rejection};
    } else if (!tick(outcome.rounds)) {
      outcome.aborted = outcome.ended = true;
      worker_.reset();
      return play;
    }
  }
  if (outcome.broken && !lost_) restart(since);
  return play;
}

/// A few rounds of these alone, in a process of their own, which is replaced afterwards.
DeviceLane::FinalPlay DeviceLane::try_alone(const std::vector<FinalCandidate>& candidates,
                                            const std::function<bool(int round)>& tick) {
  constexpr double kFewestRounds = 0;  // seconds
  FinalPlay play = play_final(candidates, kFewestRounds, tick);
  if (!play.outcome.broken && !play.outcome.aborted) restart(Clock::now());
  return play;
}

/// Who is to blame for the end of a final's process. What died there may have died of what another one had done to the
/// process, so it is tried alone first. If it ends well, each of the others is tried with it: who makes it die is the
/// culprit. Nobody is blamed if that cannot be shown.
void DeviceLane::blame_finalist(const FinalPlay::End& end, const std::vector<FinalCandidate>& candidates,
                                const std::function<bool(int round)>& tick, FinalOutcome& outcome) {
  const auto given_up = [&](const FinalPlay& trial) {
    outcome.aborted = trial.outcome.aborted;
    return outcome.aborted || lost_;
  };
  if (end.rejection.reason != Reason::crash) {
    outcome.entries[end.item].rejection = end.rejection;
    return;
  }
  FinalPlay alone = try_alone({candidates[end.item]}, tick);
  if (given_up(alone)) return;
  if (alone.end) {
    alone.end->rejection.message += "; run a second time, alone, with the same end";
    outcome.entries[end.item].rejection = alone.end->rejection;
    return;
  }
  if (alone.outcome.entries[0].rejection) {
    outcome.entries[end.item].rejection = alone.outcome.entries[0].rejection;
    return;
  }
  // From the one before it backwards, and round: what damages a process usually hits the next one.
  for (std::size_t back = 1; back < candidates.size(); ++back) {
    const std::size_t other = (end.item + candidates.size() - back) % candidates.size();
    const FinalPlay pair = try_alone({candidates[other], candidates[end.item]}, tick);
    if (given_up(pair)) return;
    if (!pair.end) continue;
    Rejection rejection = pair.end->rejection;
    rejection.message += pair.end->item == 0 ? "; run alone before another one"
                                             : "; this happened to another configuration, which runs well alone but "
                                               "not after this one in the same process: this one damages its process";
    outcome.entries[other].rejection = std::move(rejection);
    return;
  }
}

FinalOutcome DeviceLane::run_final(const std::vector<FinalCandidate>& candidates, double max_seconds,
                                   const std::function<bool(int round)>& tick) {
  require_device();
  FinalPlay play = play_final(candidates, max_seconds, tick);
  if (play.end && !lost_) blame_finalist(*play.end, candidates, tick, play.outcome);
  return std::move(play.outcome);
}

}  // namespace kerntune
