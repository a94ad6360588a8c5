// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <kerntune/core/errors.hpp>
#include <kerntune/core/kernel_spec.hpp>

#include "spec/compiled_spec.hpp"
#include "spec/spec_json.hpp"

namespace kerntune {
namespace {

JsonDocument parse_document(std::string_view json, std::string_view origin) {
  try {
    return JsonDocument::parse(json);
  } catch (const JsonError& error) {
    throw SpecError("spec '" + std::string(origin) + "': " + error.what());
  }
}

}  // namespace

KernelSpec parse_spec(std::string_view json, std::string_view origin) {
  const JsonDocument document = parse_document(json, origin);
  KernelSpec spec;
  try {
    spec = read_spec(document.root());
    const auto* code = std::get_if<SourceCode>(&spec.code);
    if (code != nullptr && code->text.empty() && code->unavailable.empty())
      throw JsonError("code: member 'text' is missing");
  } catch (const JsonError& error) {
    throw SpecError(spec_prefix(document.root(), origin) + error.what());
  }
  compile_spec(spec);  // for its checks
  return spec;
}

bool KernelSpec::launchable() const noexcept {
  const auto* source = std::get_if<SourceCode>(&code);
  return source == nullptr || !source->text.empty();
}

const Dim& KernelSpec::batch_dim() const {
  const auto batch = std::find_if(dims.begin(), dims.end(), [](const Dim& dim) { return dim.batch; });
  if (batch == dims.end()) throw SpecError("kernel '" + name + "': no dim is the batch axis");
  return *batch;
}

}  // namespace kerntune
