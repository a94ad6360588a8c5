// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include <kerntune/core/errors.hpp>
#include <kerntune/core/replay.hpp>

#include "replay/config_hash.hpp"
#include "spec/kernel_name.hpp"

namespace kerntune {
namespace {

search::ParamSpace build_space(const Recording& recording) {
  try {
    return search::ParamSpace::build(recording.params, recording.constraints.value_or(std::vector<std::string>{}));
  } catch (const search::SpaceError& error) {
    throw Error(fmt::format("read recording '{}': {}", recording.path, error.what()));
  }
}

const RecordedSize& size_at(const Recording& recording, std::size_t index) {
  if (index < recording.sizes.size()) return recording.sizes[index];
  throw Error(fmt::format("read recording '{}': size {} was asked for, and {} are recorded", recording.path, index,
                          recording.sizes.size()));
}

std::vector<Dim> dims_of(const Recording& recording) {
  std::vector<Dim> dims;
  for (const auto& [name, value] : recording.sizes.front().dims)
    dims.push_back({name, value, name == "batch", value, value});
  for (Dim& dim : dims) {
    for (const RecordedSize& size : recording.sizes) {
      const auto found = size.dims.find(dim.name);
      if (found == size.dims.end()) continue;
      dim.min = std::min(dim.min, found->second);
      dim.max = std::max(dim.max, found->second);
    }
  }
  const auto is_batch = [](const Dim& dim) { return dim.batch; };
  if (std::none_of(dims.begin(), dims.end(), is_batch)) dims.push_back({"batch", 1, true, 1, 1});
  return dims;
}

// The first measured configuration stands for what runs untuned; the first of all if none was measured.
const RecordedEntry& default_entry(const RecordedSize& size) {
  const auto is_measured = [](const RecordedEntry& entry) { return !entry.rejection; };
  const auto found = std::find_if(size.entries.begin(), size.entries.end(), is_measured);
  return found == size.entries.end() ? size.entries.front() : *found;
}

}  // namespace

RecordedSpace::RecordedSpace(std::shared_ptr<const Recording> recording, std::size_t size)
    : recording_(std::move(recording)), size_(&size_at(*recording_, size)), space_(build_space(*recording_)) {
  entries_.reserve(size_->entries.size());
  for (const RecordedEntry& entry : size_->entries) entries_.emplace(entry.config, &entry);
  const auto is_in_space = [&](const RecordedEntry& entry) { return space_.contains(entry.config); };
  exact_ =
      space_.count() == size_->entries.size() && std::all_of(size_->entries.begin(), size_->entries.end(), is_in_space);
}

std::size_t drawable(const RecordedEntry& entry) noexcept {
  return entry.samples_ns.size() - entry.samples_ns.size() / 2;
}

double truth_ns(const RecordedEntry& entry) {
  const std::size_t held_back = std::max<std::size_t>(1, entry.samples_ns.size() / 2);
  Samples held(entry.samples_ns.end() - static_cast<std::ptrdiff_t>(held_back), entry.samples_ns.end());
  std::ranges::sort(held);
  return (held[(held_back - 1) / 2] + held[held_back / 2]) / 2;
}

const RecordedEntry* RecordedSpace::find(const search::Config& config) const {
  const auto found = entries_.find(config);
  return found == entries_.end() ? nullptr : found->second;
}

std::size_t RecordedSpace::ConfigHash::operator()(const search::Config& config) const noexcept {
  return hash_of(config);
}

KernelSpec spec_of(const Recording& recording) {
  if (recording.spec) return *recording.spec;
  KernelSpec spec;
  spec.name = as_kernel_name(recording.kernel);
  spec.revision = "recording " + recording.digest;
  spec.summary = fmt::format("recorded on {} ({})", recording.device.name, name_of(recording.format));
  spec.dims = dims_of(recording);
  spec.constraints = recording.constraints.value_or(std::vector<std::string>{});
  const RecordedSize& size = recording.sizes.front();
  if (size.entries.empty())
    throw Error(fmt::format("read recording '{}': no configuration is recorded", recording.path));
  const search::Config& config = default_entry(size).config;
  for (std::size_t p = 0; p < recording.params.size(); ++p) {
    const search::Param& param = recording.params[p];
    spec.params.push_back({param.name, param.values, param.values[config[p]], Role::none, ""});
  }
  SourceCode code;
  code.unavailable = fmt::format("it is a recording ('{}')", recording.path);
  spec.code = std::move(code);
  return spec;
}

}  // namespace kerntune
