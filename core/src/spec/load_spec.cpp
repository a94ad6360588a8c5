// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>

#include <kerntune/core/errors.hpp>
#include <kerntune/core/kernel_spec.hpp>
#include <kerntune/core/replay.hpp>

#include "spec/compiled_spec.hpp"
#include "spec/read_file.hpp"
#include "spec/source_files.hpp"
#include "spec/spec_json.hpp"
#include "spec/t1_file.hpp"

namespace kerntune {
namespace {

KernelSpec read_own(const JsonCursor& root, const std::string& folder) {
  KernelSpec spec = read_spec(root);
  try {
    if (auto* code = std::get_if<SourceCode>(&spec.code); code != nullptr && code->unavailable.empty())
      load_source(*code, folder);
    if (spec.reference.kernel) load_source(spec.reference.kernel->code, folder);
  } catch (const Error& error) {
    throw JsonError(std::string("code: ") + error.what());
  }
  if (!spec.is_source()) throw JsonError("code: callable code needs a plugin; a spec file holds source code");
  if (spec.reference.host)
    throw JsonError("reference: a host reference needs a plugin; a spec file holds a reference kernel");
  return spec;
}

KernelSpec read_any(const JsonDocument& document, const std::string& path) {
  const JsonCursor root = document.root();
  const std::string folder = std::filesystem::path(path).parent_path().string();
  if (root.is_object() && root.find("kerntune_spec")) return read_own(root, folder);
  if (is_t1(root)) return read_t1(root, folder);
  if (is_definition(root)) return read_definition(root);
  throw JsonError(
      "neither a kerntune spec (member kerntune_spec), a T1 file (ConfigurationSpace, KernelSpecification), a space "
      "definition (name, params) nor a recording");
}

KernelSpec load(const std::string& path) {
  const std::string text = read_file(path);
  if (is_recording(text)) return spec_of(read_recording(path));
  const JsonDocument document = JsonDocument::parse(text);
  KernelSpec spec;
  try {
    spec = read_any(document, path);
  } catch (const JsonError& error) {
    throw SpecError(spec_prefix(document.root(), path) + error.what());
  }
  compile_spec(spec);  // for its checks
  return spec;
}

}  // namespace

KernelSpec load_spec_file(const std::string& path) {
  try {
    return load(path);
  } catch (const JsonError& error) {
    throw SpecError(fmt::format("load spec file '{}': {}", path, error.what()));
  } catch (const Error& error) {
    throw SpecError(fmt::format("load spec file '{}': {}", path, error.what()));
  }
}

}  // namespace kerntune
