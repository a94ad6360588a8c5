// SPDX-License-Identifier: Apache-2.0
#include "spec/source_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include <kerntune/core/errors.hpp>

#include "spec/read_file.hpp"

namespace kerntune {
namespace {

constexpr std::size_t kMostHeaders = 256;

// The name in a line `#include "name"`; nothing for other lines and for <name>.
std::optional<std::string> included_name(std::string_view line) {
  const auto skip_blanks = [&] {
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
  };
  const auto skip = [&](std::string_view word) {
    skip_blanks();
    const bool is_here = line.substr(0, word.size()) == word;
    if (is_here) line.remove_prefix(word.size());
    return is_here;
  };
  if (!skip("#") || !skip("include") || !skip("\"")) return std::nullopt;
  const std::size_t close = line.find('"');
  if (close == std::string_view::npos || close == 0) return std::nullopt;
  return std::string(line.substr(0, close));
}

std::vector<std::string> included_names(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (auto name = included_name(text.substr(0, end))) names.push_back(std::move(*name));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return names;
}

bool has_header(const SourceCode& code, const std::string& name) {
  return std::any_of(code.headers.begin(), code.headers.end(), [&](const HeaderText& h) { return h.name == name; });
}

void add_included(SourceCode& code, const std::string& text, const std::filesystem::path& folder) {
  for (const std::string& name : included_names(text)) {
    const std::filesystem::path path = folder / name;
    if (has_header(code, name) || !std::filesystem::is_regular_file(path)) continue;
    if (code.headers.size() == kMostHeaders) throw Error(fmt::format("source '{}': more than 256 headers", code.file));
    code.headers.push_back({name, read_plain_file(path.string())});
  }
}

}  // namespace

void load_source(SourceCode& code, const std::string& folder) {
  const std::filesystem::path base(folder);
  if (code.text.empty()) {
    if (code.file.empty()) throw Error("source: neither 'text' nor 'file' is given");
    code.text = read_plain_file((base / code.file).string());
    if (code.text.empty()) throw Error(fmt::format("source '{}': the file is empty", code.file));
  }
  for (HeaderText& header : code.headers)
    if (header.text.empty()) header.text = read_plain_file((base / header.name).string());
  add_included(code, code.text, base);
  for (std::size_t i = 0; i < code.headers.size(); ++i) {  // grows while headers include more
    const std::string text = code.headers[i].text;
    add_included(code, text, base);
  }
}

}  // namespace kerntune
