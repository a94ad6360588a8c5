// SPDX-License-Identifier: Apache-2.0
#include "replay/recording_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>

#include "replay/config_hash.hpp"
#include "spec/literal_key.hpp"

namespace kerntune {
namespace {

// Index of each value of one parameter.
using ValueIndex = std::unordered_map<std::string, std::uint32_t>;

ValueIndex index_of(const search::Param& param) {
  ValueIndex index;
  for (std::size_t i = 0; i < param.values.size(); ++i)
    index.emplace(literal_key(param.values[i]), static_cast<std::uint32_t>(i));
  return index;
}

bool is_text(const expr::Literal& value) { return std::holds_alternative<std::string>(value); }

// Numbers ascending; a parameter with a text among its values keeps the order of appearance.
void sort_values(std::vector<expr::Literal>& values) {
  if (std::any_of(values.begin(), values.end(), is_text)) return;
  const auto less = [](const expr::Literal& a, const expr::Literal& b) {
    return expr::Value(a).as_double() < expr::Value(b).as_double();
  };
  std::sort(values.begin(), values.end(), less);
}

template <class Number>
std::optional<Number> parsed(const std::string& text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && stop == end ? std::optional(number) : std::nullopt;
}

expr::Literal number_from(const std::string& text) {
  if (const auto integer = parsed<std::int64_t>(text)) return *integer;
  if (const auto real = parsed<double>(text); real && std::isfinite(*real)) return *real;
  return text;
}

// A configuration that was recorded more than once: samples add up, and one that once ran is measured.
void merge(RecordedEntry& entry, RecordedEntry more) {
  if (more.rejection) return;
  if (entry.rejection) {
    more.config = std::move(entry.config);
    entry = std::move(more);
    return;
  }
  entry.samples_ns.insert(entry.samples_ns.end(), more.samples_ns.begin(), more.samples_ns.end());
  entry.time_ns = std::accumulate(entry.samples_ns.begin(), entry.samples_ns.end(), 0.0) /
                  static_cast<double>(entry.samples_ns.size());
}

}  // namespace

void RecordingBuilder::declare(const JsonCursor& place, std::string_view name, std::vector<expr::Literal> values) {
  declared_ = true;
  if (values.empty()) place.fail(fmt::format("parameter '{}' has no values", name));
  params_.push_back({std::string(name), std::move(values)});
}

void RecordingBuilder::add(const JsonCursor& place, std::vector<NamedLiteral> config, RecordedEntry entry) {
  if (params_.empty() && rows_.empty())
    for (const NamedLiteral& given : config) params_.push_back({std::string(given.name), {}});
  Row row;
  for (const search::Param& param : params_) {
    const auto is_it = [&](const NamedLiteral& given) { return given.name == param.name; };
    const auto found = std::find_if(config.begin(), config.end(), is_it);
    if (found == config.end()) place.fail(fmt::format("parameter '{}' has no value here", param.name));
    row.values.push_back(std::move(found->value));
  }
  if (config.size() > params_.size())
    place.fail(fmt::format("{} parameters, and others have {}", config.size(), params_.size()));
  row.entry = std::move(entry);
  rows_.push_back(std::move(row));
}

void RecordingBuilder::read_numbers_from_text() {
  for (std::size_t p = 0; p < params_.size(); ++p) {
    const auto is_number_text = [&](const Row& row) {
      return is_text(row.values[p]) && !is_text(number_from(std::get<std::string>(row.values[p])));
    };
    if (!std::all_of(rows_.begin(), rows_.end(), is_number_text)) continue;
    for (Row& row : rows_) row.values[p] = number_from(std::get<std::string>(row.values[p]));
  }
}

void RecordingBuilder::collect_values() {
  for (std::size_t p = 0; p < params_.size(); ++p) {
    ValueIndex seen;
    for (const Row& row : rows_)
      if (seen.emplace(literal_key(row.values[p]), 0U).second) params_[p].values.push_back(row.values[p]);
    sort_values(params_[p].values);
  }
}

void RecordingBuilder::finish(const JsonCursor& root, Recording& recording) {
  if (rows_.empty()) root.fail("no configuration is recorded");
  if (params_.empty()) root.fail("no parameter is recorded");
  if (!declared_) collect_values();
  std::vector<ValueIndex> indices;
  for (const search::Param& param : params_) indices.push_back(index_of(param));
  RecordedSize size;
  std::unordered_map<search::Config, std::size_t, ConfigHash> known;
  for (Row& row : rows_) {
    for (std::size_t p = 0; p < params_.size(); ++p) {
      const auto found = indices[p].find(literal_key(row.values[p]));
      if (found == indices[p].end())
        root.fail(fmt::format("an entry has {}={}, which is not among the parameter's values", params_[p].name,
                              expr::to_text(row.values[p])));
      row.entry.config.push_back(found->second);
    }
    const auto [place, is_new] = known.emplace(row.entry.config, size.entries.size());
    if (is_new) {
      size.entries.push_back(std::move(row.entry));
    } else {
      merge(size.entries[place->second], std::move(row.entry));
    }
  }
  recording.params = std::move(params_);
  recording.sizes.push_back(std::move(size));
}

void set_samples(RecordedEntry& entry, Samples samples_ns) {
  const auto is_time = [](double sample) { return std::isfinite(sample) && sample > 0; };
  if (samples_ns.empty() || !std::all_of(samples_ns.begin(), samples_ns.end(), is_time)) {
    entry.rejection = {Reason::internal_error, "recorded without a time that is a positive number"};
    return;
  }
  if (!is_time(entry.time_ns))
    entry.time_ns = std::accumulate(samples_ns.begin(), samples_ns.end(), 0.0) / static_cast<double>(samples_ns.size());
  entry.samples_ns = std::move(samples_ns);
}

double nanoseconds_in(std::string_view unit) noexcept {
  constexpr std::array<std::pair<std::string_view, double>, 20> kUnits{
      {{"ns", 1},           {"nsec", 1},          {"nanosecond", 1},    {"nanoseconds", 1},
       {"us", 1e3},         {"usec", 1e3},        {"microsecond", 1e3}, {"microseconds", 1e3},
       {"ms", 1e6},         {"msec", 1e6},        {"millisecond", 1e6}, {"milliseconds", 1e6},
       {"milisecond", 1e6}, {"miliseconds", 1e6}, {"s", 1e9},           {"sec", 1e9},
       {"secs", 1e9},       {"second", 1e9},      {"seconds", 1e9},     {"\xC2\xB5s", 1e3}}};
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  const auto equal = [&](std::string_view known) {
    return std::equal(known.begin(), known.end(), unit.begin(), unit.end(),
                      [&](char a, char b) { return a == lower(b); });
  };
  for (const auto& [known, nanoseconds] : kUnits)
    if (equal(known)) return nanoseconds;
  return 0;
}

}  // namespace kerntune
