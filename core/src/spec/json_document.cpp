// SPDX-License-Identifier: Apache-2.0
#include "spec/json_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "spec/nearest_name.hpp"

namespace kerntune {
namespace {

constexpr std::size_t kDeepest = 64;
constexpr std::size_t kLongestQuote = 40;

bool find_place(const JsonValue& here, const JsonValue* target, std::string& place) {
  if (&here == target) return true;
  const std::size_t length = place.size();
  if (const auto* members = std::get_if<JsonValue::Object>(&here.data)) {
    for (const auto& [name, value] : *members) {
      place += place.empty() ? name : "." + name;
      if (find_place(value, target, place)) return true;
      place.resize(length);
    }
  } else if (const auto* elements = std::get_if<JsonValue::Array>(&here.data)) {
    for (std::size_t i = 0; i < elements->size(); ++i) {
      place += fmt::format("[{}]", i);
      if (find_place((*elements)[i], target, place)) return true;
      place.resize(length);
    }
  }
  return false;
}

// Builds a JsonValue from the events of the parser; nlohmann's own DOM is not used because its ordered form looks
// members up linearly while it parses, which is quadratic for recordings of thousands of members.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(JsonValue& root, std::size_t size) : root_(root), size_(size) {}

  bool null() override { return put({}); }
  bool boolean(bool value) override { return put({value}); }
  bool number_integer(number_integer_t value) override { return put({std::int64_t{value}}); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value <= static_cast<number_unsigned_t>(INT64_MAX)) return put({static_cast<std::int64_t>(value)});
    return put_large(static_cast<double>(value), std::to_string(value));
  }
  bool number_float(number_float_t value, const string_t& text) override {
    return text.find_first_of(".eE") == std::string::npos ? put_large(value, text) : put({value});
  }
  bool string(string_t& value) override { return put({std::move(value)}); }
  bool binary(binary_t&) override { return stop("binary values are not JSON"); }
  bool start_object(std::size_t) override { return open({JsonValue::Object{}}); }
  bool start_array(std::size_t) override { return open({JsonValue::Array{}}); }
  bool end_array() override { return close(); }
  bool end_object() override {
    const auto& members = std::get<JsonValue::Object>(open_.back()->data);
    if (const std::string* twice = duplicate(members))
      return stop(here() + fmt::format("member '{}' is given twice", *twice));
    return close();
  }
  bool key(string_t& name) override {
    std::get<JsonValue::Object>(open_.back()->data).push_back({std::move(name), JsonValue()});
    key_pending_ = true;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& error) override {
    const std::string_view text = error.what();
    // A number at the very end is read with one character too few counted, so the position alone does not tell.
    at_end_ = position >= size_ || text.find("unexpected end of input") != std::string_view::npos;
    const std::size_t bracket = text.find("] ");
    return stop(std::string(bracket == std::string_view::npos ? text : text.substr(bracket + 2)));
  }

  const std::string& error() const noexcept { return error_; }
  bool stopped_at_end() const noexcept { return at_end_; }

  // Drops what is incomplete below `depth` open containers; false if the text never had as many.
  bool drop_incomplete(std::size_t depth) {
    if (deepest_ < depth || open_.empty()) return false;
    const bool member_is_open = open_.size() > depth || key_pending_;
    open_.resize(std::min(depth, open_.size()));
    if (!member_is_open) return true;
    JsonValue& last = *open_.back();
    if (auto* members = std::get_if<JsonValue::Object>(&last.data)) {
      members->pop_back();
    } else {
      std::get<JsonValue::Array>(last.data).pop_back();
    }
    return true;
  }

