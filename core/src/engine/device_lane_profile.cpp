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

void take_profile(const json& body, ProfileOutcome& outcome) {
  if (!body.at("ok").get<bool>()) return;
  outcome.access = wire::counter_access(body.at("access"));
  outcome.wall_us = body.at("wall_us");
  take_entries(body.at("entries"), outcome);
}

CounterAccess access_lost_with_worker(const Rejection& end) {
  CounterAccess access;
  access.rung = CounterAccess::Rung::failed;
  access.reason = fmt::format("the worker did not survive it: {}", end.message);
  access.remedy = "tune without counters (--counters off)";
  access.tried = true;
  return access;
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
    json body;
    try {
      if (const auto message = hear(true, notice))
        body = wire::body_of(*message);
      else if (!notice)
        continue;
      if (!notice) take_profile(body, outcome);
    } catch (const json::exception& error) {
      notice = protocol_notice(error.what());
    }
    if (notice) outcome.access = access_lost_with_worker(notice->rejection);
    if (notice || body.at("context_lost").get<bool>()) restart(since);
    if (!notice && !body.at("ok").get<bool>()) throw UsageError(body.at("message").get<std::string>());
    return outcome;
  }
}

}  // namespace kerntune
