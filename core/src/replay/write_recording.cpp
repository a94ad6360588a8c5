// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <kerntune/core/errors.hpp>
#include <kerntune/core/replay.hpp>

#include "replay/device_json.hpp"
#include "spec/json_builder.hpp"
#include "spec/spec_json.hpp"

namespace kerntune {
namespace {

std::string config_text(const std::vector<search::Param>& params, const search::Config& config) {
  std::string text;
  for (std::size_t p = 0; p < params.size(); ++p)
    text += fmt::format("{}{}={}", p == 0 ? "" : ",", params[p].name, expr::to_text(params[p].values.at(config.at(p))));
  return text;
}

JsonValue entry_value(const std::vector<search::Param>& params, const RecordedEntry& entry) {
  JsonMembers members;
  members.text("config", config_text(params, entry.config)).text("status", entry.rejection ? "rejected" : "measured");
  if (entry.rejection) {
    members.text("reason", name_of(entry.rejection->reason)).text("message", entry.rejection->message);
  } else {
    members.number("time_ns", entry.time_ns).numbers("samples_ns", entry.samples_ns);
  }
  return members.numbers("facts", entry.facts).numbers("counters", entry.counters).take();
}

JsonValue size_value(const std::vector<search::Param>& params, const RecordedSize& size) {
  const auto entry = [&](const RecordedEntry& e) { return entry_value(params, e); };
  return JsonMembers().integers("dims", size.dims).list("entries", size.entries, entry).take();
}

JsonValue param_value(const search::Param& param) {
  const auto literal = [](const expr::Literal& value) { return json_of(value); };
  return JsonMembers().text("name", param.name).list("values", param.values, literal).take();
}

void add_space(const Recording& recording, JsonMembers& members) {
  if (recording.spec) {
    members.put("spec", spec_to_value(*recording.spec));
    return;
  }
  members.list("params", recording.params, param_value);
  if (recording.constraints) members.texts("constraints", *recording.constraints);
}

void write_plain(const std::string& text, const std::string& path) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file) throw Error(fmt::format("write recording '{}': {}", path, std::strerror(errno)));
}

void write_packed(const std::string& text, const std::string& path) {
  gzFile file = gzopen(path.c_str(), "wb");
  if (file == nullptr) throw Error(fmt::format("write recording '{}': {}", path, std::strerror(errno)));
  constexpr std::size_t kChunk = 1U << 24;  // gzwrite takes unsigned lengths
  bool is_written = true;
  for (std::size_t at = 0; is_written && at < text.size(); at += kChunk) {
    const auto length = static_cast<unsigned>(std::min(kChunk, text.size() - at));
    is_written = gzwrite(file, text.data() + at, length) == static_cast<int>(length);
  }
  const bool is_closed = gzclose(file) == Z_OK;
  if (!is_written || !is_closed) throw Error(fmt::format("write recording '{}': {}", path, std::strerror(errno)));
}

}  // namespace

std::string to_json(const Recording& recording) {
  JsonMembers members;
  members.integer("kerntune_recording", 1).text("kernel", recording.kernel).given("policy", recording.policy);
  members.put("device", device_to_value(recording.device));
  add_space(recording, members);
  members.list("recordings", recording.sizes,
               [&](const RecordedSize& size) { return size_value(recording.params, size); });
  try {
    return to_json_text(members.take());
  } catch (const JsonError& error) {
    throw Error(fmt::format("write recording of kernel '{}': {}", recording.kernel, error.what()));
  }
}

void write_recording(const Recording& recording, const std::string& path) {
  const std::string temporary = fmt::format("{}.{}.tmp", path, getpid());
  const std::string text = to_json(recording);
  path.ends_with(".gz") ? write_packed(text, temporary) : write_plain(text, temporary);
  std::error_code error;
  std::filesystem::rename(temporary, path, error);
  if (!error) return;
  std::filesystem::remove(temporary);
  throw Error(fmt::format("write recording '{}': {}", path, error.message()));
}

}  // namespace kerntune
