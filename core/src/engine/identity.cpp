// SPDX-License-Identifier: Apache-2.0
#include "engine/context.hpp"

#include <fmt/format.h>

namespace kerntune {

std::vector<std::uint64_t> verification_seeds() { return {0x5EED0001, 0x5EED0002, 0x5EED0003}; }

std::string toolchain_of(const KernelEntry& kernel, const DeviceInfo& device, const std::string& nvrtc_version) {
  if (device.kind == DeviceKind::replay) return "recorded";
  if (!kernel.spec.is_source()) {
    return fmt::format("plugin {}", kernel.plugin_build_id.empty() ? kernel.plugin_version : kernel.plugin_build_id);
  }
  return fmt::format("nvrtc {}", nvrtc_version);
}

std::string canonical_dims(const Dims& dims) {
  std::string text;
  for (const auto& [name, value] : dims) text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, value);
  return text;
}

Dims without(const Dims& dims, const std::string& name) {
  Dims rest = dims;
  rest.erase(name);
  return rest;
}

storage::EvaluationKey evaluation_key(const TuningContext& context, const Dims& dims, const std::string& config) {
  return {context.kernel.spec.name, context.code_digest,  config, canonical_dims(dims), context.device.device_class,
          context.toolchain,        context.policy.text()};
}

CompileJob compile_job(const SourceCode& code, const CompilePlan& plan, const std::string& arch) {
  CompileJob job;
  job.file = code.file;
  job.source = code.text;
  for (const HeaderText& header : code.headers) job.headers.emplace_back(header.name, header.text);
  job.options = plan.options;
  job.entries = plan.entries;
  job.arch = arch;
  job.register_cap = plan.register_cap;
  return job;
}

}  // namespace kerntune
