// SPDX-License-Identifier: Apache-2.0
#include "replay/restrictions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include <kerntune/core/errors.hpp>
#include <kerntune/expr/expression.hpp>

#include "spec/json_document.hpp"
#include "spec/read_file.hpp"

namespace kerntune {
namespace {

constexpr const char* kFileName = "restrictions.json";

bool is_word(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

// The constraint with each word that is a parameter's name but for case replaced by that name.
std::string with_recorded_names(const std::string& constraint, const std::vector<search::Param>& params) {
  std::string out;
  for (std::size_t at = 0; at < constraint.size();) {
    std::size_t end = at;
    while (end < constraint.size() && is_word(constraint[end])) ++end;
    if (end == at) {
      out += constraint[at++];
      continue;
    }
    std::string word = constraint.substr(at, end - at);
    for (const search::Param& param : params)
      if (equal_ignoring_case(param.name, word)) word = param.name;
    out += word;
    at = end;
  }
  return out;
}

std::vector<std::string> texts_of(const JsonCursor& list) {
  std::vector<std::string> texts;
  for (const JsonCursor& element : list.elements()) texts.push_back(element.text());
  return texts;
}

std::optional<std::vector<std::string>> fitting_list(const std::string& path, const Recording& recording) {
  try {
    const JsonDocument document = JsonDocument::parse(read_plain_file(path));
    for (const auto& [name, list] : document.root().members()) {
      std::vector<std::string> constraints = texts_of(list);
      for (std::string& constraint : constraints) constraint = with_recorded_names(constraint, recording.params);
      if (gives_recorded_set(recording, constraints)) return constraints;
    }
  } catch (const JsonError& error) {
    throw Error(fmt::format("read restrictions '{}': {}", path, error.what()));
  }
  return std::nullopt;
}

// True if every recorded configuration fulfils the constraints; false also if one does not compile here. Cheap, and it
// spares building spaces for lists that belong to other kernels.
bool all_recorded_fulfil(const Recording& recording, const std::vector<std::string>& constraints) {
  expr::Symbols symbols;
  std::vector<expr::Expression> compiled;
  try {
    for (const search::Param& param : recording.params) symbols.add(param.name);
    for (const std::string& constraint : constraints)
      compiled.push_back(expr::Expression::compile(constraint, symbols));
  } catch (const expr::ExprError&) {
    return false;
  }
  std::vector<expr::Value> values(recording.params.size());
  const auto fulfils = [&](const RecordedEntry& entry) {
    for (std::size_t p = 0; p < values.size(); ++p)
      values[p] = expr::Value(recording.params[p].values[entry.config[p]]);
    return std::all_of(compiled.begin(), compiled.end(), [&](const expr::Expression& constraint) {
      const expr::Evaluation result = constraint.evaluate(values);
      return result.ok() && result.value.truthy();
    });
  };
  return std::all_of(recording.sizes.begin(), recording.sizes.end(), [&](const RecordedSize& size) {
    return std::all_of(size.entries.begin(), size.entries.end(), fulfils);
  });
}

}  // namespace

bool gives_recorded_set(const Recording& recording, const std::vector<std::string>& constraints) {
  if (!all_recorded_fulfil(recording, constraints)) return false;
  try {
    const search::Count count = search::ParamSpace::build(recording.params, constraints).count();
    return std::all_of(recording.sizes.begin(), recording.sizes.end(),
                       [&](const RecordedSize& size) { return count == size.entries.size(); });
  } catch (const search::SpaceError&) {
    return false;
  }
}

std::optional<std::vector<std::string>> find_restrictions(const Recording& recording) {
  const std::filesystem::path folder = std::filesystem::absolute(recording.path).parent_path();
  for (const std::filesystem::path& place : {folder, folder.parent_path()}) {
    const std::filesystem::path path = place / kFileName;
    if (!std::filesystem::is_regular_file(path)) continue;
    if (auto constraints = fitting_list(path.string(), recording)) return constraints;
  }
  return std::nullopt;
}

}  // namespace kerntune
