// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>

#include <chrono>

#include <nlohmann/json.hpp>

#include <kerntune/core/compile.hpp>

#include "nvtx/ranges.hpp"
#include "workers/wire.hpp"
#include "workers/workers.hpp"

namespace kerntune {
namespace {

using wire::json;

/// A compiler that eats memory fails in its own process instead of taking the machine along. The limit is on data, not
/// on address space: where a driver is installed NVRTC loads it, and that reserves tens of gigabytes that it never
/// touches.
void limit_memory(std::uint64_t bytes) {
  rlimit limit{};
  ::getrlimit(RLIMIT_DATA, &limit);
  if (limit.rlim_cur == bytes) return;
  limit.rlim_cur = limit.rlim_max == RLIM_INFINITY ? bytes : std::min<rlim_t>(bytes, limit.rlim_max);
  ::setrlimit(RLIMIT_DATA, &limit);
}

process::Message compile_one(const json& request) {
  const CompileJob job = wire::compile_job(request.at("job"));
  limit_memory(job.memory_limit_bytes);
  const nvtx::Range range("compile");
  const auto module = nvrtc::compile(job);
  if (!module)
    return wire::message({{"id", request.at("id")}, {"ok", false}, {"rejection", wire::from(module.error())}});
  std::string blob;
  const json body = wire::from(*module, blob);
  return wire::message({{"id", request.at("id")}, {"ok", true}, {"module", body}}, std::move(blob));
}

json hello() {
  std::string why_not;
  const std::string version = nvrtc::version(&why_not);
  return {{"nvrtc", version}, {"why_not", why_not}, {"architectures", nvrtc::architectures()}};
}

}  // namespace

void compile_worker(process::WorkerChannel& channel) {
  while (const auto message = channel.receive()) {
    const json request = wire::body_of(*message);
    channel.send(request.at("op") == "hello" ? wire::message(hello()) : compile_one(request));
  }
}

}  // namespace kerntune
