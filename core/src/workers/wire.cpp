// SPDX-License-Identifier: Apache-2.0
#include "workers/wire.hpp"

#include <nlohmann/json.hpp>

#include "workers/gpu_fact_fields.hpp"

namespace nlohmann {

template <>
struct adl_serializer<std::optional<kerntune::BoardFacts>> {
  static void to_json(json& j, const std::optional<kerntune::BoardFacts>& board) {
    j = board ? kerntune::gpu_json::object<json>(*board) : json(nullptr);
  }
  static void from_json(const json& j, std::optional<kerntune::BoardFacts>& board) {
    board.reset();
    if (!j.is_null()) board = kerntune::gpu_json::from<kerntune::BoardFacts>(j);
  }
};

}  // namespace nlohmann

namespace kerntune {

// Members in the JSON have the names of the structs' members.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DeviceProperties, sm_count, max_threads_per_block, max_threads_per_sm,
                                   max_blocks_per_sm, shared_per_block, shared_per_block_optin, shared_per_sm,
                                   registers_per_block, registers_per_sm, l2_bytes, warp_size, compute_capability,
                                   is_cuda, cpu_cores)
NLOHMANN_JSON_SERIALIZE_ENUM(DeviceKind,
                             {{DeviceKind::host, "host"}, {DeviceKind::cuda, "cuda"}, {DeviceKind::replay, "replay"}})
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DeviceInfo, kind, id, name, device_class, uuid, arch, driver, properties,
                                   memory_bytes, peak_bytes_per_s, peak_flop_per_s_f32, board)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Verification::Worst, buffer, size, index, seed, got, expected)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Verification, seeds, sizes, runs, elements, max_abs_error, max_rel_error,
                                   rel_l2_error, cosine, deterministic, complete, worst)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Timing, samples_ns, flags, clock_mhz, exhausted, launches, launched_ns)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CompileJob, file, source, headers, options, entries, arch, register_cap, timeout_s,
                                   memory_limit_bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(EntryFacts, lowered_name, regs, stack_bytes, spill_store_bytes, spill_load_bytes,
                                   static_shared_bytes, constant_bytes)

namespace wire {

json from(const DeviceInfo& info) { return info; }
DeviceInfo device_info(const json& j) { return j.get<DeviceInfo>(); }
json from(const DeviceList& list) {
  json counters = json::object();
  for (const auto& [id, access] : list.counters) counters[id] = from(access);
  return {{"devices", list.devices}, {"unavailable", list.unavailable}, {"counters", counters}};
}
DeviceList device_list(const json& j) {
  DeviceList list;
  list.devices = j.at("devices").get<std::vector<DeviceInfo>>();
  list.unavailable = j.at("unavailable").get<std::vector<std::string>>();
  for (const auto& [id, access] : j.at("counters").items()) list.counters[id] = counter_access(access);
  return list;
}
json from(const std::optional<GpuState>& state) { return state ? gpu_json::object<json>(*state) : json(nullptr); }
std::optional<GpuState> gpu_state(const json& j) {
  return j.is_null() ? std::nullopt : std::optional(gpu_json::from<GpuState>(j));
}
json from(const Verification& verification) { return verification; }
Verification verification(const json& j) { return j.get<Verification>(); }
json from(const Timing& timing) { return timing; }
Timing timing(const json& j) { return j.get<Timing>(); }
json from(const CompileJob& job) { return job; }
CompileJob compile_job(const json& j) { return j.get<CompileJob>(); }

json from(const MeasurePolicy& policy) {
  return {{"cold", policy.l2 == MeasurePolicy::L2::cold}, {"graph", policy.mode == MeasurePolicy::Mode::graph}};
}

MeasurePolicy measure_policy(const json& j) {
  return {j.at("cold").get<bool>() ? MeasurePolicy::L2::cold : MeasurePolicy::L2::warm,
          j.at("graph").get<bool>() ? MeasurePolicy::Mode::graph : MeasurePolicy::Mode::eager};
}

json from(const Rejection& rejection) {
  return {{"reason", name_of(rejection.reason)}, {"message", rejection.message}};
}

Rejection rejection(const json& j) {
  return {reason_from(j.at("reason").get<std::string>()), j.at("message").get<std::string>()};
}

json from(const CompiledModule& module, std::string& blob) {
  blob += module.cubin;
  return {{"key", module.key},
          {"cubin_bytes", module.cubin.size()},
          {"cubin_digest", module.cubin_digest},
          {"entries", module.entries},
          {"log", module.log},
          {"compile_ms", module.compile_ms},
          {"from_cache", module.from_cache}};
}

json from(const std::vector<CompiledModule>& modules, std::string& blob) {
  json list = json::array();
  for (const CompiledModule& module : modules) list.push_back(from(module, blob));
  return list;
}

std::string BlobReader::take(std::size_t bytes) {
  if (bytes > rest_.size()) throw process::ProtocolError("worker channel: a message's binary part is too short");
  std::string taken(rest_.substr(0, bytes));
  rest_.remove_prefix(bytes);
  return taken;
}

CompiledModule compiled_module(const json& j, BlobReader& blob) {
  CompiledModule module;
  module.key = j.at("key").get<std::string>();
  module.cubin = blob.take(j.at("cubin_bytes").get<std::size_t>());
  module.cubin_digest = j.at("cubin_digest").get<std::string>();
  module.entries = j.at("entries").get<std::map<std::string, EntryFacts>>();
  module.log = j.at("log").get<std::string>();
  module.compile_ms = j.at("compile_ms").get<double>();
  module.from_cache = j.at("from_cache").get<bool>();
  return module;
}

std::vector<CompiledModule> compiled_modules(const json& j, BlobReader& blob) {
  std::vector<CompiledModule> modules;
  for (const json& element : j) modules.push_back(compiled_module(element, blob));
  return modules;
}

json from(const std::vector<EdgeCode>& edges, std::string& blob) {
  json list = json::array();
  for (const EdgeCode& edge : edges) {
    json one{{"dims", edge.dims}};
    one["modules"] = from(edge.modules, blob);  // in the order in which they are taken back
    one["default_modules"] = from(edge.default_modules, blob);
    one["reference_modules"] = from(edge.reference_modules, blob);
    list.push_back(std::move(one));
  }
  return list;
}

std::vector<EdgeCode> edge_code(const json& j, BlobReader& blob) {
  std::vector<EdgeCode> edges;
  for (const json& one : j) {
    EdgeCode& edge = edges.emplace_back();
    edge.dims = one.at("dims").get<Dims>();
    edge.modules = compiled_modules(one.at("modules"), blob);
    edge.default_modules = compiled_modules(one.at("default_modules"), blob);
    edge.reference_modules = compiled_modules(one.at("reference_modules"), blob);
  }
  return edges;
}

process::Message message(const json& body, std::string blob) {
  // Texts from compilers and plugins may hold any bytes; what is not UTF-8 is replaced rather than thrown over.
  return {body.dump(-1, ' ', false, json::error_handler_t::replace), std::move(blob)};
}

json body_of(const process::Message& message) { return json::parse(message.text); }

}  // namespace wire
}  // namespace kerntune
