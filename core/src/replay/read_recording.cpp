// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include <kerntune/core/errors.hpp>
#include <kerntune/core/replay.hpp>

#include "replay/recording_builder.hpp"
#include "replay/restrictions.hpp"
#include "spec/read_file.hpp"
#include "spec/sha256.hpp"

namespace kerntune {
namespace {

// Positions of the text's quoted strings and brackets, without parsing: enough to tell formats apart in a text that may
// break off.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  // Names of the members of the outermost object.
  std::set<std::string_view> top_members() {
    std::set<std::string_view> names;
    int depth = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      if (c != '"') continue;
      const std::string_view string = skip_string();
      if (depth == 1 && next_is_colon()) names.insert(string);
    }
    return names;
  }

 private:
  // The string that begins at at_, which moves to its closing quote.
  std::string_view skip_string() {
    const std::size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_, text_.size());
    return text_.substr(begin, at_ - begin);
  }
  bool next_is_colon() const {
    const std::size_t next = text_.find_first_not_of(" \t\r\n", std::min(at_ + 1, text_.size()));
    return next != std::string_view::npos && text_[next] == ':';
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::optional<RecordingFormat> format_of(std::string_view text) {
  const std::set<std::string_view> names = Scanner(text).top_members();
  if (names.contains("kerntune_recording")) return RecordingFormat::kerntune;
  if (names.contains("cache") && (names.contains("tune_params_keys") || names.contains("tune_params")))
    return RecordingFormat::kernel_tuner;
  if (names.contains("Metadata") && names.contains("Results")) return RecordingFormat::ktt;
  if (names.contains("results")) return RecordingFormat::t4;
  return std::nullopt;
}

// Python writes NaN and Infinity, which are not JSON; outside of strings they become null.
std::string without_nan(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\' && i + 1 < text.size()) {
      out.append(text.substr(i++, 2));
      continue;
    }
    if (c == '"') quoted = !quoted;
    const std::string_view rest = text.substr(i);
    const auto token = [&](std::string_view name) { return !quoted && rest.substr(0, name.size()) == name; };
    const std::size_t length = token("-Infinity") ? 9 : token("Infinity") ? 8 : token("NaN") ? 3 : 0;
    out.append(length > 0 ? "null" : std::string_view(&c, 1));
    i += length > 0 ? length - 1 : 0;
  }
  return out;
}

bool has_nan(std::string_view text) {
  return text.find("NaN") != std::string_view::npos || text.find("Infinity") != std::string_view::npos;
}

JsonDocument parse_document(std::string_view text, RecordingFormat format) {
  const std::string cleaned = has_nan(text) ? without_nan(text) : std::string();
  const std::string_view json = cleaned.empty() ? text : std::string_view(cleaned);
  // Only Kernel Tuner appends to its file while it runs: header and "cache" are two levels of nesting.
  return format == RecordingFormat::kernel_tuner ? JsonDocument::parse_truncated(json, 2) : JsonDocument::parse(json);
}

Recording read(const JsonDocument& document, RecordingFormat format) {
  switch (format) {
    case RecordingFormat::kernel_tuner:
      return read_kernel_tuner(document.root());
    case RecordingFormat::ktt:
      return read_ktt(document.root());
    case RecordingFormat::t4:
      return read_t4(document.root());
    case RecordingFormat::kerntune:
      break;
  }
  return read_own_recording(document.root());
}

// "A100_T4" from "/x/A100_T4.json.gz": what a file without names is called.
std::string stem_of(const std::string& origin) {
  std::string name = std::filesystem::path(origin).filename().string();
  name = name.substr(0, name.find('.'));
  return name.empty() ? "recording" : name;
}

}  // namespace

std::string_view name_of(RecordingFormat format) noexcept {
  switch (format) {
    case RecordingFormat::kernel_tuner:
      return "Kernel Tuner cache";
    case RecordingFormat::ktt:
      return "KTT results";
    case RecordingFormat::t4:
      return "T4 results";
    case RecordingFormat::kerntune:
      break;
  }
  return "kerntune recording";
}

bool is_recording(std::string_view text) { return format_of(text).has_value(); }

Recording parse_recording(std::string_view text, const std::string& origin) {
  const auto format = format_of(text);
  if (!format)
    throw Error(fmt::format(
        "read recording '{}': neither a kerntune recording (member kerntune_recording), a Kernel Tuner cache "
        "(tune_params_keys, cache), KTT results (Metadata, Results) nor T4 results (results)",
        origin));
  try {
    const JsonDocument document = parse_document(text, *format);
    Recording recording = read(document, *format);
    recording.truncated = document.truncated();
    recording.path = origin;
    recording.digest = FieldDigest("kerntune recording").add(text).hex();
    if (recording.kernel.empty()) recording.kernel = stem_of(origin);
    if (recording.device.name.empty()) recording.device.name = stem_of(origin);
    return recording;
  } catch (const JsonError& error) {
    throw Error(fmt::format("read recording '{}' ({}): {}", origin, name_of(*format), error.what()));
  }
}

Recording read_recording(const std::string& path) {
  Recording recording = parse_recording(read_file(path), path);
  if (!recording.constraints) recording.constraints = find_restrictions(recording);
  return recording;
}

}  // namespace kerntune
