// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include <kerntune/core/errors.hpp>
#include <kerntune/core/replay.hpp>

#include "replay/config_hash.hpp"
#include "spec/literal_key.hpp"

namespace kerntune {
namespace {

using EntryMap = std::unordered_map<search::Config, const RecordedEntry*, ConfigHash>;

class RecordedPrepared : public Prepared {
 public:
  explicit RecordedPrepared(const RecordedEntry& recorded) : entry(recorded) {}
  const Facts& facts() const noexcept override { return entry.facts; }
  const RecordedEntry& entry;
};

class RecordedSession : public Session {
 public:
  RecordedSession(std::shared_ptr<const Recording> recording, EntryMap entries)
      : recording_(std::move(recording)), entries_(std::move(entries)) {}

  tl::expected<std::unique_ptr<Prepared>, Rejection> prepare(const search::Config& config,
                                                             const std::vector<CompiledModule>&) override {
    const auto found = entries_.find(config);
    if (found == entries_.end())
      return tl::unexpected(Rejection{
          Reason::not_applicable, fmt::format("constraint: not among the configurations of '{}'", recording_->path)});
    if (found->second->rejection) return tl::unexpected(*found->second->rejection);
    return std::make_unique<RecordedPrepared>(*found->second);
  }

  // Warm-up launches are not among recorded samples, so they use none up.
  tl::expected<Timing, Rejection> time(Prepared& prepared, int, int samples) override {
    const RecordedEntry& entry = static_cast<RecordedPrepared&>(prepared).entry;  // prepare() makes no others
    std::size_t& next = drawn_[&entry];
    Timing timing;
    for (int i = 0; i < samples; ++i) {
      timing.exhausted = next == drawable(entry);
      if (timing.exhausted) break;
      timing.samples_ns.push_back(entry.samples_ns[next++]);
      ++timing.launches;
      timing.launched_ns += timing.samples_ns.back();
    }
    return timing;
  }

  tl::expected<Verification, Rejection> verify(Prepared&, std::uint64_t seed) override {
    Verification verification;
    verification.seeds = {seed};
    return verification;
  }

  std::string_view verified_by() const noexcept override { return "recorded"; }
  bool context_lost() const noexcept override { return false; }

 private:
  std::shared_ptr<const Recording> recording_;  // shared with the device; entries_ points into it
  EntryMap entries_;
  std::unordered_map<const RecordedEntry*, std::size_t> drawn_;  // samples that were given out
};

std::string dims_text(const Dims& dims) {
  std::string text;
  for (const auto& [name, value] : dims) text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, value);
  return text;
}

// The recorded device's name as a word: letters and digits, others become '-'.
std::string slug(const std::string& name) {
  std::string word;
  for (const char c : name) {
    const bool keep = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (keep) word += c;
    if (!keep && !word.empty() && word.back() != '-') word += '-';
  }
  while (!word.empty() && word.back() == '-') word.pop_back();
  return word.empty() ? "device" : word;
}

class ReplayDevice : public Device {
 public:
  ReplayDevice(std::string_view path, std::shared_ptr<const Recording> recording) : recording_(std::move(recording)) {
    info_ = recording_->device;
    info_.kind = DeviceKind::replay;
    info_.id = fmt::format("replay:{}", path);
    info_.device_class = fmt::format("replay-{}-{}", slug(info_.name), recording_->digest.substr(0, 12));
    info_.uuid.clear();
  }

  const DeviceInfo& info() const noexcept override { return info_; }

  tl::expected<std::unique_ptr<Session>, Rejection> open(const SessionRequest& request, const PluginKernel*) override {
    const KernelSpec& spec = request.program->spec();
    if (spec.name != spec_name()) fail(fmt::format("it records kernel '{}', not '{}'", spec_name(), spec.name));
    return std::make_unique<RecordedSession>(recording_, entries_for(spec, size_for(request.dims)));
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw DeviceError(fmt::format("replay '{}': {}", recording_->path, problem));
  }

  std::string spec_name() const { return recording_->spec ? recording_->spec->name : spec_of(*recording_).name; }

  const RecordedSize& size_for(const Dims& dims) const {
    std::string known;
    for (const RecordedSize& size : recording_->sizes) {
      if (size.dims == dims) return size;
      known += fmt::format("{}{}", known.empty() ? "" : "; ", dims_text(size.dims));
    }
    fail(fmt::format("no size {} is recorded; recorded are {}", dims_text(dims), known));
  }

  // Recorded configurations in terms of the request's parameters: matched by name and value. What the request's space
  // does not have is left out; it will not be asked for.
  EntryMap entries_for(const KernelSpec& spec, const RecordedSize& size) const {
    std::vector<std::size_t> source;                               // by the request's parameter: recorded parameter
    std::vector<std::vector<std::optional<std::uint32_t>>> index;  // and by recorded value: its index
    for (const ParamSpec& param : spec.params) {
      source.push_back(recorded_param(param.name));
      index.push_back(indices_in(param, recording_->params[source.back()]));
    }
    if (spec.params.size() != recording_->params.size())
      fail(fmt::format("it has {} parameters, and kernel '{}' has {}", recording_->params.size(), spec.name,
                       spec.params.size()));
    EntryMap entries;
    for (const RecordedEntry& entry : size.entries) {
      search::Config config;
      for (std::size_t p = 0; p < source.size(); ++p)
        if (const auto value = index[p][entry.config[source[p]]]) config.push_back(*value);
      if (config.size() == source.size()) entries.emplace(std::move(config), &entry);
    }
    return entries;
  }

  std::size_t recorded_param(const std::string& name) const {
    const auto is_it = [&](const search::Param& param) { return param.name == name; };
    const auto found = std::find_if(recording_->params.begin(), recording_->params.end(), is_it);
    if (found == recording_->params.end()) fail(fmt::format("parameter '{}' is not recorded", name));
    return static_cast<std::size_t>(found - recording_->params.begin());
  }

  static std::vector<std::optional<std::uint32_t>> indices_in(const ParamSpec& param, const search::Param& recorded) {
    std::unordered_map<std::string, std::uint32_t> known;
    for (std::size_t i = 0; i < param.values.size(); ++i)
      known.emplace(literal_key(param.values[i]), static_cast<std::uint32_t>(i));
    std::vector<std::optional<std::uint32_t>> indices;
    for (const expr::Literal& value : recorded.values) {
      const auto found = known.find(literal_key(value));
      indices.push_back(found == known.end() ? std::nullopt : std::optional(found->second));
    }
    return indices;
  }

  std::shared_ptr<const Recording> recording_;  // shared with its sessions
  DeviceInfo info_;
};

}  // namespace

std::unique_ptr<Device> open_replay_device(std::string_view path) {
  auto recording = std::make_shared<const Recording>(read_recording(std::string(path)));
  return std::make_unique<ReplayDevice>(path, std::move(recording));
}

}  // namespace kerntune
