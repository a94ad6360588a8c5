// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <set>

#include <kerntune/core/errors.hpp>

#include "replay/device_json.hpp"
#include "replay/recording_builder.hpp"
#include "spec/compiled_spec.hpp"
#include "spec/spec_json.hpp"

namespace kerntune {
namespace {

constexpr std::int64_t kVersion = 1;

KernelSpec read_recorded_spec(const JsonCursor& cursor) {
  KernelSpec spec = read_spec(cursor);
  if (auto* code = std::get_if<SourceCode>(&spec.code);
      code != nullptr && code->text.empty() && code->unavailable.empty())
    code->unavailable = "its recording does not carry the source";
  try {
    compile_spec(spec);  // for its checks
  } catch (const SpecError& error) {
    cursor.fail(error.what());
  }
  return spec;
}

search::Param read_param(const JsonCursor& cursor) {
  cursor.only({"name", "values"});
  search::Param param{cursor.at("name").text(), {}};
  for (const JsonCursor& value : cursor.at("values").elements()) param.values.push_back(value.literal());
  if (param.values.empty()) cursor.fail(fmt::format("parameter '{}' has no values", param.name));
  return param;
}

// Finds configurations by their text, "block_x=128,precision=fp16", in any order of parameters.
class ConfigReader {
 public:
  explicit ConfigReader(const std::vector<search::Param>& params) : params_(params) {
    for (const search::Param& param : params) {
      auto& index = indices_.emplace_back();
      for (std::size_t i = 0; i < param.values.size(); ++i)
        index.emplace(expr::to_text(param.values[i]), static_cast<std::uint32_t>(i));
    }
  }

  search::Config read(const JsonCursor& cursor) const {
    std::vector<std::optional<std::uint32_t>> found(params_.size());
    std::string_view rest = cursor.text();
    while (!rest.empty()) {
      const std::size_t equals = rest.find('=');
      if (equals == std::string_view::npos) cursor.fail("expected name=value pairs with commas between them");
      const std::size_t param = param_of(cursor, rest.substr(0, equals));
      const std::size_t end = value_end(rest, equals + 1);
      const std::string value(rest.substr(equals + 1, end - equals - 1));
      const auto index = indices_[param].find(value);
      if (index == indices_[param].end())
        cursor.fail(fmt::format("{} is not a value of '{}'", value, params_[param].name));
      found[param] = index->second;
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    search::Config config;
    for (std::size_t p = 0; p < params_.size(); ++p) {
      if (!found[p] && params_[p].values.size() > 1) cursor.fail(fmt::format("'{}' has no value", params_[p].name));
      config.push_back(found[p].value_or(0));
    }
    return config;
  }

 private:
  std::size_t param_of(const JsonCursor& cursor, std::string_view name) const {
    for (std::size_t p = 0; p < params_.size(); ++p)
      if (params_[p].name == name) return p;
    cursor.fail(fmt::format("unknown parameter '{}'", name));
  }

  // The comma behind the value that begins at `at`, or the end. A quoted value may hold commas.
  static std::size_t value_end(std::string_view text, std::size_t at) {
    bool quoted = false;
    for (; at < text.size(); ++at) {
      if (quoted && text[at] == '\\') {
        ++at;
      } else if (text[at] == '"') {
        quoted = !quoted;
      } else if (text[at] == ',' && !quoted) {
        break;
      }
    }
    return std::min(at, text.size());
  }

  const std::vector<search::Param>& params_;
  std::vector<std::unordered_map<std::string, std::uint32_t>> indices_;
};

std::map<std::string, double> read_numbers(const std::optional<JsonCursor>& object) {
  std::map<std::string, double> numbers;
  if (object)
    for (const auto& [name, value] : object->members()) numbers.emplace(name, value.number());
  return numbers;
}

RecordedEntry read_entry(const JsonCursor& cursor, const ConfigReader& configs) {
  cursor.only({"config", "status", "reason", "message", "samples_ns", "time_ns", "facts", "counters"});
  RecordedEntry entry;
  entry.config = configs.read(cursor.at("config"));
  entry.facts = read_numbers(cursor.find("facts"));
  entry.counters = read_numbers(cursor.find("counters"));
  const JsonCursor status = cursor.at("status");
  if (status.text() == "rejected") {
    const auto message = cursor.find("message");
    entry.rejection = {reason_from(cursor.at("reason").text()), message ? message->text() : ""};
    return entry;
  }
  if (status.text() != "measured")
    status.fail(fmt::format("unknown status '{}'; known are measured, rejected", status.text()));
  Samples samples;
  for (const JsonCursor& sample : cursor.at("samples_ns").elements()) samples.push_back(sample.number());
  if (const auto time = cursor.find("time_ns")) entry.time_ns = time->number();
  set_samples(entry, std::move(samples));
  if (entry.rejection) cursor.at("samples_ns").fail("expected positive numbers");
  return entry;
}

RecordedSize read_size(const JsonCursor& cursor, const ConfigReader& configs) {
  RecordedSize size;
  for (const auto& [name, value] : cursor.at("dims").members()) size.dims.emplace(name, value.integer());
  std::set<search::Config> seen;
  const auto entries = cursor.find("entries");
  for (const JsonCursor& element : entries ? entries->elements() : std::vector<JsonCursor>{}) {
    size.entries.push_back(read_entry(element, configs));
    if (!seen.insert(size.entries.back().config).second) element.fail("this configuration is recorded twice");
  }
  return size;
}

void read_space(const JsonCursor& root, Recording& recording) {
  if (const auto spec = root.find("spec")) {
    recording.spec = read_recorded_spec(*spec);
    for (const ParamSpec& param : recording.spec->params) recording.params.push_back({param.name, param.values});
    recording.constraints = recording.spec->constraints;
    return;
  }
  for (const JsonCursor& param : root.at("params").elements()) recording.params.push_back(read_param(param));
  if (const auto constraints = root.find("constraints")) recording.constraints = read_expressions(*constraints);
}

}  // namespace

Recording read_own_recording(const JsonCursor& root) {
  root.only({"kerntune_recording", "kernel", "policy", "device", "spec", "params", "constraints", "dims", "entries",
             "recordings"});
  const JsonCursor version = root.at("kerntune_recording");
  if (version.integer() != kVersion)
    version.fail(
        fmt::format("recording version {} is not {}, the one that this kerntune reads", version.integer(), kVersion));
  Recording recording;
  recording.kernel = root.at("kernel").text();
  if (const auto policy = root.find("policy")) recording.policy = policy->text();
  if (const auto device = root.find("device")) recording.device = read_device(*device);
  read_space(root, recording);
  const ConfigReader configs(recording.params);
  if (const auto sizes = root.find("recordings")) {
    for (const JsonCursor& size : sizes->elements()) {
      size.only({"dims", "entries"});
      recording.sizes.push_back(read_size(size, configs));
    }
  } else {
    recording.sizes.push_back(read_size(root, configs));
  }
  if (recording.sizes.empty()) root.fail("no problem size is recorded");
  return recording;
}

}  // namespace kerntune
