// SPDX-License-Identifier: Apache-2.0
#include "ptxas_log.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

namespace kerntune::cuda {
namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// Text between `open` and the next `close` after it; empty if either is absent.
std::string_view between(std::string_view text, std::string_view open, std::string_view close) {
  const std::size_t from = text.find(open);
  if (from == std::string_view::npos) return {};
  const std::size_t begin = from + open.size();
  const std::size_t end = close.empty() ? text.size() : text.find(close, begin);
  return end == std::string_view::npos ? std::string_view{} : text.substr(begin, end - begin);
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

/// The first number in a phrase such as "Used 64 registers" or "512 bytes smem".
std::int64_t number_in(std::string_view phrase) {
  const std::size_t at = phrase.find_first_of("0123456789");
  std::int64_t value = 0;
  if (at != std::string_view::npos) std::from_chars(phrase.data() + at, phrase.data() + phrase.size(), value);
  return value;
}

std::vector<std::string_view> phrases(std::string_view line) {
  std::vector<std::string_view> parts;
  for (std::size_t comma; (comma = line.find(',')) != std::string_view::npos; line.remove_prefix(comma + 1))
    parts.push_back(line.substr(0, comma));
  parts.push_back(line);
  return parts;
}

/// "N bytes stack frame, N bytes spill stores, N bytes spill loads"
void read_properties(std::string_view line, PtxasFacts& facts) {
  for (std::string_view phrase : phrases(line)) {
    if (contains(phrase, "stack frame")) facts.stack_bytes = number_in(phrase);
    if (contains(phrase, "spill stores")) facts.spill_store_bytes = number_in(phrase);
    if (contains(phrase, "spill loads")) facts.spill_load_bytes = number_in(phrase);
  }
}

/// "Used N registers, used N barriers, N bytes cumulative stack size, N+M bytes smem, N bytes cmem[0]"
void read_usage(std::string_view line, PtxasFacts& facts) {
  for (std::string_view phrase : phrases(line)) {
    if (contains(phrase, "registers")) facts.regs = number_in(phrase);
    if (contains(phrase, "cumulative stack")) facts.stack_bytes = std::max(facts.stack_bytes, number_in(phrase));
    if (contains(phrase, "bytes smem")) facts.shared_bytes = number_in(phrase);
    if (contains(phrase, "bytes cmem[")) facts.constant_bytes += number_in(phrase);
  }
  facts.complete = true;
}

/// CUDA 12.9 says with every compilation for sm_70 that a later toolkit will not do it: nothing that the source could
/// change.
bool is_about_the_toolkit(std::string_view line) {
  return contains(line, "Architectures prior to") && contains(line, "are deprecated");
}

/// Which function the lines being read belong to.
class Reader {
 public:
  void line(std::string_view text) {
    if (!is_about_the_toolkit(text) && (!contains(text, "ptxas") || !verbose(text))) {
      report_.rest.append(text).push_back('\n');
    }
  }
  PtxasReport take() {
    while (!report_.rest.empty() && report_.rest.back() == '\n') report_.rest.pop_back();
    return std::move(report_);
  }

 private:
  /// True if the line is one of -v's.
  bool verbose(std::string_view text) {
    if (contains(text, "Compiling entry function")) return open_entry(between(text, "'", "'"));
    if (contains(text, "Function properties for")) {
      // A device function's properties follow the entries; only those of the entry being read are taken.
      properties_of_entry_ = trimmed(between(text, "Function properties for", "")) == entry_;
      return true;
    }
    if (contains(text, "bytes stack frame")) {
      if (properties_of_entry_ && !entry_.empty()) read_properties(text, report_.entries[entry_]);
      return true;
    }
    if (contains(text, "Used ") && contains(text, "registers")) {
      if (!entry_.empty()) read_usage(text, report_.entries[entry_]);
      return true;
    }
    return contains(text, "bytes gmem") || contains(text, "Compile time =") ||
           contains(text, "Overriding maximum register limit");
  }

  bool open_entry(std::string_view name) {
    entry_ = name;
    if (!entry_.empty()) report_.entries[entry_] = {};
    return true;
  }

  PtxasReport report_;
  std::string entry_;
  bool properties_of_entry_ = false;
};

}  // namespace

PtxasReport parse_ptxas_log(std::string_view log) {
  Reader reader;
  while (!log.empty()) {
    const std::size_t end = log.find('\n');
    reader.line(log.substr(0, end));
    if (end == std::string_view::npos) break;
    log.remove_prefix(end + 1);
  }
  return reader.take();
}

}  // namespace kerntune::cuda
