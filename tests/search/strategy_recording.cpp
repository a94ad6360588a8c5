// SPDX-License-Identifier: Apache-2.0
#include "strategy_recording.hpp"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <memory>
#include <stdexcept>

#include <nlohmann/json.hpp>

namespace kerntune::search {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kFailed = std::numeric_limits<double>::infinity();

std::string read_gzip(const std::string& path) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (!file) {
    throw std::runtime_error("cannot read " + path);
  }
  std::string text;
  std::vector<char> block(1 << 20);
  for (int got = 0; (got = gzread(file.get(), block.data(), static_cast<unsigned>(block.size()))) > 0;) {
    text.append(block.data(), static_cast<std::size_t>(got));
  }
  return text;
}

expr::Literal literal_of(const Json& value) {
  if (value.is_number_integer()) {
    return value.get<std::int64_t>();
  }
  if (value.is_number()) {
    return value.get<double>();
  }
  return value.is_boolean() ? expr::Literal(value.get<bool>()) : expr::Literal(value.get<std::string>());
}

std::vector<Param> params_of(const Json& json) {
  std::vector<Param> params;
  for (const Json& key : json.at("tune_params_keys")) {
    Param param = {key.get<std::string>(), {}};
    for (const Json& value : json.at("tune_params").at(param.name)) {
      param.values.push_back(literal_of(value));
    }
    params.push_back(std::move(param));
  }
  return params;
}

// The key of a cache entry lists the values in parameter order: "16,1,1,1,0".
Config config_of(const std::string& key, const Json& json) {
  Config config;
  std::size_t begin = 0;
  for (const Json& param : json.at("tune_params_keys")) {
    const std::size_t end = std::min(key.find(',', begin), key.size());
    const Json& values = json.at("tune_params").at(param.get<std::string>());
    const std::string text = key.substr(begin, end - begin);
    const auto found = std::ranges::find_if(values, [&](const Json& value) { return value.dump() == text; });
    config.push_back(static_cast<std::uint32_t>(found - values.begin()));
    begin = end + 1;
  }
  return config;
}

}  // namespace

Feedback Recording::look_up(const Config& config) const {
  const double time_ns = times_ns.at(static_cast<std::size_t>(space.index_of(config).value()));
  return time_ns == kFailed ? Feedback{Feedback::Status::rejected, 0} : Feedback{Feedback::Status::measured, time_ns};
}

Recording read_recording(const std::string& path, const std::vector<std::string>& constraints) {
  const Json json = Json::parse(read_gzip(path));
  const auto own = json.value("restrictions", constraints);
  Recording recording = {path, ParamSpace::build(params_of(json), own), {}, kFailed};
  const Json& cache = json.at("cache");
  if (recording.space.count() != cache.size()) {
    throw std::runtime_error(path + ": " + std::to_string(cache.size()) +
                             " configurations recorded, but the constraints give " +
                             to_string(recording.space.count()));
  }
  recording.times_ns.assign(cache.size(), kFailed);
  for (const auto& [key, entry] : cache.items()) {
    const Json& time_ms = entry.at("time");
    const auto index = recording.space.index_of(config_of(key, json));
    if (!index) {
      throw std::runtime_error(path + ": recorded configuration " + key + " violates the constraints");
    }
    if (time_ms.is_number()) {
      recording.times_ns[static_cast<std::size_t>(*index)] = time_ms.get<double>() * 1e6;
    }
  }
  recording.optimum_ns = *std::ranges::min_element(recording.times_ns);
  return recording;
}

std::vector<double> search_recording(const Recording& recording, Strategy& strategy, std::size_t budget,
                                     std::size_t in_flight) {
  std::deque<Config> flying;
  std::vector<double> fractions;
  double best_ns = kFailed;
  while (fractions.size() < budget) {
    while (flying.size() < in_flight && fractions.size() + flying.size() < budget) {
      const Strategy::Proposal proposal = strategy.propose();
      if (proposal.answer != Strategy::Answer::config) {
        break;
      }
      flying.push_back(proposal.config);
    }
    if (flying.empty()) {
      break;
    }
    const Feedback feedback = recording.look_up(flying.front());
    strategy.observe(flying.front(), feedback);
    flying.pop_front();
    best_ns = feedback.status == Feedback::Status::measured ? std::min(best_ns, feedback.time_ns) : best_ns;
    fractions.push_back(recording.optimum_ns / best_ns);
  }
  return fractions;
}

}  // namespace kerntune::search
