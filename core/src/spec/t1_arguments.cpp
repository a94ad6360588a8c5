// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "spec/spec_json.hpp"
#include "spec/t1_file.hpp"
#include "spec/words.hpp"

namespace kerntune {
namespace {

struct T1Type {
  DType dtype = DType::f32;
  std::int64_t lanes = 1;  // float4: 4 elements of f32
};

constexpr std::array<std::pair<std::string_view, DType>, 12> kTypes{{{"bool", DType::u8},
                                                                     {"int8", DType::i8},
                                                                     {"uint8", DType::u8},
                                                                     {"int32", DType::i32},
                                                                     {"uint32", DType::u32},
                                                                     {"int64", DType::i64},
                                                                     {"uint64", DType::u64},
                                                                     {"half", DType::f16},
                                                                     {"float", DType::f32},
                                                                     {"double", DType::f64},
                                                                     {"int", DType::i32},
                                                                     {"uint", DType::u32}}};

T1Type read_type(const JsonCursor& argument) {
  const std::string& name = argument.at("Type").text();
  if (name == "custom") {
    const auto size = argument.find("TypeSize");
    return {DType::u8, size ? size->integer() : 1};
  }
  for (const auto& [known, dtype] : kTypes)
    if (name == known) return {dtype, 1};
  for (const std::int64_t lanes : {2, 4, 8, 16})
    for (const std::string_view base : {"half", "float", "double"})
      if (name == fmt::format("{}{}", base, lanes))
        return {base == "half" ? DType::f16 : base == "float" ? DType::f32 : DType::f64, lanes};
  throw UnsupportedT1(fmt::format("argument type '{}' has no counterpart", name));
}

double fill_value(const JsonCursor& argument, double absent) {
  const auto value = argument.find("FillValue");
  return value && value->is_number() ? value->number() : absent;
}

// Random: uniform from 0 to FillValue, as KTT and BAT fill; Kernel Tuner draws from a normal distribution and ignores
// it.
Fill read_t1_fill(const JsonCursor& argument, DType dtype) {
  const auto type = argument.find("FillType");
  const std::string kind = type ? type->text() : "Random";
  if (kind == "Constant") {
    const double value = fill_value(argument, 0);
    return value == 0 ? Fill{Fill::Kind::zero, 0, 0} : Fill{Fill::Kind::constant, value, 0};
  }
  if (kind != "Random")
    throw UnsupportedT1(
        fmt::format("fill type '{}' needs a file or a script; kerntune fills with Constant and Random", kind));
  const double limit = fill_value(argument, is_real(dtype) ? 1 : 15);
  return {Fill::Kind::uniform, std::min(0.0, limit), std::max(0.0, limit)};
}

BufferRole read_access(const JsonCursor& argument) {
  const auto access = argument.find("AccessType");
  if (!access || access->text() == "ReadWrite") return BufferRole::inout;
  if (access->text() == "ReadOnly") return BufferRole::in;
  if (access->text() == "WriteOnly") return BufferRole::out;
  access->fail(fmt::format("unknown access '{}'; known are ReadOnly, WriteOnly, ReadWrite", access->text()));
}

bool has_text(const JsonCursor& object, std::string_view member, std::string_view text) {
  const auto found = object.find(member);
  return found && found->is_text() && found->text() == text;
}

// One argument of the file with what the extension says about it.
class ArgumentReader {
 public:
  ArgumentReader(const T1Kernel& kernel, KernelSpec& spec, LaunchStep& step)
      : kernel_(kernel), spec_(spec), step_(step) {}

  void read(const JsonCursor& argument, std::size_t index) {
    const auto name = argument.find("Name");
    name_ = name ? name->text() : fmt::format("arg{}", index);
    override_ = std::nullopt;
    if (kernel_.extension)
      if (const auto overrides = kernel_.extension->find("arguments")) override_ = overrides->find(name_);
    if (override_) override_->only({"count", "value", "fill", "alignment"});
    const std::string& memory = argument.at("MemoryType").text();
    if (memory == "Scalar") return read_scalar(argument);
    if (memory == "Local") return read_local(argument);
    if (memory != "Vector" && memory != "Symbol")
      argument.at("MemoryType")
          .fail(fmt::format("unknown memory '{}'; known are Scalar, Vector, Local, Symbol", memory));
    read_vector(argument);
    // Kernel Tuner marks constant memory with MemType and still passes the argument; KTT's symbols are no arguments.
    const bool is_symbol = memory == "Symbol" || has_text(argument, "MemType", "Constant");
    if (is_symbol) spec_.symbols.push_back({name_, BufferArg{name_, ""}});
    if (memory == "Vector") step_.args.emplace_back(BufferArg{name_, ""});
  }

 private:
  std::optional<ExprText> overridden(std::string_view member) const {
    const auto found = override_ ? override_->find(member) : std::nullopt;
    return found ? std::optional(read_expression(*found)) : std::nullopt;
  }

