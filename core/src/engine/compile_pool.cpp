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

using wire::json;

constexpr auto kHelloTimeout = std::chrono::seconds(20);

double gibibytes(std::uint64_t bytes) { return static_cast<double>(bytes) / (UINT64_C(1) << 30); }

}  // namespace

std::unique_ptr<CompilePool::Worker> CompilePool::new_worker() {
  return std::make_unique<Worker>(Worker{process::WorkerProcess::spawn("compile"), std::nullopt, {}, {}, 0});
}

CompilePool::CompilePool(int processes, std::string cache_folder, CompileLimits limits)
    : max_workers_(static_cast<std::size_t>(std::max(processes, 1))),
      cache_(std::move(cache_folder)),
      limits_(limits) {}

void CompilePool::hello() {
  if (!version_.empty()) return;
  auto worker = new_worker();
  worker->process.send(wire::message({{"op", "hello"}}));
  const auto message = worker->process.wait(Clock::now() + kHelloTimeout);
  if (!message) {
    const bool silent = worker->process.pump();
    const process::Exit exit = worker->process.reap();
    const std::string how = silent ? fmt::format("gave no answer within {} s", kHelloTimeout.count()) : exit.text();
    throw DeviceError(worker->process.with_log("start a compile worker: it " + how));
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
  task.job.timeout_s = limits_.timeout_s;
  task.job.memory_limit_bytes = limits_.memory_bytes;
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
  worker.begun = Clock::now();
  worker.deadline =
      worker.begun + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(task.job.timeout_s));
  worker.task = std::move(task);
}

/// Where no more processes can be made, those that are there must do.
bool CompilePool::add_worker() {
  if (workers_.size() >= max_workers_) return false;
  try {
    workers_.push_back(new_worker());
  } catch (const Error&) {
    if (workers_.empty()) throw;
    max_workers_ = workers_.size();
    return false;
  }
  return true;
}

void CompilePool::assign() {
  while (!queue_.empty()) {
    const bool repeated = queue_.front().repeated;
    if (repeated) std::erase_if(workers_, [](const auto& w) { return !w->task && w->done > 0; });  // a new process
    auto free = std::find_if(workers_.begin(), workers_.end(), [](const auto& w) { return !w->task; });
    if (free == workers_.end()) {
      if (!add_worker()) return;
      free = std::prev(workers_.end());
    }
    start(**free, std::move(queue_.front()));
    queue_.pop_front();
  }
}

bool CompilePool::take_answer(Worker& worker, const process::Message& message) {
  if (!worker.task) throw process::ProtocolError("it spoke without being asked");
  const json answer = wire::body_of(message);
  if (!answer.at("ok").get<bool>()) {
    const Rejection rejection = wire::rejection(answer.at("rejection"));
    fail(worker, rejection);
    return rejection.reason != Reason::out_of_memory;  // it may not give back what it took
  }
  wire::BlobReader blob(message.blob);
  CompiledModule module = wire::compiled_module(answer.at("module"), blob);
  module.key = worker.task->key;
  worker.task.reset();
  ++worker.done;
  cache_.store(module);
  const std::string key = module.key;
  finish(key, std::move(module));
  return true;
}

/// The job's result, unless it deserves a second try: a compiler that crashed may have been killed by others' needs,
/// and one that has no memory left may owe that to the jobs before.
void CompilePool::fail(Worker& worker, Rejection rejection) {
  Task task = std::move(*worker.task);
  worker.task.reset();
  const bool starved = rejection.reason == Reason::out_of_memory && worker.done > 0;
  ++worker.done;
  if (!task.repeated && (starved || rejection.reason == Reason::compile_crash)) {
    task.repeated = true;
    queue_.push_front(std::move(task));
    return;
  }
  if (task.repeated) rejection.message += "; tried a second time, in a new process, with the same end";
  finish(task.key, tl::unexpected(std::move(rejection)));
}

void CompilePool::crashed(Worker& worker, const std::string& what) {
  const process::Exit exit = worker.process.reap();
  if (!worker.task) return;
  const double seconds = std::chrono::duration<double>(Clock::now() - worker.begun).count();
  std::string message = fmt::format("the compiler of {} {} after {:.2f} s", worker.task->job.file,
                                    what.empty() ? exit.text() : what, seconds);
  if (exit.peak_bytes > limits_.memory_bytes / 4 * 3)
    message += fmt::format("; it had taken {:.1f} GiB of memory, {:.1f} GiB are allowed (--memory-limit)",
                           gibibytes(exit.peak_bytes), gibibytes(limits_.memory_bytes));
  fail(worker, {Reason::compile_crash, worker.process.with_log(std::move(message))});
}

void CompilePool::timed_out(Worker& worker) {
  worker.process.kill();
  fail(worker, {Reason::compile_timeout, worker.process.with_log(fmt::format(
                                             "compiling {} took longer than {} s (--compile-timeout) and was ended",
                                             worker.task->job.file, worker.task->job.timeout_s))});
}

bool CompilePool::serve(Worker& worker) {
  bool alive = true, keep = true;
  try {
    alive = worker.process.pump();
    while (const auto message = worker.process.next()) keep = take_answer(worker, *message) && keep;
  } catch (const std::exception& error) {  // its memory is corrupt
    worker.process.kill();
    crashed(worker, fmt::format("damaged what it sends to the supervisor ({}) and was killed", error.what()));
    return false;
  }
  worker.process.channel().flush();
  if (!alive) {
    crashed(worker, "");
  } else if (worker.task && Clock::now() > worker.deadline) {
    timed_out(worker);
    return false;
  }
  return alive && keep;
}

/// Time in which this process did not run is not held against compilers, which may not have run either.
void CompilePool::allow_for_pause() {
  constexpr std::chrono::seconds kNormal(2);
  const auto now = Clock::now();
  if (last_look_ != Clock::time_point{} && now - last_look_ > kNormal) {
    for (const auto& worker : workers_) {
      if (worker->begun < last_look_) worker->deadline += now - last_look_;
    }
  }
  last_look_ = now;
}

std::vector<CompilePool::Finished> CompilePool::collect() {
  allow_for_pause();
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