 private:
  JsonValue* place(JsonValue value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    if (auto* members = std::get_if<JsonValue::Object>(&open_.back()->data)) {
      key_pending_ = false;
      members->back().value = std::move(value);
      return &members->back().value;
    }
    auto& elements = std::get<JsonValue::Array>(open_.back()->data);
    elements.push_back(std::move(value));
    return &elements.back();
  }
  /// An integer beyond 64 bits, if it survives as a real number: another value than the one written would be a lie.
  bool put_large(double value, const std::string& text) {
    if (fmt::format("{:.0f}", value) == text) return put({value});
    return stop(here() + fmt::format("the integer {} is neither in 64 bits nor exact as a real number", text));
  }
  bool put(JsonValue value) {
    place(std::move(value));
    return true;
  }
  bool open(JsonValue value) {
    if (open_.size() == kDeepest) return stop(fmt::format("nested deeper than {} levels", kDeepest));
    open_.push_back(place(std::move(value)));
    deepest_ = std::max(deepest_, open_.size());
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }
  bool stop(std::string message) {
    error_ = std::move(message);
    return false;
  }
  std::string here() const {
    if (open_.empty()) return {};  // the whole document is one value
    std::string place;
    find_place(root_, open_.back(), place);
    return place.empty() ? place : place + ": ";
  }
  static const std::string* duplicate(const JsonValue::Object& members) {
    std::vector<const std::string*> names;
    names.reserve(members.size());
    for (const auto& member : members) names.push_back(&member.name);
    const auto less = [](const std::string* a, const std::string* b) { return *a < *b; };
    const auto equal = [](const std::string* a, const std::string* b) { return *a == *b; };
    std::sort(names.begin(), names.end(), less);
    const auto found = std::adjacent_find(names.begin(), names.end(), equal);
    return found == names.end() ? nullptr : *found;
  }

  JsonValue& root_;
  std::size_t size_;              // of the text
  std::vector<JsonValue*> open_;  // outermost first; a container's vector does not grow while a child is open
  std::size_t deepest_ = 0;
  bool key_pending_ = false;
  std::string error_;
  bool at_end_ = false;
};

std::string shortened(const std::string& text) {
  return text.size() <= kLongestQuote ? text : text.substr(0, kLongestQuote) + "...";
}

std::string describe(const JsonValue& value) {
  struct Describer {
    std::string operator()(std::monostate) const { return "null"; }
    std::string operator()(bool b) const { return b ? "true" : "false"; }
    std::string operator()(std::int64_t i) const { return fmt::format("{}", i); }
    std::string operator()(double d) const { return fmt::format("{}", d); }
    std::string operator()(const std::string& s) const { return fmt::format("the text \"{}\"", shortened(s)); }
    std::string operator()(const JsonValue::Array&) const { return "an array"; }
    std::string operator()(const JsonValue::Object&) const { return "an object"; }
  };
  return std::visit(Describer{}, value.data);
}

bool is_flat(const JsonValue& value) {
  const auto scalar = [](const JsonValue& v) {
    return !std::holds_alternative<JsonValue::Array>(v.data) && !std::holds_alternative<JsonValue::Object>(v.data);
  };
  if (const auto* elements = std::get_if<JsonValue::Array>(&value.data))
    return std::all_of(elements->begin(), elements->end(), scalar);
  if (const auto* members = std::get_if<JsonValue::Object>(&value.data))
    return std::all_of(members->begin(), members->end(), [&](const auto& m) { return scalar(m.value); });
  return true;
}

std::string quoted(const std::string& text) {
  try {
    return nlohmann::json(text).dump();
  } catch (const nlohmann::json::exception&) {
    throw JsonError(fmt::format("the text \"{}\" is not UTF-8", shortened(text)));
  }
}

class Writer {
 public:
  std::string take() { return std::move(out_); }

  void write(const JsonValue& value, std::size_t indent) {
    std::visit([&](const auto& v) { put(v, indent, is_flat(value)); }, value.data);
  }

 private:
  void put(std::monostate, std::size_t, bool) { out_ += "null"; }
  void put(bool value, std::size_t, bool) { out_ += value ? "true" : "false"; }
  void put(std::int64_t value, std::size_t, bool) { out_ += fmt::format("{}", value); }
  void put(double value, std::size_t, bool) {
    out_ += std::isfinite(value) ? expr::to_text(expr::Value(value)) : "null";
  }
  void put(const std::string& value, std::size_t, bool) { out_ += quoted(value); }
  void put(const JsonValue::Array& elements, std::size_t indent, bool flat) {
    const auto element = [&](const JsonValue& value) { write(value, indent + 1); };
    list(elements, indent, flat, "[]", element);
  }
  void put(const JsonValue::Object& members, std::size_t indent, bool flat) {
    const auto member = [&](const JsonMember& entry) {
      out_ += quoted(entry.name) + ": ";
      write(entry.value, indent + 1);
    };
    list(members, indent, flat, "{}", member);
  }
  template <class Items, class Write>
  void list(const Items& items, std::size_t indent, bool flat, const char* brackets, Write write_item) {
    out_ += brackets[0];
    const char* separator = "";
    for (const auto& item : items) {
      out_ += separator;
      flat ? (void)(out_ += *separator ? " " : "") : line(indent + 1);
      write_item(item);
      separator = ",";
    }
    if (!flat && !items.empty()) line(indent);
    out_ += brackets[1];
  }
  void line(std::size_t indent) {
    out_ += '\n';
    out_.append(2 * indent, ' ');
  }

