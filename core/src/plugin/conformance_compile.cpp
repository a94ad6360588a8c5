// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "conformance_parts.hpp"
#include "representative_devices.hpp"

namespace kerntune {
namespace {

CompileJob job_for(const SourceCode& code, const CompilePlan& plan, int architecture) {
  CompileJob job;
  job.file = code.file;
  job.source = code.text;
  for (const HeaderText& header : code.headers) job.headers.emplace_back(header.name, header.text);
  job.options = plan.options;
  job.entries = plan.entries;
  job.arch = fmt::format("sm_{}", architecture);
  job.register_cap = plan.register_cap;
  return job;
}

/// Sum of what the entries need, for the message.
std::string facts_text(const CompiledModule& module) {
  std::string text;
  for (const auto& [entry, facts] : module.entries) {
    text += fmt::format("{}{}: {} registers, {} bytes of shared memory", text.empty() ? "" : "; ", entry, facts.regs,
                        facts.static_shared_bytes);
  }
  return text;
}

void compile(KernelChecks& checks, const std::string& name, const SourceCode& code,
             const tl::expected<CompilePlan, Rejection>& plan, int architecture) {
  if (!plan) return checks.fail(name, plan.error().message);
  const auto module = checks.options.compile(job_for(code, *plan, architecture));
  if (!module) return checks.fail(name, module.error().message);
  checks.pass(name, facts_text(*module));
}

void compile_default(KernelChecks& checks, const SourceCode& code, const RepresentativeDevice& device) {
  const auto architecture = static_cast<int>(device.properties.compute_capability);
  const Dims dims = checks.program.complete_dims({});
  const std::string name = fmt::format("the default configuration compiles for sm_{}", architecture);
  const auto binding = checks.program.bind(checks.program.default_config(), dims, device.properties);
  if (!binding) return checks.fail(name, binding.error().message);
  if (const auto applies = checks.program.applicable(*binding); !applies) {
    return checks.skip(name, fmt::format("not applicable on {}: {}", device.name, applies.error().message));
  }
  compile(checks, name, code, checks.program.compile_plan(*binding), architecture);
}

void compile_reference(KernelChecks& checks, const RepresentativeDevice& device) {
  const auto architecture = static_cast<int>(device.properties.compute_capability);
  const Binding binding = checks.program.bind_dims(checks.program.complete_dims({}), device.properties);
  compile(checks, fmt::format("the reference kernel compiles for sm_{}", architecture),
          checks.spec().reference.kernel->code, checks.program.reference_compile_plan(binding), architecture);
}

}  // namespace

void check_compilation(KernelChecks& checks) {
  const auto* code = std::get_if<SourceCode>(&checks.spec().code);
  const bool has_reference = checks.spec().reference.kernel.has_value();
  if (code == nullptr && !has_reference) return;
  if (!checks.options.compile || checks.options.architectures.empty()) {
    return checks.skip("the default configuration compiles", "no compiler (NVRTC) is available here");
  }
  int last = 0;
  for (const RepresentativeDevice& device : representative_devices()) {
    const auto architecture = static_cast<int>(device.properties.compute_capability);
    const auto& known = checks.options.architectures;
    if (architecture == std::exchange(last, architecture)) continue;  // H100 and H200 share theirs
    if (std::ranges::find(known, architecture) == known.end()) {
      checks.skip(fmt::format("the default configuration compiles for sm_{}", architecture),
                  "this compiler does not know the architecture");
      continue;
    }
    if (code != nullptr) compile_default(checks, *code, device);
    if (has_reference) compile_reference(checks, device);
  }
}

}  // namespace kerntune
