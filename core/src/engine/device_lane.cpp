// SPDX-License-Identifier: Apache-2.0
#include "engine/device_lane.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <kerntune/core/errors.hpp>

#include "workers/wire.hpp"

namespace kerntune {
namespace {

using wire::json;

constexpr double kOpenTimeoutS = 60;
constexpr double kSessionTimeoutS = 300;  // references of large problems may run on one CPU

LaneAnswer::Status status_from(const std::string& name) {
  if (name == "measured") return LaneAnswer::Status::measured;
  return name == "slower" ? LaneAnswer::Status::slower : LaneAnswer::Status::rejected;
}

FinalEntry final_entry(const json& j) {
  FinalEntry entry;
  if (j.contains("rejection")) entry.rejection = wire::rejection(j.at("rejection"));
  if (j.contains("facts")) entry.facts = j.at("facts").get<Facts>();
  if (j.contains("verified")) entry.verified = j.at("verified");
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

process::Message final_request(const std::vector<FinalCandidate>& candidates, const std::vector<std::uint64_t>& seeds,
                               double max_seconds) {
  std::string blob;
  json list = json::array();
  for (const FinalCandidate& c : candidates) {
    list.push_back({{"config", c.config},
                    {"modules", wire::from(c.modules, blob)},
                    {"keep", c.keep},
                    {"estimate_ns", c.estimate_ns}});
  }
  return wire::message({{"op", "confirm"}, {"candidates", list}, {"seeds", seeds}, {"max_seconds", max_seconds}},
                       std::move(blob));
}

}  // namespace

DeviceLane::DeviceLane(KernelEntry kernel, std::string device, double evaluation_timeout_s)
    : kernel_(std::move(kernel)), device_(std::move(device)), timeout_s_(evaluation_timeout_s) {}

const DeviceInfo& DeviceLane::open() {
  worker_.emplace(process::WorkerProcess::spawn("device"));
  const json request{{"op", "open"},
                     {"device", device_},
                     {"plugin", kernel_.from_plugin ? kernel_.origin : ""},
                     {"kernel", kernel_.spec.name},
                     {"spec", to_json(kernel_.spec)}};
  const auto answer = ask(wire::message(request), kOpenTimeoutS);
  if (!answer) throw DeviceError(fmt::format("open device '{}': {}", device_, death_notice(worker_->pump()).message));
  const json body = wire::body_of(*answer);
  if (!body.at("ok").get<bool>()) throw DeviceError(body.at("message").get<std::string>());
  info_ = wire::device_info(body.at("info"));
  return info_;
}

tl::expected<std::string, Rejection> DeviceLane::start_session(SessionStart start) {
  session_ = std::move(start);
  if (!worker_) open();
  std::string blob;
  const json defaults = wire::from(session_->default_modules, blob);
  const json references = wire::from(session_->reference_modules, blob);
  const json request{{"op", "session"},
                     {"dims", session_->dims},
                     {"policy", wire::from(session_->policy)},
                     {"default_modules", defaults},
                     {"reference_modules", references},
                     {"seeds", session_->seeds},
                     {"best", session_->best},
                     {"runs_per_sample", session_->runs_per_sample}};
  const auto answer = ask(wire::message(request, std::move(blob)), kSessionTimeoutS);
  if (!answer) {
    Rejection notice = death_notice(worker_->pump());
    worker_.reset();
    return tl::unexpected(Rejection{notice.reason, "make buffers and reference: " + notice.message});
  }
  const json body = wire::body_of(*answer);
  if (!body.at("ok").get<bool>()) return tl::unexpected(wire::rejection(body.at("rejection")));
  return body.at("verified_by").get<std::string>();
}

void DeviceLane::restart() {
  ++restarts_;
  worker_.reset();
  open();
  if (!session_) return;
  if (const auto ok = start_session(*session_); !ok) {
    throw DeviceError(fmt::format("restart the worker of device '{}': {}", device_, ok.error().message));
  }
}

std::optional<process::Message> DeviceLane::ask(const process::Message& request, double timeout_s) {
  worker_->send(request);
  return worker_->wait(Clock::now() +
                       std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(timeout_s)));
}

Rejection DeviceLane::death_notice(bool overran) {
  const process::Exit exit = overran ? worker_->kill() : worker_->reap();
  std::string message = overran ? fmt::format("no answer within {} s; its process was ended", timeout_s_)
                                : fmt::format("its process {}", exit.text());
  if (const std::string tail = worker_->log_tail(); !tail.empty()) message += "; its last output: " + tail;
  return {overran ? Reason::timeout : Reason::crash, std::move(message)};
}

void DeviceLane::send_job(const LaneJob& job) {
  std::string blob;
  const json modules = wire::from(job.modules, blob);
  worker_->send(wire::message({{"op", "evaluate"},
                               {"id", job.id},
                               {"config", job.config},
                               {"modules", modules},
                               {"seeds", job.seeds},
                               {"launches", job.launches}},
                              std::move(blob)));
}

void DeviceLane::arm_deadline() {
  deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(timeout_s_));
}

