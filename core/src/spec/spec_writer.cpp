// SPDX-License-Identifier: Apache-2.0
#include <kerntune/core/errors.hpp>

#include "spec/json_builder.hpp"
#include "spec/spec_json.hpp"

namespace kerntune {
namespace {

// Trailing empty expressions are left out; none at all leaves the member out.
std::vector<std::string> used(const std::array<ExprText, 3>& triple) {
  std::size_t count = triple.size();
  while (count > 0 && triple[count - 1].empty()) --count;
  return {triple.begin(), triple.begin() + static_cast<std::ptrdiff_t>(count)};
}

JsonValue literal(const expr::Literal& value) { return json_of(value); }

JsonValue dim(const Dim& dim) {
  const Dim absent;
  return JsonMembers()
      .text("name", dim.name)
      .unless(!dim.batch, "batch", json_of(true))
      .unless(dim.min == absent.min, "min", json_of(dim.min))
      .unless(dim.max == absent.max, "max", json_of(dim.max))
      .unless(dim.default_value == dim.min, "default", json_of(dim.default_value))
      .take();
}

JsonValue param(const ParamSpec& param) {
  return JsonMembers()
      .text("name", param.name)
      .list("values", param.values, literal)
      .put("default", literal(param.default_value))
      .unless(param.role == Role::none, "role", json_of(name_of(param.role)))
      .given("summary", param.summary)
      .take();
}

JsonValue derived(const Derived& derived) {
  return JsonMembers().text("name", derived.name).text("value", derived.value).take();
}

JsonValue fill(const Fill& fill) {
  return JsonMembers().text("kind", name_of(fill.kind)).number("a", fill.a).number("b", fill.b).take();
}

JsonValue buffer(const BufferSpec& buffer) {
  return JsonMembers()
      .text("name", buffer.name)
      .text("dtype", name_of(buffer.dtype))
      .text("count", buffer.count)
      .given("alignment", buffer.alignment)
      .text("role", name_of(buffer.role))
      .unless(buffer.fill == default_fill(buffer.dtype), "fill", fill(buffer.fill))
      .take();
}

void buffer_arg(JsonMembers& members, const BufferArg& arg) {
  members.text("buffer", arg.buffer).given("offset", arg.offset);
}

void scalar_arg(JsonMembers& members, const ScalarArg& arg) {
  members.text("scalar", name_of(arg.dtype)).text("value", arg.value);
}

void tensor_map(JsonMembers& members, const TensorMapArg& map) {
  const TensorMapArg absent;
  members.text("tensor_map", map.buffer)
      .texts("dims", map.dims)
      .texts("strides", map.strides)
      .texts("box", map.box)
      .texts("element_strides", map.element_strides)
      .given("swizzle", map.swizzle, absent.swizzle)
      .given("interleave", map.interleave, absent.interleave)
      .given("l2_promotion", map.l2_promotion, absent.l2_promotion)
      .given("oob_fill", map.oob_fill, absent.oob_fill);
}

JsonValue arg(const Arg& arg) {
  JsonMembers members;
  if (const auto* buffer = std::get_if<BufferArg>(&arg)) buffer_arg(members, *buffer);
  if (const auto* scalar = std::get_if<ScalarArg>(&arg)) scalar_arg(members, *scalar);
  if (const auto* map = std::get_if<TensorMapArg>(&arg)) tensor_map(members, *map);
  return members.take();
}

JsonValue launch(const LaunchStep& step) {
  return JsonMembers()
      .text("kind", "launch")
      .text("entry", step.entry)
      .given("when", step.when)
      .texts("grid", used(step.grid))
      .texts("block", used(step.block))
      .texts("cluster", used(step.cluster))
      .given("shared_bytes", step.shared_bytes)
      .given("carveout", step.carveout)
      .given("cooperative", step.cooperative)
      .list("args", step.args, arg)
      .take();
}

JsonValue memset(const MemsetStep& step) {
  return JsonMembers()
      .text("kind", "memset")
      .text("buffer", step.buffer)
      .given("when", step.when)
      .given("offset", step.offset)
      .given("count", step.count)
      .unless(step.byte == 0, "byte", json_of(step.byte))
      .take();
}

JsonValue step(const Step& step) {
  const auto* launched = std::get_if<LaunchStep>(&step);
  return launched ? launch(*launched) : memset(std::get<MemsetStep>(step));
}

JsonValue symbol(const SymbolBinding& binding) {
  JsonMembers members;
  members.text("symbol", binding.symbol);
  if (const auto* buffer = std::get_if<BufferArg>(&binding.value)) buffer_arg(members, *buffer);
  if (const auto* scalar = std::get_if<ScalarArg>(&binding.value)) scalar_arg(members, *scalar);
  return members.take();
}

JsonValue header(const HeaderText& header) {
  return JsonMembers().text("name", header.name).given("text", header.text).take();
}

JsonValue define(const Define& define) {
  return JsonMembers().text("name", define.name).text("value", define.value).take();
}

JsonValue source(const SourceCode& code) {
  return JsonMembers()
      .text("kind", "source")
      .given("file", code.file)
      .given("text", code.text)
      .list("headers", code.headers, header)
      .texts("options", code.options)
      .list("defines", code.defines, define)
      .given("register_cap", code.register_cap)
      .given("min_blocks_per_sm", code.min_blocks_per_sm)
      .given("unavailable", code.unavailable)
      .take();
}

JsonValue callable(const CallableCode& code) {
  JsonMembers libraries;
  for (const auto& [name, version] : code.libraries) libraries.text(name, version);
  return JsonMembers()
      .text("kind", "callable")
      .text("runs", code.runs == CallableCode::Runs::host ? "host" : "cuda")
      .given("revision", code.revision)
      .unless(code.libraries.empty(), "libraries", libraries.take())
      .take();
}

JsonValue code(const Code& code) {
  const auto* text = std::get_if<SourceCode>(&code);
  return text ? source(*text) : callable(std::get<CallableCode>(code));
}

JsonValue reference(const Reference& reference) {
  JsonMembers members;
  members.unless(!reference.host, "host", json_of(true));
  if (reference.kernel)
    members.put(
        "kernel",
        JsonMembers().put("code", source(reference.kernel->code)).list("steps", reference.kernel->steps, step).take());
  if (!reference.check_dims.empty()) members.integers("check_dims", reference.check_dims);
  return members.take();
}

JsonValue tolerance(const Tolerance& tolerance) {
  return JsonMembers()
      .text("buffer", tolerance.buffer)
      .given("abs", tolerance.abs)
      .given("rel", tolerance.rel)
      .given("reduction", tolerance.reduction)
      .given("magnitude", tolerance.magnitude)
      .given("accumulator", tolerance.accumulator ? std::string(name_of(*tolerance.accumulator)) : std::string())
      .given("reason", tolerance.reason)
      .take();
}

JsonValue work(const Work& work) { return JsonMembers().given("flop", work.flop).given("bytes", work.bytes).take(); }

}  // namespace

JsonValue spec_to_value(const KernelSpec& spec) {
  return JsonMembers()
      .integer("kerntune_spec", 1)
      .text("name", spec.name)
      .given("revision", spec.revision)
      .given("summary", spec.summary)
      .list("dims", spec.dims, dim)
      .list("params", spec.params, param)
      .texts("constraints", spec.constraints)
      .list("derived", spec.derived, derived)
      .texts("applicability", spec.applicability)
      .list("buffers", spec.buffers, buffer)
      .put("code", code(spec.code))
      .list("steps", spec.steps, step)
      .list("symbols", spec.symbols, symbol)
      .unless(spec.reference == Reference{}, "reference", reference(spec.reference))
      .list("tolerances", spec.tolerances, tolerance)
      .unless(spec.work == Work{}, "work", work(spec.work))
      .take();
}

std::string to_json(const KernelSpec& spec) {
  try {
    return to_json_text(spec_to_value(spec));
  } catch (const JsonError& error) {
    throw SpecError("kernel '" + spec.name + "': " + error.what());
  }
}

}  // namespace kerntune
