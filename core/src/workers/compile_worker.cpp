// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include <kerntune/core/compile.hpp>

#include "nvtx/ranges.hpp"
#include "process/worker_process.hpp"
#include "workers/wire.hpp"
#include "workers/workers.hpp"

namespace kerntune {
namespace {

using wire::json;

process::Message compile_one(const json& request) {
  const CompileJob job = wire::compile_job(request.at("job"));
  process::limit_memory_growth(job.memory_limit_bytes);  // it fails in its own process instead of taking us along
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
