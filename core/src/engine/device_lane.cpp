// SPDX-License-Identifier: Apache-2.0
#include "engine/device_lane.hpp"

#include <algorithm>
#include <array>
#include <thread>
#include <variant>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <kerntune/core/errors.hpp>

#include "workers/wire.hpp"

namespace kerntune {
namespace {

using wire::json;

constexpr double kOpenTimeoutS = 60;
constexpr double kLookTimeoutS = 30;
constexpr double kSessionTimeoutS = 300;  // references of large problems may run on one CPU

std::chrono::steady_clock::duration seconds(double s) {
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(s));
}

/// " after being timed for 0.42 s"; empty if it was at nothing.
std::string after(const std::optional<process::StatusPage::Step>& step) {
  if (!step) return {};
  return fmt::format(" after {} for {:.2f} s", process::text_of(step->phase), step->running_s);
}

LaneAnswer::Status status_from(const std::string& name) {
  if (name == "measured") return LaneAnswer::Status::measured;
  return name == "slower" ? LaneAnswer::Status::slower : LaneAnswer::Status::rejected;
}

LaneAnswer lane_answer(const json& body) {
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
  if (body.contains("verification")) answer.verification = wire::verification(body.at("verification"));
  if (body.contains("rejection")) answer.rejection = wire::rejection(body.at("rejection"));
  return answer;
}

}  // namespace

DeviceLane::DeviceLane(KernelEntry kernel, std::string device, LaneLimits limits)
    : kernel_(std::move(kernel)), device_(std::move(device)), limits_(limits) {}

void DeviceLane::require_device() const {
  if (lost_) throw DeviceError(*lost_);
}

const DeviceInfo& DeviceLane::open() {
  const json request{{"op", "open"},
                     {"device", device_},
                     {"plugin", kernel_.from_plugin ? kernel_.origin : ""},
                     {"kernel", kernel_.spec.name},
                     {"spec", to_json(kernel_.spec)},
                     {"step_s", limits_.step_s},
                     {"memory_limit_bytes", limits_.memory_bytes}};
  const auto answer = ask_twice(wire::message(request), kOpenTimeoutS, [this] {
    worker_.emplace(process::WorkerProcess::spawn("device"));
    answered_ = 0;
  });
  if (!answer) throw DeviceError(fmt::format("open device '{}': {}", device_, answer.error().message));
  const json body = wire::body_of(*answer);
  if (!body.at("ok").get<bool>()) throw DeviceError(body.at("message").get<std::string>());
  info_ = wire::device_info(body.at("info"));
  return info_;
}

tl::expected<std::string, Rejection> DeviceLane::start_session(SessionStart start) {
  require_device();
  session_ = std::move(start);
  shared_with_.clear();
  gpu_snapshots_.clear();
  return begin_session("session");
}

void DeviceLane::note_gpu(const std::string& at, const std::optional<GpuState>& state) {
  constexpr std::size_t kMost = 64;  // a session whose worker is replaced again and again
  if (state && (gpu_snapshots_.size() < kMost || at != "restart")) gpu_snapshots_.push_back({at, *state});
}

void DeviceLane::look(const std::string& at) {
  if (lost_ || !worker_ || !jobs_.empty() || info_.kind != DeviceKind::cuda) return;
  const auto since = Clock::now();
  const auto answer = ask(wire::message({{"op", "look"}}), kLookTimeoutS);
  if (answer)
    note_gpu(at, wire::gpu_state(wire::body_of(*answer).at("gpu")));
  else
    restart(since);
}

/// Also for a worker that takes another's place: what is known of the session so far stays.
tl::expected<std::string, Rejection> DeviceLane::begin_session(const std::string& at) {
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
                     {"runs_per_sample", session_->runs_per_sample},
                     {"usual_ns", session_->usual_ns}};
  const auto answer = ask_twice(wire::message(request, std::move(blob)), kSessionTimeoutS, [this] {
    if (!worker_) open();
  });
  if (!answer) {
    worker_.reset();
    return tl::unexpected(Rejection{answer.error().reason, "make buffers and reference: " + answer.error().message});
  }
  const json body = wire::body_of(*answer);
  if (!body.at("ok").get<bool>()) return tl::unexpected(wire::rejection(body.at("rejection")));
  if (shared_with_.empty()) shared_with_ = body.at("shared_with").get<std::string>();
  note_gpu(at, wire::gpu_state(body.at("gpu")));
  return body.at("verified_by").get<std::string>();
}

/// A worker that dies over a first request may have been killed by somebody: another one gets it, too.
tl::expected<process::Message, Rejection> DeviceLane::ask_twice(const process::Message& request, double timeout_s,
                                                                const std::function<void()>& begin) {
  begin();
  auto answer = ask(request, timeout_s);
  if (answer || answer.error().reason != Reason::crash) return answer;
  worker_.reset();
  begin();
  return ask(request, timeout_s);
}

