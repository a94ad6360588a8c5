// SPDX-License-Identifier: Apache-2.0
#include "convert.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <kerntune/core/errors.hpp>

#include "near_name.hpp"

namespace kerntune::app {
namespace {

constexpr double kMostSeconds = 1e8;

template <typename Number>
bool read_number(std::string_view text, Number& number) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end;
}

/// "found 'x'", and why what looks like a number is none.
template <typename Number>
std::string found(std::string_view text) {
  Number number{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool too_large = error == std::errc::result_out_of_range && stop == text.data() + text.size();
  return fmt::format("found '{}'{}", text, too_large ? ", which does not fit 64 bits" : "");
}

std::uint64_t parse_unsigned(const std::string& where, std::string_view text) {
  std::uint64_t number = 0;
  if (read_number(text, number)) return number;
  throw UsageError(fmt::format("{}: expected a whole number from 0 on, {}", where, found<std::uint64_t>(text)));
}

void check_choice(const std::string& where, const Option& option, const std::string& word) {
  if (option.choices.empty()) return;
  if (std::find(option.choices.begin(), option.choices.end(), word) != option.choices.end()) return;
  throw UsageError(fmt::format("{}: expected one of {}, found '{}'{}", where, fmt::join(option.choices, ", "), word,
                               did_you_mean(word, option.choices)));
}

struct Store {
  const std::string& where;
  const std::string& word;

  void operator()(bool* target) const { *target = true; }
  void operator()(std::string* target) const { *target = word; }
  void operator()(std::vector<std::string>* target) const { target->push_back(word); }
  void operator()(std::int64_t* target) const { *target = parse_integer(where, word); }
  void operator()(std::uint64_t* target) const { *target = parse_unsigned(where, word); }
  void operator()(double* target) const { *target = parse_real(where, word); }
  void operator()(std::optional<std::int64_t>* target) const { *target = parse_integer(where, word); }
  void operator()(std::optional<std::uint64_t>* target) const { *target = parse_unsigned(where, word); }
};

std::int64_t parse_positive(const std::string& where, std::string_view text) {
  std::int64_t number = 0;
  if (read_number(text, number) && number > 0) return number;
  throw UsageError(fmt::format("{}: expected a whole number from 1 on, {}", where, found<std::int64_t>(text)));
}

double seconds_per(char unit) {
  switch (unit) {
    case 's':
      return 1;
    case 'm':
      return 60;
    case 'h':
      return 3600;
    default:
      return 0;
  }
}

void add_to_budget(const std::string& where, std::string_view text, Budget& budget) {
  const double scale = text.empty() ? 0 : seconds_per(text.back());
  double amount = 0;
  if (scale > 0 && read_number(text.substr(0, text.size() - 1), amount) && amount > 0 && std::isfinite(amount)) {
    check_seconds(where, amount * scale);
    budget.seconds = amount * scale;
    return;
  }
  std::int64_t evaluations = 0;
  if (!read_number(text, evaluations) || evaluations <= 0)
    throw UsageError(
        fmt::format("{}: expected a number of configurations (200), a time (90s, 5m, 1h) or both (200,5m), found '{}'",
                    where, text));
  budget.evaluations = evaluations;
}

}  // namespace

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::int64_t parse_integer(const std::string& where, std::string_view text) {
  std::int64_t number = 0;
  if (read_number(text, number)) return number;
  throw UsageError(fmt::format("{}: expected a whole number, {}", where, found<std::int64_t>(text)));
}

double parse_real(const std::string& where, std::string_view text) {
  double number = 0;
  if (read_number(text, number) && std::isfinite(number)) return number;
  throw UsageError(fmt::format("{}: expected a number, {}", where, found<double>(text)));
}

void check_seconds(const std::string& where, double seconds) {
  if (seconds > 0 && seconds <= kMostSeconds) return;
  throw UsageError(
      fmt::format("{}: expected seconds above 0 and at most {:.0f}, found {}", where, kMostSeconds, seconds));
}

void convert(const std::string& where, const Option& option, const std::string& word) {
  check_choice(where, option, word);
  std::visit(Store{where, word}, option.target);
}

std::vector<std::int64_t> parse_batches(const std::string& where, std::string_view text) {
  if (text.starts_with("auto"))
    throw UsageError(
        fmt::format("{}: choosing the batches automatically ('{}') is not there yet; list them, as in --batch 1,8,64",
                    where, text));
  std::vector<std::int64_t> batches;
  for (const std::string& part : split(text, ',')) batches.push_back(parse_positive(where, part));
  std::sort(batches.begin(), batches.end());
  batches.erase(std::unique(batches.begin(), batches.end()), batches.end());
  return batches;
}

Dims parse_dims(const std::string& where, const std::vector<std::string>& words) {
  Dims dims;
  for (const std::string& word : words) {
    for (const std::string& part : split(word, ',')) {
      const std::size_t equals = part.find('=');
      if (equals == 0 || equals == std::string::npos)
        throw UsageError(fmt::format("{}: expected name=value, as in n=4096, found '{}'", where, part));
      const std::string name = part.substr(0, equals);
      const std::int64_t value = parse_integer(fmt::format("{} {}", where, name), part.substr(equals + 1));
      if (!dims.emplace(name, value).second) throw UsageError(fmt::format("{}: '{}' is given twice", where, name));
    }
  }
  return dims;
}

Budget parse_budget(const std::string& where, std::string_view text) {
  Budget budget;
  if (text.empty()) return budget;
  for (const std::string& part : split(text, ',')) add_to_budget(where, part, budget);
  return budget;
}

}  // namespace kerntune::app
