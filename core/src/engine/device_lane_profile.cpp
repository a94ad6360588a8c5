// SPDX-License-Identifier: Apache-2.0
// The lane's part of taking counters.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <kerntune/core/errors.hpp>

#include "engine/device_lane.hpp"
#include "workers/wire.hpp"

namespace kerntune {
namespace {

using wire::json;

process::Message profile_request(const std::vector<ProfileCandidate>& candidates, const CounterRequest& request) {
  std::string blob;
  json list = json::array();
  for (const ProfileCandidate& candidate : candidates)
    list.push_back({{"config", candidate.config}, {"modules", wire::from(candidate.modules, blob)}});
  return wire::message({{"op", "profile"}, {"candidates", list}, {"counters", wire::from(request)}}, std::move(blob));
}

void take_entries(const json& list, ProfileOutcome& outcome) {
  for (std::size_t i = 0; i < std::min(list.size(), outcome.entries.size()); ++i) {
    ProfileOutcome::Entry& entry = outcome.entries[i];
    if (list[i].contains("rejection")) entry.rejection = wire::rejection(list[i].at("rejection"));
    if (list[i].contains("counters")) entry.counters = wire::counters(list[i].at("counters"));
  }
}

}  // namespace

ProfileOutcome DeviceLane::profile(const std::vector<ProfileCandidate>& candidates, const CounterRequest& request) {
  require_device();
  ProfileOutcome outcome;
  outcome.entries.resize(candidates.size());
  begin_watch();
  worker_->send(profile_request(candidates, request));
  for (;;) {
    std::vector<pollfd> fds;
    add_poll_fds(fds);
    ::poll(fds.data(), fds.size(), kPollMs);
    const auto since = Clock::now();
    std::optional<Notice> notice;
    std::optional<process::Message> message = hear(true, notice);
    if (!message && !notice) continue;
    if (notice) {
      outcome.access.rung = CounterAccess::Rung::failed;
      outcome.access.reason = fmt::format("the worker did not survive it: {}", notice->rejection.message);
      outcome.access.remedy = "tune without counters (--counters off)";
      outcome.access.tried = true;
      restart(since);
      return outcome;
    }
    const json body = wire::body_of(*message);
    if (body.at("context_lost").get<bool>()) restart(since);
    if (!body.at("ok").get<bool>()) throw UsageError(body.at("message").get<std::string>());
    outcome.access = wire::counter_access(body.at("access"));
    outcome.wall_us = body.at("wall_us");
    take_entries(body.at("entries"), outcome);
    return outcome;
  }
}

}  // namespace kerntune