tl::expected<process::Message, Rejection> DeviceLane::ask(const process::Message& request, double timeout_s) {
  try {
    worker_->send(request);
    if (auto message = worker_->wait(Clock::now() + seconds(timeout_s))) return std::move(*message);
    if (!worker_->pump()) return tl::unexpected(death_notice().rejection);
  } catch (const std::exception& error) {
    return tl::unexpected(protocol_notice(error.what()).rejection);
  }
  worker_->kill();
  return tl::unexpected(Rejection{
      Reason::timeout, worker_->with_log(fmt::format("no answer within {} s; its process was killed", timeout_s))});
}

std::optional<process::Message> DeviceLane::hear(bool busy, std::optional<Notice>& notice) {
  notice_pause();
  try {
    const bool alive = worker_->pump();
    if (auto message = worker_->next()) {
      last_news_ = Clock::now();
      paused_ = {};
      return message;
    }
    worker_->channel().flush();
    if (!alive) {
      notice = death_notice();
    } else if (busy && overdue()) {
      notice = overdue_notice();
    }
  } catch (const std::exception& error) {
    notice = protocol_notice(error.what());
  }
  return std::nullopt;
}

/// Time in which this process did not run (it was stopped, or waited for a disk) is not held against the worker.
void DeviceLane::notice_pause() {
  constexpr std::chrono::seconds kNormal(2);
  const auto now = Clock::now();
  if (last_look_ != Clock::time_point{} && now - last_look_ > kNormal) paused_ += now - last_look_;
  last_look_ = now;
}

bool DeviceLane::overdue() const {
  const double paused_s = std::chrono::duration<double>(paused_).count();
  if (auto step = worker_->step()) {
    step->allowed_s += paused_s;
    return step->overdue();
  }
  // It has work and is at nothing: it was stopped, or does not come out of something that no step covers.
  return std::chrono::duration<double>(Clock::now() - last_news_).count() > limits_.step_s + paused_s;
}

DeviceLane::Notice DeviceLane::death_notice() {
  const auto step = worker_->step();
  const process::Exit exit = worker_->reap();
  const std::string how = exit.by == process::Exit::By::us
                              ? "closed its channel to the supervisor, did not end by itself and was killed"
                              : exit.text();
  return {{Reason::crash, worker_->with_log(fmt::format("its process {}{}", how, after(step)))},
          exit.killed_from_outside()};
}

DeviceLane::Notice DeviceLane::overdue_notice() {
  const auto step = worker_->step();
  const process::Exit exit = worker_->kill();
  std::string message = step ? fmt::format("did not end: {} for {:.1f} s, {:.1f} s allowed (--timeout)",
                                           process::text_of(step->phase), step->running_s, step->allowed_s)
                             : fmt::format("was not begun within {} s", limits_.step_s);
  message += exit.by == process::Exit::By::nobody ? "; its process " + exit.text() : "; its process was killed";
  return {{Reason::timeout, worker_->with_log(std::move(message))}, false};
}

DeviceLane::Notice DeviceLane::protocol_notice(const std::string& what) {
  const auto step = worker_->step();
  worker_->kill();
  return {{Reason::crash,
           worker_->with_log(fmt::format("its process damaged what it sends to the supervisor ({}) and was killed{}",
                                         what, after(step)))},
          false};
}

void DeviceLane::give_up(const std::string& why) {
  worker_.reset();
  jobs_.clear();
  lost_ = fmt::format("device '{}' is lost: {}", device_, why);
}

/// Opening may fail for a while after a fault: the driver is still clearing up.
void DeviceLane::restart(Clock::time_point since) {
  constexpr std::array kPauses{std::chrono::milliseconds(0), std::chrono::milliseconds(500),
                               std::chrono::milliseconds(2000)};
  ++restarts_;
  std::string why_not;
  for (const auto pause : kPauses) {
    std::this_thread::sleep_for(pause);
    if (!begin_again(why_not)) continue;
    slowest_restart_s_ = std::max(slowest_restart_s_, std::chrono::duration<double>(Clock::now() - since).count());
    return;
  }
  give_up(fmt::format("its worker ended, and {} new ones could not begin: {}", kPauses.size(), why_not));
}

bool DeviceLane::begin_again(std::string& why_not) {
  worker_.reset();
  for (Job& job : jobs_) job.sent = false;
  try {
    open();
    if (!session_) return true;
    const auto begun = begin_session("restart");
    if (begun) return true;
    why_not = begun.error().message;
  } catch (const Error& error) {
    why_not = error.what();
  }
  return false;
}