  ExprText size(const JsonCursor& argument, std::int64_t lanes) const {
    if (const auto count = overridden("count")) return *count;
    const JsonCursor size = argument.at("Size");
    ExprText text = size.is_text() ? t1_expression(size.text(), kernel_, spec_) : read_expression(size);
    return lanes == 1 ? text : fmt::format("({}) * {}", text, lanes);
  }

  void read_scalar(const JsonCursor& argument) {
    const T1Type type = read_type(argument);
    if (type.lanes != 1) throw UnsupportedT1(fmt::format("scalar '{}' is a vector type", name_));
    const auto given = overridden("value");
    const auto fill = argument.find("FillValue");
    if (!given && !fill) argument.fail("member 'FillValue' is missing");
    step_.args.emplace_back(ScalarArg{type.dtype, given ? *given : read_expression(*fill)});
  }

  void read_local(const JsonCursor& argument) {
    const T1Type type = read_type(argument);
    const auto bytes = static_cast<std::int64_t>(size_of(type.dtype)) * type.lanes;
    const ExprText more = fmt::format("({}) * {}", size(argument, 1), bytes);
    step_.shared_bytes = step_.shared_bytes.empty() ? more : fmt::format("{} + {}", step_.shared_bytes, more);
  }

  void read_vector(const JsonCursor& argument) {
    const T1Type type = read_type(argument);
    BufferSpec buffer;
    buffer.name = name_;
    buffer.dtype = type.dtype;
    buffer.count = size(argument, type.lanes);
    buffer.role = read_access(argument);
    const auto fill = override_ ? override_->find("fill") : std::nullopt;
    buffer.fill = fill ? read_fill(*fill, type.dtype) : read_t1_fill(argument, type.dtype);
    if (buffer.role == BufferRole::out) buffer.fill = default_fill(type.dtype);  // poisoned instead
    buffer.alignment = overridden("alignment").value_or("");
    spec_.buffers.push_back(std::move(buffer));
  }

  const T1Kernel& kernel_;
  KernelSpec& spec_;
  LaunchStep& step_;
  std::string name_;
  std::optional<JsonCursor> override_;
};

const ParamSpec* find_param(const KernelSpec& spec, std::string_view name) {
  const auto found =
      std::find_if(spec.params.begin(), spec.params.end(), [&](const auto& p) { return p.name == name; });
  return found == spec.params.end() ? nullptr : &*found;
}

std::string extreme(const ParamSpec& param, bool largest) {
  const auto less = [](const expr::Literal& a, const expr::Literal& b) {
    const expr::Value x(a), y(b);
    return x.is_number() && y.is_number() && x.as_double() < y.as_double();
  };
  const auto [low, high] = std::minmax_element(param.values.begin(), param.values.end(), less);
  return expr::to_text(largest ? *high : *low);
}

// Reads one "[3]" at `at`, which moves behind it; nothing if there is none.
std::optional<std::size_t> read_subscript(std::string_view text, std::size_t& at) {
  if (at >= text.size() || text[at] != '[') return std::nullopt;
  const std::size_t close = text.find(']', at);
  const std::string_view digits = close == std::string_view::npos ? "" : text.substr(at + 1, close - at - 1);
  if (digits.size() != 1 || digits[0] < '0' || digits[0] > '9') return std::nullopt;
  at = close + 1;
  return static_cast<std::size_t>(digits[0] - '0');
}

// Reads one "(name)" at `at`, which moves behind it; nothing if there is something else.
std::optional<std::string_view> read_call(std::string_view text, std::size_t& at) {
  if (at >= text.size() || text[at] != '(') return std::nullopt;
  std::size_t end = at + 1;
  while (end < text.size() && is_word(text[end])) ++end;
  if (end >= text.size() || text[end] != ')') return std::nullopt;
  const std::string_view name = text.substr(at + 1, end - at - 1);
  at = end + 1;
  return name;
}

}  // namespace

ExprText t1_expression(const std::string& text, const T1Kernel& kernel, const KernelSpec& spec) {
  ExprText out;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_word(text[at])) {
      out += text[at++];
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string word = text.substr(at, end - at);
    at = end;
    std::size_t behind = at;
    if (word == "ProblemSize") {
      const auto index = read_subscript(text, behind);
      if (!index || *index >= kernel.problem_size.size())
        throw UnsupportedT1(
            fmt::format("'{}' does not name one of {} problem sizes", text, kernel.problem_size.size()));
      out += fmt::format("({})", kernel.problem_size[*index]);
      at = behind;
    } else if (const auto name = word == "max" || word == "min" ? read_call(text, behind) : std::nullopt;
               name && find_param(spec, *name) != nullptr) {
      out += extreme(*find_param(spec, *name), word == "max");
      at = behind;
    } else {
      out += word;
    }
  }
  return out;
}

void read_t1_arguments(const T1Kernel& kernel, KernelSpec& spec, LaunchStep& step) {
  ArgumentReader reader(kernel, spec, step);
  const auto arguments = kernel.specification.find("Arguments");
  if (!arguments) return;
  std::size_t index = 0;
  for (const JsonCursor& argument : arguments->elements()) reader.read(argument, index++);
}

}  // namespace kerntune
