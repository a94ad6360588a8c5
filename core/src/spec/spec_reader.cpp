// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "spec/nearest_name.hpp"
#include "spec/spec_json.hpp"

namespace kerntune {
namespace {

constexpr std::int64_t kVersion = 1;

constexpr std::array<std::string_view, 10> kDTypeNames{"f32", "f64", "f16", "bf16", "i8",
                                                       "u8",  "i32", "u32", "i64",  "u64"};
constexpr std::array<std::string_view, 4> kBufferRoleNames{"in", "out", "inout", "workspace"};
constexpr std::array<std::string_view, 5> kFillNames{"zero", "constant", "uniform", "normal", "iota"};
constexpr std::array<std::string_view, 16> kRoleNames{
    "none",      "block_x",      "block_y",           "block_z",        "grid_x",   "grid_y",
    "grid_z",    "register_cap", "min_blocks_per_sm", "dynamic_shared", "carveout", "cluster_x",
    "cluster_y", "cluster_z",    "cooperative",       "precision"};

template <class Enum>
Enum one_of(const JsonCursor& cursor, std::optional<Enum> value, const char* what,
            std::span<const std::string_view> names) {
  if (value) return *value;
  cursor.fail(fmt::format("unknown {} '{}'{}", what, cursor.text(), suggestion(cursor.text(), names)));
}

DType read_dtype(const JsonCursor& cursor) { return one_of(cursor, dtype_from(cursor.text()), "type", kDTypeNames); }

BufferRole read_buffer_role(const JsonCursor& cursor) {
  return one_of(cursor, buffer_role_from(cursor.text()), "buffer role", kBufferRoleNames);
}

std::string text_or(const JsonCursor& object, std::string_view member, std::string fallback = {}) {
  const auto found = object.find(member);
  return found ? found->text() : std::move(fallback);
}

ExprText expression_or_empty(const JsonCursor& object, std::string_view member) {
  const auto found = object.find(member);
  return found ? read_expression(*found) : ExprText{};
}

template <class Read>
auto read_all(const JsonCursor& object, std::string_view member, Read read) {
  std::vector<decltype(read(object))> all;
  if (const auto found = object.find(member))
    for (const JsonCursor& element : found->elements()) all.push_back(read(element));
  return all;
}

ParamSpec read_param(const JsonCursor& cursor) {
  cursor.only({"name", "values", "default", "role", "summary"});
  ParamSpec param;
  param.name = cursor.at("name").text();
  for (const JsonCursor& value : cursor.at("values").elements()) param.values.push_back(value.literal());
  if (const auto given = cursor.find("default")) {
    param.default_value = given->literal();
  } else if (!param.values.empty()) {
    param.default_value = param.values.front();
  }
  if (const auto role = cursor.find("role")) param.role = read_role(*role);
  param.summary = text_or(cursor, "summary");
  return param;
}

BufferSpec read_buffer(const JsonCursor& cursor) {
  cursor.only({"name", "dtype", "count", "alignment", "role", "fill"});
  BufferSpec buffer;
  buffer.name = cursor.at("name").text();
  buffer.dtype = read_dtype(cursor.at("dtype"));
  buffer.count = read_expression(cursor.at("count"));
  buffer.alignment = expression_or_empty(cursor, "alignment");
  buffer.role = read_buffer_role(cursor.at("role"));
  const auto fill = cursor.find("fill");
  buffer.fill = fill ? read_fill(*fill, buffer.dtype) : default_fill(buffer.dtype);
  return buffer;
}

BufferArg read_buffer_arg(const JsonCursor& cursor) {
  return {cursor.at("buffer").text(), expression_or_empty(cursor, "offset")};
}

ScalarArg read_scalar_arg(const JsonCursor& cursor) {
  return {read_dtype(cursor.at("scalar")), read_expression(cursor.at("value"))};
}

TensorMapArg read_tensor_map(const JsonCursor& cursor) {
  cursor.only(
      {"tensor_map", "dims", "strides", "box", "element_strides", "swizzle", "interleave", "l2_promotion", "oob_fill"});
  TensorMapArg map;
  map.buffer = cursor.at("tensor_map").text();
  map.dims = read_expressions(cursor.at("dims"));
  if (const auto strides = cursor.find("strides")) map.strides = read_expressions(*strides);
  map.box = read_expressions(cursor.at("box"));
  if (const auto strides = cursor.find("element_strides")) map.element_strides = read_expressions(*strides);
  map.swizzle = text_or(cursor, "swizzle", map.swizzle);
  map.interleave = text_or(cursor, "interleave", map.interleave);
  map.l2_promotion = text_or(cursor, "l2_promotion", map.l2_promotion);
  map.oob_fill = text_or(cursor, "oob_fill", map.oob_fill);
  return map;
}

Arg read_arg(const JsonCursor& cursor) {
  if (cursor.find("tensor_map")) return read_tensor_map(cursor);
  if (cursor.find("buffer")) {
    cursor.only({"buffer", "offset"});
    return read_buffer_arg(cursor);
  }
  if (!cursor.find("scalar")) cursor.fail("an argument has a member 'buffer', 'scalar' or 'tensor_map'");
  cursor.only({"scalar", "value"});
  return read_scalar_arg(cursor);
}

LaunchStep read_launch(const JsonCursor& cursor) {
  cursor.only({"kind", "entry", "when", "grid", "block", "cluster", "shared_bytes", "carveout", "cooperative", "args"});
  LaunchStep step;
  step.entry = cursor.at("entry").text();
  step.when = expression_or_empty(cursor, "when");
  if (const auto grid = cursor.find("grid")) step.grid = read_triple(*grid);
  if (const auto block = cursor.find("block")) step.block = read_triple(*block);
  if (const auto cluster = cursor.find("cluster")) step.cluster = read_triple(*cluster);
  step.shared_bytes = expression_or_empty(cursor, "shared_bytes");
  step.carveout = expression_or_empty(cursor, "carveout");
  step.cooperative = expression_or_empty(cursor, "cooperative");
  step.args = read_all(cursor, "args", read_arg);
  return step;
}

MemsetStep read_memset(const JsonCursor& cursor) {
  cursor.only({"kind", "buffer", "when", "offset", "count", "byte"});
  MemsetStep step;
  step.buffer = cursor.at("buffer").text();
  step.when = expression_or_empty(cursor, "when");
  step.offset = expression_or_empty(cursor, "offset");
  step.count = expression_or_empty(cursor, "count");
  if (const auto byte = cursor.find("byte")) step.byte = byte->integer();
  return step;
}

Step read_step(const JsonCursor& cursor) {
  const JsonCursor kind = cursor.at("kind");
  if (kind.text() == "launch") return read_launch(cursor);
  if (kind.text() == "memset") return read_memset(cursor);
  kind.fail(fmt::format("unknown step kind '{}'; known are launch, memset", kind.text()));
}

SymbolBinding read_symbol(const JsonCursor& cursor) {
  SymbolBinding symbol;
  symbol.symbol = cursor.at("symbol").text();
  if (cursor.find("buffer")) {
    cursor.only({"symbol", "buffer", "offset"});
    symbol.value = read_buffer_arg(cursor);
  } else {
    cursor.only({"symbol", "scalar", "value"});
    symbol.value = read_scalar_arg(cursor);
  }
  return symbol;
}

HeaderText read_header(const JsonCursor& cursor) {
  cursor.only({"name", "text"});
  return {cursor.at("name").text(), text_or(cursor, "text")};
}

Define read_define(const JsonCursor& cursor) {
  cursor.only({"name", "value"});
  return {cursor.at("name").text(), read_expression(cursor.at("value"))};
}

std::string read_text(const JsonCursor& cursor) { return cursor.text(); }

SourceCode read_source(const JsonCursor& cursor) {
  cursor.only(
      {"kind", "file", "text", "headers", "options", "defines", "register_cap", "min_blocks_per_sm", "unavailable"});
  SourceCode code;
  code.file = text_or(cursor, "file");
  code.text = text_or(cursor, "text");
  code.headers = read_all(cursor, "headers", read_header);
  code.options = read_all(cursor, "options", read_text);
  code.defines = read_all(cursor, "defines", read_define);
  code.register_cap = expression_or_empty(cursor, "register_cap");
  code.min_blocks_per_sm = expression_or_empty(cursor, "min_blocks_per_sm");
  code.unavailable = text_or(cursor, "unavailable");
  return code;
}

CallableCode read_callable(const JsonCursor& cursor) {
  cursor.only({"kind", "runs", "revision", "libraries"});
  CallableCode code;
  const JsonCursor runs = cursor.at("runs");
  if (runs.text() != "host" && runs.text() != "cuda")
    runs.fail(fmt::format("unknown place '{}'; known are host, cuda", runs.text()));
  code.runs = runs.text() == "host" ? CallableCode::Runs::host : CallableCode::Runs::cuda;
  code.revision = text_or(cursor, "revision");
  if (const auto libraries = cursor.find("libraries"))
    for (const auto& [name, version] : libraries->members()) code.libraries.emplace(name, version.text());
  return code;
}

Code read_code(const JsonCursor& cursor) {
  const JsonCursor kind = cursor.at("kind");
  if (kind.text() == "source") return read_source(cursor);
  if (kind.text() == "callable") return read_callable(cursor);
  kind.fail(fmt::format("unknown code kind '{}'; known are source, callable", kind.text()));
}

ReferenceKernel read_reference_kernel(const JsonCursor& cursor) {
  cursor.only({"code", "steps"});
  const JsonCursor code = cursor.at("code");
  ReferenceKernel kernel;
  if (code.at("kind").text() != "source") code.fail("a reference kernel is source code");
  kernel.code = read_source(code);
  kernel.steps = read_all(cursor, "steps", read_step);
  return kernel;
}

void check_version(const JsonCursor& root) {
  const JsonCursor version = root.at("kerntune_spec");
  if (version.integer() != kVersion)
    version.fail(
        fmt::format("spec version {} is not {}, the one that this kerntune reads", version.integer(), kVersion));
}

}  // namespace

ExprText read_expression(const JsonCursor& cursor) {
  if (cursor.is_text()) return cursor.text();
  if (cursor.is_boolean()) return cursor.boolean() ? "True" : "False";
  if (cursor.is_number()) return expr::to_text(cursor.literal());
  cursor.fail("expected an expression: a text, number or boolean");
}

std::vector<ExprText> read_expressions(const JsonCursor& cursor) {
  std::vector<ExprText> expressions;
  for (const JsonCursor& element : cursor.elements()) expressions.push_back(read_expression(element));
  return expressions;
}

std::array<ExprText, 3> read_triple(const JsonCursor& cursor) {
  const auto elements = cursor.elements();
  if (elements.empty() || elements.size() > 3)
    cursor.fail(fmt::format("expected one to three expressions, found {}", elements.size()));
  std::array<ExprText, 3> triple;
  for (std::size_t i = 0; i < elements.size(); ++i) triple[i] = read_expression(elements[i]);
  return triple;
}

Role read_role(const JsonCursor& cursor) { return one_of(cursor, role_from(cursor.text()), "role", kRoleNames); }

Dim read_dim(const JsonCursor& cursor) {
  cursor.only({"name", "batch", "min", "max", "default"});
  Dim dim;
  dim.name = cursor.at("name").text();
  if (const auto batch = cursor.find("batch")) dim.batch = batch->boolean();
  if (const auto min = cursor.find("min")) dim.min = min->integer();
  if (const auto max = cursor.find("max")) dim.max = max->integer();
  const auto given = cursor.find("default");
  dim.default_value = given ? given->integer() : dim.min;
  return dim;
}

Derived read_derived(const JsonCursor& cursor) {
  cursor.only({"name", "value"});
  return {cursor.at("name").text(), read_expression(cursor.at("value"))};
}

Fill read_fill(const JsonCursor& cursor, DType dtype) {
  cursor.only({"kind", "a", "b"});
  const JsonCursor kind = cursor.at("kind");
  Fill fill = default_fill(dtype);
  fill.kind = one_of(kind, fill_kind_from(kind.text()), "fill", kFillNames);
  if (fill.kind != Fill::Kind::uniform) fill.a = 0, fill.b = fill.kind == Fill::Kind::normal ? 1 : 0;
  if (const auto a = cursor.find("a")) fill.a = a->number();
  if (const auto b = cursor.find("b")) fill.b = b->number();
  return fill;
}

Reference read_reference(const JsonCursor& cursor) {
  cursor.only({"host", "kernel", "check_dims"});
  Reference reference;
  if (const auto host = cursor.find("host")) reference.host = host->boolean();
  if (const auto kernel = cursor.find("kernel")) reference.kernel = read_reference_kernel(*kernel);
  if (const auto dims = cursor.find("check_dims"))
    for (const auto& [name, value] : dims->members()) reference.check_dims.emplace(name, value.integer());
  return reference;
}

Tolerance read_tolerance(const JsonCursor& cursor) {
  cursor.only({"buffer", "abs", "rel", "reduction", "magnitude", "accumulator", "reason"});
  Tolerance tolerance;
  tolerance.buffer = cursor.at("buffer").text();
  tolerance.abs = expression_or_empty(cursor, "abs");
  tolerance.rel = expression_or_empty(cursor, "rel");
  tolerance.reduction = expression_or_empty(cursor, "reduction");
  tolerance.magnitude = expression_or_empty(cursor, "magnitude");
  if (const auto type = cursor.find("accumulator")) tolerance.accumulator = read_dtype(*type);
  tolerance.reason = text_or(cursor, "reason");
  return tolerance;
}

Work read_work(const JsonCursor& cursor) {
  cursor.only({"flop", "bytes"});
  return {expression_or_empty(cursor, "flop"), expression_or_empty(cursor, "bytes")};
}

KernelSpec read_spec(const JsonCursor& root) {
  check_version(root);
  root.only({"kerntune_spec", "name", "revision", "summary", "dims", "params", "constraints", "derived",
             "applicability", "buffers", "code", "steps", "symbols", "reference", "tolerances", "work"});
  KernelSpec spec;
  spec.name = root.at("name").text();
  spec.revision = text_or(root, "revision");
  spec.summary = text_or(root, "summary");
  spec.dims = read_all(root, "dims", read_dim);
  spec.params = read_all(root, "params", read_param);
  spec.constraints = read_all(root, "constraints", read_expression);
  spec.derived = read_all(root, "derived", read_derived);
  spec.applicability = read_all(root, "applicability", read_expression);
  spec.buffers = read_all(root, "buffers", read_buffer);
  spec.code = read_code(root.at("code"));
  spec.steps = read_all(root, "steps", read_step);
  spec.symbols = read_all(root, "symbols", read_symbol);
  if (const auto reference = root.find("reference")) spec.reference = read_reference(*reference);
  spec.tolerances = read_all(root, "tolerances", read_tolerance);
  if (const auto work = root.find("work")) spec.work = read_work(*work);
  return spec;
}

std::string spec_prefix(const JsonCursor& root, std::string_view origin) {
  if (root.is_object())
    if (const auto name = root.find("name"); name && name->is_text()) return fmt::format("kernel '{}': ", name->text());
  return fmt::format("spec '{}': ", origin);
}

}  // namespace kerntune