void DeviceLane::send_job(const LaneJob& job) {
  std::string blob;
  const json modules = wire::from(job.modules, blob);
  const json edges = wire::from(job.edge_code, blob);
  worker_->send(wire::message({{"op", "evaluate"},
                               {"id", job.id},
                               {"config", job.config},
                               {"modules", modules},
                               {"edge_code", edges},
                               {"full", job.full},
                               {"launches", job.launches}},
                              std::move(blob)));
}

void DeviceLane::submit(LaneJob job) {
  if (jobs_.empty()) {
    begin_watch();
  }
  jobs_.push_back({std::move(job), false, 0});
  if (worker_) send_unsent();
}

void DeviceLane::begin_watch() {
  last_news_ = last_look_ = Clock::now();
  paused_ = {};
}

LaneAnswer DeviceLane::evaluate(LaneJob job) {
  submit(std::move(job));
  for (;;) {
    std::vector<LaneAnswer> answers = collect();
    if (!answers.empty()) return std::move(answers.front());
    std::vector<pollfd> fds;
    add_poll_fds(fds);
    ::poll(fds.data(), fds.size(), kPollMs);
  }
}

/// A job that is repeated has the worker for itself.
void DeviceLane::send_unsent() {
  for (Job& job : jobs_) {
    if (!job.sent) send_job(job.job);
    job.sent = true;
    if (job.repeats > 0) return;
  }
}

/// False if the front job has had its second chance.
bool DeviceLane::repeat_front() {
  if (jobs_.front().repeats > 0) return false;
  ++jobs_.front().repeats;
  return true;
}

bool DeviceLane::take(LaneAnswer answer, bool context_lost, std::vector<LaneAnswer>& answers) {
  if (jobs_.empty() || jobs_.front().job.id != answer.id)
    throw process::ProtocolError(fmt::format("it answered job {} out of turn", answer.id));
  const std::optional<Reason> reason = answer.rejection ? std::optional(answer.rejection->reason) : std::nullopt;
  if (reason == Reason::device_lost) {
    jobs_.front().repeats = 1;
    if (++device_failures_ >= kMostFailures) give_up(answer.rejection->message);
    return true;
  }
  device_failures_ = 0;
  // A callback's memory may have been eaten by those before it; and whoever ate it, the next one needs some.
  const bool starved = reason == Reason::out_of_memory && std::holds_alternative<CallableCode>(kernel_.spec.code);
  if (starved && answered_ > 0 && repeat_front()) return true;
  if (jobs_.front().repeats > 0) answer.facts["repeated"] = 1;
  jobs_.pop_front();
  ++answered_;
  if (session_ && answer.leads) session_->best = answer.timing.samples_ns;
  answers.push_back(std::move(answer));
  return context_lost || starved;
}

void DeviceLane::blame(const Notice& notice, std::vector<LaneAnswer>& answers) {
  if (jobs_.empty()) return;
  const bool doubtful = notice.rejection.reason == Reason::crash && (answered_ > 0 || notice.from_outside);
  if (doubtful && repeat_front()) return;
  LaneAnswer culprit;
  culprit.id = jobs_.front().job.id;
  culprit.rejection = notice.rejection;
  if (jobs_.front().repeats > 0) culprit.rejection->message += "; run a second time, alone, with the same end";
  culprit.wall_us = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - last_news_).count();
  answers.push_back(std::move(culprit));
  jobs_.pop_front();
}

std::vector<LaneAnswer> DeviceLane::collect() {
  require_device();
  const auto since = Clock::now();
  std::vector<LaneAnswer> answers;
  std::optional<Notice> notice;
  bool replace = false;
  while (!replace && !notice) {
    const auto message = hear(!jobs_.empty(), notice);
    if (!message) break;
    try {
      const json body = wire::body_of(*message);
      if (session_ && session_->runs_per_sample == 0) session_->runs_per_sample = body.at("runs_per_sample");
      replace = take(lane_answer(body), body.at("context_lost"), answers);
    } catch (const std::exception& error) {
      notice = protocol_notice(error.what());
    }
  }
  if (notice) blame(*notice, answers);
  if (!lost_ && (notice || replace)) {
    restart(since);
    last_news_ = last_look_ = Clock::now();
  }
  if (!lost_) send_unsent();
  return answers;
}

void DeviceLane::add_poll_fds(std::vector<pollfd>& fds) const {
  if (!worker_) return;
  fds.push_back(
      {worker_->channel().fd(), static_cast<short>(POLLIN | (worker_->channel().wants_write() ? POLLOUT : 0)), 0});
  fds.push_back({worker_->log_fd(), POLLIN, 0});
}

}  // namespace kerntune
