// SPDX-License-Identifier: Apache-2.0
#include "engine/compile_pool.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <kerntune/core/errors.hpp>

#include "workers/wire.hpp"

namespace kerntune {
namespace {

using Clock = std::chrono::steady_clock;
using wire::json;

constexpr auto kHelloTimeout = std::chrono::seconds(20);

std::string with_log(std::string message, const process::WorkerProcess& process) {
  const std::string tail = process.log_tail();
  return tail.empty() ? message : message + "; its last output: " + tail;
}

}  // namespace

CompilePool::CompilePool(int processes, std::string cache_folder)
    : max_workers_(static_cast<std::size_t>(std::max(processes, 1))), cache_(std::move(cache_folder)) {}

void CompilePool::hello() {
  if (!version_.empty()) return;
  auto worker = std::make_unique<Worker>(Worker{process::WorkerProcess::spawn("compile"), std::nullopt, {}});
  worker->process.send(wire::message({{"op", "hello"}}));
  const auto message = worker->process.wait(Clock::now() + kHelloTimeout);
  if (!message) {
    const process::Exit exit = worker->process.kill();
    throw DeviceError(with_log("start a compile worker: it " + exit.text(), worker->process));
  }
  const json answer = wire::body_of(*message);
  version_ = answer.at("nvrtc").get<std::string>();
  if (version_.empty()) {
    throw DeviceError(fmt::format("compile kernels: {}", answer.at("why_not").get<std::string>()));
  }
  architectures_ = answer.at("architectures").get<std::vector<int>>();
  workers_.push_back(std::move(worker));
}

const std::string& CompilePool::nvrtc_version() {
  hello();
  return version_;
}

void CompilePool::require_arch(const std::string& arch) {
  hello();
  const auto known = [&](int a) { return arch == fmt::format("sm_{}", a); };
  if (std::any_of(architectures_.begin(), architectures_.end(), known)) return;
  throw DeviceError(
      fmt::format("compile for {}: NVRTC {} compiles for sm_{} only; install a CUDA toolkit that serves this GPU "
                  "(CUDA 12 for sm_70) and point KERNTUNE_NVRTC at its libnvrtc",
                  arch, version_, fmt::join(architectures_, ", sm_")));
}

void CompilePool::submit(std::uint64_t id, const CompileJob& job) {
  Task task{compile_key(job, nvrtc_version()), job};
  auto& ids = waiting_[task.key];
  ids.push_back(id);
  if (ids.size() > 1) return;  // somebody else's job already makes it
  CompiledModule cached;
  if (cache_.load(task.key, cached)) {
    cached.from_cache = true;
    finish(task.key, cached);
    return;
  }
  queue_.push_back(std::move(task));
  assign();
}

void CompilePool::finish(const std::string& key, const Outcome& outcome) {
  const auto waiting = waiting_.extract(key);
  if (waiting.empty()) return;
  for (const std::uint64_t id : waiting.mapped()) finished_.push_back({id, outcome});
}

void CompilePool::start(Worker& worker, Task task) {
  worker.process.send(wire::message({{"op", "compile"}, {"id", 0}, {"job", wire::from(task.job)}}));
  worker.deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(task.job.timeout_s));
  worker.task = std::move(task);
}

void CompilePool::assign() {
  for (const auto& worker : workers_) {
    if (queue_.empty()) return;
    if (worker->task) continue;
    start(*worker, std::move(queue_.front()));
    queue_.pop_front();
  }
  while (!queue_.empty() && workers_.size() < max_workers_) {
    workers_.push_back(std::make_unique<Worker>(Worker{process::WorkerProcess::spawn("compile"), std::nullopt, {}}));
    start(*workers_.back(), std::move(queue_.front()));
    queue_.pop_front();
  }
}

bool CompilePool::take_answer(Worker& worker, const process::Message& message) {
  if (!worker.task) return false;  // it spoke without being asked
  const json answer = wire::body_of(message);
  const std::string key = worker.task->key;
  worker.task.reset();
  if (!answer.at("ok").get<bool>()) {
    finish(key, tl::unexpected(wire::rejection(answer.at("rejection"))));
    return true;
  }
  wire::BlobReader blob(message.blob);
  CompiledModule module = wire::compiled_module(answer.at("module"), blob);
  module.key = key;
  cache_.store(module);
  finish(key, std::move(module));
  return true;
}

Rejection CompilePool::crashed(Worker& worker) {
  const process::Exit exit = worker.process.reap();
  return {Reason::compile_crash,
          with_log(fmt::format("the compiler of {} {}", worker.task->job.file, exit.text()), worker.process)};
}

Rejection CompilePool::timed_out(Worker& worker) {
  worker.process.kill();
  return {Reason::compile_timeout, with_log(fmt::format("compiling {} took longer than {} s and was ended",
                                                        worker.task->job.file, worker.task->job.timeout_s),
                                            worker.process)};
}

bool CompilePool::serve(Worker& worker) {
  bool alive = worker.process.pump();
  try {
    while (const auto message = worker.process.next()) alive = take_answer(worker, *message) && alive;
  } catch (const std::exception&) {  // not our protocol: its memory is corrupt
    worker.process.kill();
    alive = false;
  }
  worker.process.channel().flush();
  if (!alive && worker.task) finish(worker.task->key, tl::unexpected(crashed(worker)));
  if (alive && worker.task && Clock::now() > worker.deadline) {
    finish(worker.task->key, tl::unexpected(timed_out(worker)));
    alive = false;
  }
  return alive;
}

std::vector<CompilePool::Finished> CompilePool::collect() {
  std::erase_if(workers_, [&](const auto& worker) { return !serve(*worker); });
  assign();
  return std::exchange(finished_, {});
}

void CompilePool::cancel_queued() {
  for (const Task& task : queue_) waiting_.erase(task.key);
  queue_.clear();
}

void CompilePool::add_poll_fds(std::vector<pollfd>& fds) const {
  for (const auto& worker : workers_) {
    if (!worker->task) continue;
    const short events = static_cast<short>(POLLIN | (worker->process.channel().wants_write() ? POLLOUT : 0));
    fds.push_back({worker->process.channel().fd(), events, 0});
    fds.push_back({worker->process.log_fd(), POLLIN, 0});
  }
}

int CompilePool::running() const noexcept {
  return static_cast<int>(
      std::count_if(workers_.begin(), workers_.end(), [](const auto& w) { return w->task.has_value(); }));
}

std::vector<CompilePool::Outcome> CompilePool::compile_all(const std::vector<CompileJob>& jobs) {
  std::vector<Outcome> outcomes(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) submit(i, jobs[i]);
  std::size_t done = 0;
  while (done < jobs.size()) {
    for (Finished& finished : collect()) {
      outcomes[finished.id] = std::move(finished.outcome);
      ++done;
    }
    if (done == jobs.size()) break;
    std::vector<pollfd> fds;
    add_poll_fds(fds);
    ::poll(fds.data(), fds.size(), 50);
  }
  return outcomes;
}

}  // namespace kerntune
