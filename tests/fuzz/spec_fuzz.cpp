// SPDX-License-Identifier: Apache-2.0
// Any text is a spec or a SpecError. What parses comes back from its JSON, plans or rejects, and has digests.
#include <unistd.h>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <kerntune/core/errors.hpp>
#include <kerntune/core/kernel_spec.hpp>
#include <kerntune/core/spec_program.hpp>

namespace {

using namespace kerntune;

// Building the space is the search library's work, and a product of large lists takes it long.
bool has_small_space(const KernelSpec& spec) {
  double product = 1;
  for (const ParamSpec& param : spec.params) product *= static_cast<double>(param.values.size());
  return product < 1000;
}

void plan_everything(const SpecProgram& program) {
  const auto binding = program.bind(program.default_config(), program.complete_dims({}), {});
  if (!binding) return;
  (void)program.applicable(*binding);
  (void)program.compile_plan(*binding);
  (void)program.work(*binding);
  const auto buffers = program.buffers(*binding);
  if (!buffers) return;
  (void)program.symbols(*binding, *buffers);
  for (std::size_t i = 0; i < program.spec().steps.size(); ++i)
    if (program.step_runs(i, *binding).value_or(false)) (void)program.step(i, *binding, *buffers, {32, 2});
  const Binding common = program.bind_dims(program.complete_dims({}), {});
  (void)program.reference_compile_plan(common);
  (void)program.reference_steps(common, *buffers);
}

void exercise(const KernelSpec& spec) {
  if (!(parse_spec(to_json(spec), "again") == spec)) std::abort();
  (void)code_digest(spec);
  (void)space_digest(spec);
  (void)reference_digest(spec);
  if (has_small_space(spec)) plan_everything(SpecProgram(spec));
}

// Spaces of T1 files are built while they are read, so no list may grow long: no number has more than two digits.
bool has_small_numbers(std::string_view text) {
  std::size_t digits = 0;
  for (const char c : text) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits > 2) return false;
  }
  return true;
}

// T1 files and definitions are read from disk; each process writes its own file.
void load_as_file(std::string_view text) {
  static const std::string path =
      (std::filesystem::temp_directory_path() / ("kerntune-spec-fuzz-" + std::to_string(::getpid()) + ".json"))
          .string();
  std::ofstream(path, std::ios::binary) << text;
  const KernelSpec spec = load_spec_file(path);
  (void)to_json(spec);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    exercise(parse_spec(text, "fuzz"));
  } catch (const SpecError&) {
  }
  const bool is_other =
      text.find("params") != std::string_view::npos || text.find("ConfigurationSpace") != std::string_view::npos;
  if (!is_other || !has_small_numbers(text)) return 0;
  try {
    load_as_file(text);
  } catch (const SpecError&) {
  }
  return 0;
}
