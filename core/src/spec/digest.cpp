// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <kerntune/core/kernel_spec.hpp>

#include "spec/sha256.hpp"
#include "spec/spec_compiler.hpp"

namespace kerntune {
namespace {

// Adds the parts of a spec as fields: lists with their length first, variants with a word for the alternative.
class SpecDigest {
 public:
  explicit SpecDigest(std::string_view tag) : digest_(tag) {}
  std::string hex() { return digest_.hex(); }

  SpecDigest& text(std::string_view value) {
    digest_.add(value);
    return *this;
  }
  SpecDigest& number(std::uint64_t value) {
    digest_.add(value);
    return *this;
  }
  template <class Texts>
  SpecDigest& texts(const Texts& values) {
    number(values.size());
    for (const std::string& value : values) text(value);
    return *this;
  }
  template <class T, class Add>
  SpecDigest& list(const std::vector<T>& values, Add add_one) {
    number(values.size());
    for (const T& value : values) add_one(value);
    return *this;
  }

  void add(const expr::Literal& value) { number(value.index()).text(expr::to_text(value)); }
  void add(const BufferArg& arg) { text("buffer").text(arg.buffer).text(arg.offset); }
  void add(const ScalarArg& arg) { text("scalar").text(name_of(arg.dtype)).text(arg.value); }
  void add(const TensorMapArg& map) {
    text("tensor_map").text(map.buffer).texts(map.dims).texts(map.strides).texts(map.box).texts(map.element_strides);
    text(map.swizzle).text(map.interleave).text(map.l2_promotion).text(map.oob_fill);
  }
  void add(const LaunchStep& step) {
    text("launch").text(step.entry).text(step.when).texts(step.grid).texts(step.block).texts(step.cluster);
    text(step.shared_bytes).text(step.carveout).text(step.cooperative);
    list(step.args, [&](const Arg& arg) { std::visit([&](const auto& a) { add(a); }, arg); });
  }
  void add(const MemsetStep& step) {
    text("memset").text(step.buffer).text(step.when).text(step.offset).text(step.count);
    number(static_cast<std::uint64_t>(step.byte));
  }
  void add(const SymbolBinding& binding) {
    text(binding.symbol);
    std::visit([&](const auto& value) { add(value); }, binding.value);
  }
  void add(const BufferSpec& buffer) {
    text(buffer.name).text(name_of(buffer.dtype)).text(buffer.count).text(buffer.alignment).text(name_of(buffer.role));
    text(name_of(buffer.fill.kind)).text(expr::to_text(expr::Value(buffer.fill.a)));
    text(expr::to_text(expr::Value(buffer.fill.b)));
  }
  void add(const SourceCode& code) {
    std::vector<HeaderText> headers = code.headers;  // their order means nothing
    std::sort(headers.begin(), headers.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    text("source").text(code.text);
    list(headers, [&](const HeaderText& header) { text(header.name).text(header.text); });
    texts(code.options);
    list(code.defines, [&](const Define& define) { text(define.name).text(define.value); });
    text(code.register_cap).text(code.min_blocks_per_sm);
  }
  void add(const CallableCode& code) {
    text("callable").number(code.runs == CallableCode::Runs::host ? 0 : 1).text(code.revision);
    number(code.libraries.size());
    for (const auto& [name, version] : code.libraries) text(name).text(version);
  }
  void add(const std::vector<Step>& steps) {
    list(steps, [&](const Step& step) { std::visit([&](const auto& s) { add(s); }, step); });
  }

 private:
  FieldDigest digest_;
};

std::vector<Step> with_roles(const KernelSpec& spec) {
  std::vector<Step> steps = spec.steps;
  for (Step& step : steps)
    if (auto* launch = std::get_if<LaunchStep>(&step)) fill_step_roles(spec, *launch);
  return steps;
}

Code code_with_roles(const KernelSpec& spec) {
  Code code = spec.code;
  if (auto* source = std::get_if<SourceCode>(&code)) fill_code_roles(spec, *source);
  return code;
}

}  // namespace

std::string code_digest(const KernelSpec& spec) {
  SpecDigest digest("kerntune code 1");
  digest.text(spec.revision);
  std::visit([&](const auto& code) { digest.add(code); }, code_with_roles(spec));
  digest.add(with_roles(spec));
  digest.list(spec.buffers, [&](const BufferSpec& buffer) { digest.add(buffer); });
  digest.list(spec.symbols, [&](const SymbolBinding& symbol) { digest.add(symbol); });
  digest.list(spec.derived, [&](const Derived& derived) { digest.text(derived.name).text(derived.value); });
  return digest.hex();
}

std::string space_digest(const KernelSpec& spec) {
  SpecDigest digest("kerntune space 1");
  digest.list(spec.params, [&](const ParamSpec& param) {
    digest.text(param.name);
    digest.list(param.values, [&](const expr::Literal& value) { digest.add(value); });
  });
  digest.texts(spec.constraints);
  return digest.hex();
}

std::string reference_digest(const KernelSpec& spec, std::string_view host_code) {
  SpecDigest digest("kerntune reference 1");
  digest.number(spec.reference.host ? 1 : 0).number(spec.reference.kernel ? 1 : 0);
  if (spec.reference.kernel) {
    digest.add(spec.reference.kernel->code);
    digest.add(spec.reference.kernel->steps);
  }
  digest.list(spec.tolerances, [&](const Tolerance& tolerance) {
    digest.text(tolerance.buffer).text(tolerance.abs).text(tolerance.rel);
    digest.text(tolerance.reduction).text(tolerance.magnitude);
    digest.text(tolerance.accumulator ? name_of(*tolerance.accumulator) : std::string_view());
  });
  if (spec.reference.host && !host_code.empty()) digest.text(host_code);
  return digest.hex();
}

}  // namespace kerntune
