// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <kerntune/core/catalogue.hpp>
#include <kerntune/core/compile.hpp>
#include <kerntune/core/device.hpp>
#include <kerntune/core/gpu_facts.hpp>
#include <kerntune/core/rejection.hpp>

#include "engine/examiner.hpp"
#include "process/frame.hpp"

/// The engine's structs as JSON, for messages between processes and for columns of the store that hold JSON. Both sides
/// are the same executable, so a missing member is a bug and throws nlohmann's exception.
namespace kerntune::wire {

using json = nlohmann::json;

json from(const DeviceInfo& info);
DeviceInfo device_info(const json& j);
json from(const std::optional<GpuState>& state);  // null if nothing is known
std::optional<GpuState> gpu_state(const json& j);
json from(const DeviceList& list);
DeviceList device_list(const json& j);
json from(const MeasurePolicy& policy);
MeasurePolicy measure_policy(const json& j);
json from(const Rejection& rejection);
Rejection rejection(const json& j);
json from(const Verification& verification);
Verification verification(const json& j);
json from(const Timing& timing);
Timing timing(const json& j);
json from(const Counters& counters);
Counters counters(const json& j);
json from(const CounterAccess& access);
CounterAccess counter_access(const json& j);
json from(const CounterRequest& request);
CounterRequest counter_request(const json& j);
json from(const CompileJob& job);
CompileJob compile_job(const json& j);

/// Modules travel as JSON in `body` with their cubins appended to `blob`, and are taken back in the same order.
json from(const CompiledModule& module, std::string& blob);
json from(const std::vector<CompiledModule>& modules, std::string& blob);
class BlobReader {
 public:
  explicit BlobReader(std::string_view blob) : rest_(blob) {}
  std::string take(std::size_t bytes);

 private:
  std::string_view rest_;
};
CompiledModule compiled_module(const json& j, BlobReader& blob);
std::vector<CompiledModule> compiled_modules(const json& j, BlobReader& blob);

json from(const std::vector<EdgeCode>& edges, std::string& blob);
std::vector<EdgeCode> edge_code(const json& j, BlobReader& blob);

process::Message message(const json& body, std::string blob = {});
json body_of(const process::Message& message);

}  // namespace kerntune::wire
