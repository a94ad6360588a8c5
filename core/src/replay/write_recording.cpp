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
#include "spec/spec_json.hpp"

namespace kerntune {
namespace {

JsonValue numbers(const std::map<std::string, double>& values) {
  JsonValue::Object members;
  for (const auto& [name, value] : values) members.emplace_back(name, JsonValue{value});
  return JsonValue{std::move(members)};
}

JsonValue texts(const std::vector<std::string>& values) {
  JsonValue::Array array;
  for (const std::string& value : values) array.push_back(JsonValue{value});
  return JsonValue{std::move(array)};
}

std::string config_text(const std::vector<search::Param>& params, const search::Config& config) {
  std::string text;
  for (std::size_t p = 0; p < params.size(); ++p)
    text += fmt::format("{}{}={}", p == 0 ? "" : ",", params[p].name, expr::to_text(params[p].values.at(config.at(p))));
  return text;
}

JsonValue entry_value(const std::vector<search::Param>& params, const RecordedEntry& entry) {
  JsonValue::Object members;
  members.emplace_back("config", JsonValue{config_text(params, entry.config)});
  members.emplace_back("status", JsonValue{std::string(entry.rejection ? "rejected" : "measured")});
  if (entry.rejection) {
    members.emplace_back("reason", JsonValue{std::string(name_of(entry.rejection->reason))});
    members.emplace_back("message", JsonValue{entry.rejection->message});
  } else {
    JsonValue::Array samples;
    for (const double sample : entry.samples_ns) samples.push_back(JsonValue{sample});
    members.emplace_back("time_ns", JsonValue{entry.time_ns});
    members.emplace_back("samples_ns", JsonValue{std::move(samples)});
  }
  if (!entry.facts.empty()) members.emplace_back("facts", numbers(entry.facts));
  if (!entry.counters.empty()) members.emplace_back("counters", numbers(entry.counters));
  return JsonValue{std::move(members)};
}

JsonValue size_value(const std::vector<search::Param>& params, const RecordedSize& size) {
  JsonValue::Object dims;
  for (const auto& [name, value] : size.dims) dims.emplace_back(name, JsonValue{value});
  JsonValue::Array entries;
  for (const RecordedEntry& entry : size.entries) entries.push_back(entry_value(params, entry));
  JsonValue::Object members;
  members.emplace_back("dims", JsonValue{std::move(dims)});
  members.emplace_back("entries", JsonValue{std::move(entries)});
  return JsonValue{std::move(members)};
}

JsonValue param_value(const search::Param& param) {
  JsonValue::Array values;
  for (const expr::Literal& value : param.values)
    values.push_back(std::visit([](const auto& v) { return JsonValue{v}; }, value));
  JsonValue::Object members;
  members.emplace_back("name", JsonValue{param.name});
  members.emplace_back("values", JsonValue{std::move(values)});
  return JsonValue{std::move(members)};
}

void add_space(const Recording& recording, JsonValue::Object& members) {
  if (recording.spec) {
    members.emplace_back("spec", spec_to_value(*recording.spec));
    return;
  }
  JsonValue::Array params;
  for (const search::Param& param : recording.params) params.push_back(param_value(param));
  members.emplace_back("params", JsonValue{std::move(params)});
  if (recording.constraints) members.emplace_back("constraints", texts(*recording.constraints));
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
  JsonValue::Object members;
  members.emplace_back("kerntune_recording", JsonValue{std::int64_t{1}});
  members.emplace_back("kernel", JsonValue{recording.kernel});
  members.emplace_back("policy", JsonValue{recording.policy});
  members.emplace_back("device", device_to_value(recording.device));
  add_space(recording, members);
  JsonValue::Array sizes;
  for (const RecordedSize& size : recording.sizes) sizes.push_back(size_value(recording.params, size));
  members.emplace_back("recordings", JsonValue{std::move(sizes)});
  try {
    return to_json_text(JsonValue{std::move(members)});
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

Recording new_recording(const KernelSpec& spec, const DeviceInfo& device, const MeasurePolicy& policy) {
  Recording recording;
  recording.kernel = spec.name;
  recording.device = device;
  recording.policy = policy.text();
  recording.spec = spec;
  for (const ParamSpec& param : spec.params) recording.params.push_back({param.name, param.values});
  recording.constraints = spec.constraints;
  return recording;
}

}  // namespace kerntune