void DeviceLane::submit(LaneJob job) {
  if (jobs_.empty()) arm_deadline();
  send_job(job);
  jobs_.push_back(std::move(job));
}

LaneAnswer DeviceLane::take_answer(const process::Message& message, bool& context_lost) {
  const json body = wire::body_of(message);
  LaneAnswer answer;
  answer.id = body.at("id");
  answer.status = status_from(body.at("status"));
  answer.timing = wire::timing(body.at("timing"));
  answer.median_ns = body.at("median_ns");
  answer.verified = body.at("verified");
  answer.facts = body.at("facts").get<Facts>();
  answer.wall_us = body.at("wall_us");
  answer.verify_us = body.at("verify_us");
  answer.leads = body.at("leads");
  if (session_ && session_->runs_per_sample == 0) session_->runs_per_sample = body.at("runs_per_sample");
  if (body.contains("verification")) answer.verification = wire::verification(body.at("verification"));
  if (body.contains("rejection")) answer.rejection = wire::rejection(body.at("rejection"));
  context_lost = body.at("context_lost");
  return answer;
}

/// The worker is gone: blame the job it was at, repeat the others in a new worker.
void DeviceLane::replace_after(bool overran, std::vector<LaneAnswer>& answers) {
  const Rejection notice = death_notice(overran);
  if (!jobs_.empty()) {
    LaneAnswer culprit;
    culprit.id = jobs_.front().id;
    culprit.rejection = notice;
    answers.push_back(std::move(culprit));
    jobs_.pop_front();
  }
  restart();
  for (const LaneJob& job : jobs_) send_job(job);
  arm_deadline();
}

std::vector<LaneAnswer> DeviceLane::collect() {
  std::vector<LaneAnswer> answers;
  bool alive = worker_->pump();
  bool context_lost = false;
  while (const auto message = worker_->next()) {
    LaneAnswer answer = take_answer(*message, context_lost);
    if (jobs_.empty() || jobs_.front().id != answer.id) {
      throw DeviceError(fmt::format("device worker of '{}': answered job {} out of turn", device_, answer.id));
    }
    jobs_.pop_front();
    if (session_ && answer.leads) session_->best = answer.timing.samples_ns;
    answers.push_back(std::move(answer));
    arm_deadline();
  }
  worker_->channel().flush();
  if (context_lost) {  // the culprit has answered for itself; nobody else is to blame
    restart();
    for (const LaneJob& job : jobs_) send_job(job);
    arm_deadline();
  } else if (!alive) {
    replace_after(false, answers);
  } else if (!jobs_.empty() && Clock::now() > deadline_) {
    replace_after(true, answers);
  }
  return answers;
}

void DeviceLane::add_poll_fds(std::vector<pollfd>& fds) const {
  fds.push_back(
      {worker_->channel().fd(), static_cast<short>(POLLIN | (worker_->channel().wants_write() ? POLLOUT : 0)), 0});
  fds.push_back({worker_->log_fd(), POLLIN, 0});
}

FinalOutcome DeviceLane::run_final(const std::vector<FinalCandidate>& candidates,
                                   const std::vector<std::uint64_t>& seeds, double max_seconds,
                                   const std::function<bool(int round)>& tick) {
  FinalOutcome outcome;
  outcome.entries.resize(candidates.size());
  worker_->send(final_request(candidates, seeds, max_seconds));
  std::optional<std::size_t> at;  // the candidate being prepared and verified; none while they take turns
  for (;;) {
    const auto message = worker_->wait(
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(timeout_s_)));
    if (!message) {
      const Rejection notice = death_notice(worker_->pump());
      if (at) outcome.entries[*at].rejection = notice;
      outcome.broken = true;
      restart();
      return outcome;
    }
    const json body = wire::body_of(*message);
    if (body.contains("at")) at = body.at("at").get<std::size_t>();
    if (body.contains("round")) at.reset();
    if (body.contains("round") && !tick(body.at("round"))) {
      outcome.aborted = true;
      worker_.reset();
      return outcome;
    }
    if (!body.contains("finalists")) continue;
    for (std::size_t i = 0; i < body.at("finalists").size(); ++i)
      outcome.entries[i] = final_entry(body.at("finalists")[i]);
    outcome.rounds = body.at("rounds");
    outcome.sigma = body.at("sigma");
    outcome.unresolved = body.at("unresolved");
    outcome.exhausted = body.at("exhausted");
    outcome.wall_us = body.at("wall_us");
    outcome.verify_us = body.at("verify_us");
    outcome.launches = body.at("launches");
    outcome.launched_us = body.at("launched_us");
    outcome.broken = body.at("context_lost");
    if (outcome.broken) restart();
    return outcome;
  }
}

}  // namespace kerntune
