// SPDX-License-Identifier: Apache-2.0
#include <kerntune/core/errors.hpp>

#include "spec/spec_json.hpp"

namespace kerntune {
namespace {

// An object under construction: members in the order of the calls, defaults left out.
class Members {
 public:
  Members& put(std::string_view name, JsonValue value) {
    members_.emplace_back(std::string(name), std::move(value));
    return *this;
  }
  Members& text(std::string_view name, const std::string& value) { return put(name, JsonValue{value}); }
  Members& integer(std::string_view name, std::int64_t value) { return put(name, JsonValue{value}); }
  Members& given(std::string_view name, const std::string& value, std::string_view absent = "") {
    return value == absent ? *this : text(name, value);
  }
  Members& unless(bool is_default, std::string_view name, JsonValue value) {
    return is_default ? *this : put(name, std::move(value));
  }
  template <class T, class Convert>
  Members& list(std::string_view name, const std::vector<T>& values, Convert convert) {
    if (values.empty()) return *this;
    JsonValue::Array array;
    for (const T& value : values) array.push_back(convert(value));
    return put(name, JsonValue{std::move(array)});
  }
  Members& texts(std::string_view name, const std::vector<std::string>& values) {
    return list(name, values, [](const std::string& value) { return JsonValue{value}; });
  }
  // Trailing empty expressions are left out; none at all leaves the member out.
  Members& triple(std::string_view name, const std::array<ExprText, 3>& values) {
    std::size_t used = values.size();
    while (used > 0 && values[used - 1].empty()) --used;
    return texts(name, std::vector<std::string>(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(used)));
  }
  JsonValue take() { return JsonValue{std::move(members_)}; }

 private:
  JsonValue::Object members_;
};

std::string text_of(std::string_view name) { return std::string(name); }

JsonValue number(double value) {
  const bool whole = value > -9e15 && value < 9e15 && value == static_cast<double>(static_cast<std::int64_t>(value));
  return whole ? JsonValue{static_cast<std::int64_t>(value)} : JsonValue{value};
}

JsonValue literal(const expr::Literal& value) {
  return std::visit([](const auto& v) { return JsonValue{v}; }, value);
}

JsonValue dim(const Dim& dim) {
  const Dim absent;
  return Members()
      .text("name", dim.name)
      .unless(!dim.batch, "batch", {true})
      .unless(dim.min == absent.min, "min", {dim.min})
      .unless(dim.max == absent.max, "max", {dim.max})
      .unless(dim.default_value == dim.min, "default", {dim.default_value})
      .take();
}

JsonValue param(const ParamSpec& param) {
  return Members()
      .text("name", param.name)
      .list("values", param.values, literal)
      .put("default", literal(param.default_value))
      .unless(param.role == Role::none, "role", {text_of(name_of(param.role))})
      .given("summary", param.summary)
      .take();
}

JsonValue derived(const Derived& derived) {
  return Members().text("name", derived.name).text("value", derived.value).take();
}

JsonValue fill(const Fill& fill) {
  return Members().text("kind", text_of(name_of(fill.kind))).put("a", number(fill.a)).put("b", number(fill.b)).take();
}

JsonValue buffer(const BufferSpec& buffer) {
  return Members()
      .text("name", buffer.name)
      .text("dtype", text_of(name_of(buffer.dtype)))
      .text("count", buffer.count)
      .given("alignment", buffer.alignment)
      .text("role", text_of(name_of(buffer.role)))
      .unless(buffer.fill == default_fill(buffer.dtype), "fill", fill(buffer.fill))
      .take();
}

void buffer_arg(Members& members, const BufferArg& arg) {
  members.text("buffer", arg.buffer).given("offset", arg.offset);
}

void scalar_arg(Members& members, const ScalarArg& arg) {
  members.text("scalar", text_of(name_of(arg.dtype))).text("value", arg.value);
}

void tensor_map(Members& members, const TensorMapArg& map) {
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
  Members members;
  if (const auto* buffer = std::get_if<BufferArg>(&arg)) buffer_arg(members, *buffer);
  if (const auto* scalar = std::get_if<ScalarArg>(&arg)) scalar_arg(members, *scalar);
  if (const auto* map = std::get_if<TensorMapArg>(&arg)) tensor_map(members, *map);
  return members.take();
}

JsonValue launch(const LaunchStep& step) {
  return Members()
      .text("kind", "launch")
      .text("entry", step.entry)
      .given("when", step.when)
      .triple("grid", step.grid)
      .triple("block", step.block)
      .triple("cluster", step.cluster)
      .given("shared_bytes", step.shared_bytes)
      .given("carveout", step.carveout)
      .given("cooperative", step.cooperative)
      .list("args", step.args, arg)
      .take();
}

JsonValue memset(const MemsetStep& step) {
  return Members()
      .text("kind", "memset")
      .text("buffer", step.buffer)
      .given("when", step.when)
      .given("offset", step.offset)
      .given("count", step.count)
      .unless(step.byte == 0, "byte", {step.byte})
      .take();
}

JsonValue step(const Step& step) {
  const auto* launched = std::get_if<LaunchStep>(&step);
  return launched ? launch(*launched) : memset(std::get<MemsetStep>(step));
}

JsonValue symbol(const SymbolBinding& binding) {
  Members members;
  members.text("symbol", binding.symbol);
  if (const auto* buffer = std::get_if<BufferArg>(&binding.value)) buffer_arg(members, *buffer);
  if (const auto* scalar = std::get_if<ScalarArg>(&binding.value)) scalar_arg(members, *scalar);
  return members.take();
}

JsonValue header(const HeaderText& header) {
  return Members().text("name", header.name).given("text", header.text).take();
}

JsonValue define(const Define& define) {
  return Members().text("name", define.name).text("value", define.value).take();
}

JsonValue source(const SourceCode& code) {
  return Members()
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
  Members libraries;
  for (const auto& [name, version] : code.libraries) libraries.text(name, version);
  return Members()
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
  Members members;
  members.unless(!reference.host, "host", {true});
  if (reference.kernel)
    members.put(
        "kernel",
        Members().put("code", source(reference.kernel->code)).list("steps", reference.kernel->steps, step).take());
  Members dims;
  for (const auto& [name, value] : reference.check_dims) dims.integer(name, value);
  return members.unless(reference.check_dims.empty(), "check_dims", dims.take()).take();
}

JsonValue tolerance(const Tolerance& tolerance) {
  return Members()
      .text("buffer", tolerance.buffer)
      .given("abs", tolerance.abs)
      .given("rel", tolerance.rel)
      .given("reason", tolerance.reason)
      .take();
}

JsonValue work(const Work& work) { return Members().given("flop", work.flop).given("bytes", work.bytes).take(); }

}  // namespace

JsonValue spec_to_value(const KernelSpec& spec) {
  return Members()
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