  std::string out_;
};

}  // namespace

JsonValue::JsonValue() noexcept = default;
JsonValue::JsonValue(Data value) noexcept : data(std::move(value)) {}
JsonValue::JsonValue(const JsonValue& other) = default;
JsonValue::JsonValue(JsonValue&& other) noexcept = default;
JsonValue& JsonValue::operator=(const JsonValue& other) = default;
JsonValue& JsonValue::operator=(JsonValue&& other) noexcept = default;
JsonValue::~JsonValue() = default;

template <class T>
const T& JsonCursor::expect(const char* what) const {
  if (const T* value = std::get_if<T>(&value_->data)) return *value;
  fail(fmt::format("expected {}, found {}", what, describe(*value_)));
}

bool JsonCursor::boolean() const { return expect<bool>("true or false"); }

std::int64_t JsonCursor::integer() const {
  if (const double* real = std::get_if<double>(&value_->data))
    if (*real == std::floor(*real) && std::fabs(*real) < 9e15) return static_cast<std::int64_t>(*real);
  return expect<std::int64_t>("an integer");
}

double JsonCursor::number() const {
  if (const std::int64_t* integer = std::get_if<std::int64_t>(&value_->data)) return static_cast<double>(*integer);
  return expect<double>("a number");
}

const std::string& JsonCursor::text() const { return expect<std::string>("a text"); }

expr::Literal JsonCursor::literal() const {
  if (is_boolean()) return boolean();
  if (is_integer()) return integer();
  if (is_number()) return number();
  return expect<std::string>("a boolean, number or text");
}

std::size_t JsonCursor::size() const {
  if (is_object()) return std::get<JsonValue::Object>(value_->data).size();
  return expect<JsonValue::Array>("an array").size();
}

std::vector<JsonCursor> JsonCursor::elements() const {
  std::vector<JsonCursor> cursors;
  for (const JsonValue& element : expect<JsonValue::Array>("an array")) cursors.emplace_back(*document_, element);
  return cursors;
}

std::vector<std::pair<std::string_view, JsonCursor>> JsonCursor::members() const {
  std::vector<std::pair<std::string_view, JsonCursor>> cursors;
  for (const auto& [name, value] : expect<JsonValue::Object>("an object"))
    cursors.emplace_back(name, JsonCursor(*document_, value));
  return cursors;
}

std::optional<JsonCursor> JsonCursor::find(std::string_view member) const {
  for (const auto& [name, value] : expect<JsonValue::Object>("an object"))
    if (name == member) return JsonCursor(*document_, value);
  return std::nullopt;
}

JsonCursor JsonCursor::at(std::string_view member) const {
  if (const auto found = find(member)) return *found;
  fail(fmt::format("member '{}' is missing", member));
}

void JsonCursor::only(std::initializer_list<std::string_view> known) const {
  for (const auto& [name, value] : expect<JsonValue::Object>("an object"))
    if (std::find(known.begin(), known.end(), name) == known.end())
      fail(fmt::format("unknown member '{}'{}", name, suggestion(name, {known.begin(), known.size()})));
}

std::string JsonCursor::place() const {
  std::string place;
  find_place(*JsonCursor(document_->root()).value_, value_, place);
  return place;
}

void JsonCursor::fail(const std::string& message) const {
  const std::string where = place();
  throw JsonError(where.empty() ? message : where + ": " + message);
}

JsonDocument JsonDocument::parse(std::string_view text) {
  JsonDocument document;
  document.root_ = std::make_unique<JsonValue>();
  Builder builder(*document.root_, text.size());
  if (!nlohmann::json::sax_parse(text, &builder)) throw JsonError(builder.error());
  return document;
}

JsonDocument JsonDocument::parse_truncated(std::string_view text, std::size_t kept_depth) {
  JsonDocument document;
  document.root_ = std::make_unique<JsonValue>();
  Builder builder(*document.root_, text.size());
  if (nlohmann::json::sax_parse(text, &builder)) return document;
  const bool broke_off = builder.stopped_at_end() && builder.drop_incomplete(kept_depth);
  if (!broke_off) throw JsonError(builder.error());
  document.truncated_ = true;
  return document;
}

std::string to_json_text(const JsonValue& value) {
  Writer writer;
  writer.write(value, 0);
  return writer.take();
}

}  // namespace kerntune
