// SPDX-License-Identifier: Apache-2.0
// Scores the strategies on recorded spaces: the mean over seeds of optimum time / best time found after 20, 50, 100
// and 200 evaluations, failed ones included. Writes one row per file, strategy and number in flight, then the means.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "strategy_recording.hpp"

namespace {

using kerntune::search::Recording;

constexpr std::array<std::size_t, 4> kBudgets = {20, 50, 100, 200};
using Scores = std::array<double, kBudgets.size()>;

constexpr const char* kUsage =
    "usage: strategy_score [--seeds N] [--in-flight 1,8,16] [--strategies local,random] [--restrictions FILE] "
    "CACHE...\n"
    "  CACHE         Kernel Tuner cache files, .json or .json.gz\n"
    "  --restrictions  JSON: folder of the cache file -> constraint strings, for files that carry none\n";

struct Options {
  int seeds = 200;
  std::vector<std::size_t> in_flight = {1};
  std::vector<std::string> strategies;
  nlohmann::json restrictions = nlohmann::json::object();
  std::vector<std::string> files;
};

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> items;
  std::istringstream stream(list);
  for (std::string item; std::getline(stream, item, ',');) {
    items.push_back(item);
  }
  return items;
}

void set_option(Options& options, const std::string& name, const std::string& value) {
  if (name == "--seeds") {
    options.seeds = std::stoi(value);
  } else if (name == "--in-flight") {
    options.in_flight.clear();
    for (const std::string& item : split(value)) {
      options.in_flight.push_back(std::stoul(item));
    }
  } else if (name == "--strategies") {
    options.strategies = split(value);
  } else if (name == "--restrictions") {
    std::ifstream file(value);
    options.restrictions = nlohmann::json::parse(file);
  } else {
    throw std::runtime_error("unknown option " + name);
  }
}

Options parse(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].starts_with("--")) {
      options.files.push_back(arguments[i]);
    } else if (i + 1 == arguments.size()) {
      throw std::runtime_error("option " + arguments[i] + " needs a value");
    } else {
      set_option(options, arguments[i], arguments[i + 1]);
      ++i;
    }
  }
  if (options.files.empty()) {
    throw std::runtime_error("no cache file given");
  }
  if (options.strategies.empty()) {
    options.strategies = {"random", "local", "model"};
  }
  return options;
}

Recording read(const std::string& path, const Options& options) {
  const std::string folder = std::filesystem::path(path).parent_path().filename();
  const std::vector<std::string> constraints = options.restrictions.value(folder, std::vector<std::string>());
  Recording recording = kerntune::search::read_recording(path, constraints);
  recording.name = folder + "/" + std::filesystem::path(path).filename().stem().stem().string();
  return recording;
}

Scores score(const Recording& recording, const std::string& strategy, std::size_t in_flight, int seeds) {
  Scores sums = {};
  for (int seed = 0; seed < seeds; ++seed) {
    const auto run = kerntune::search::make_strategy(strategy, recording.space, static_cast<std::uint64_t>(seed));
    const std::vector<double> fractions =
        kerntune::search::search_recording(recording, *run, kBudgets.back(), in_flight);
    for (std::size_t i = 0; i < kBudgets.size(); ++i) {
      sums[i] += fractions.at(std::min(kBudgets[i], fractions.size()) - 1) / seeds;
    }
  }
  return sums;
}

void print(const std::string& strategy, std::size_t in_flight, const std::string& name, const Scores& scores) {
  std::printf("%-10s %3zu  %-32s", strategy.c_str(), in_flight, name.c_str());
  for (const double value : scores) {
    std::printf("  %.4f", value);
  }
  std::printf("\n");
}

void run(const Options& options) {
  std::vector<Recording> recordings;
  for (const std::string& file : options.files) {
    recordings.push_back(read(file, options));
  }
  std::printf("%-10s %3s  %-32s  %6d  %6d  %6d  %6d   (%d seeds)\n", "strategy", "fly", "space", 20, 50, 100, 200,
              options.seeds);
  for (const std::string& strategy : options.strategies) {
    for (const std::size_t in_flight : options.in_flight) {
      Scores mean = {};
      const std::clock_t start = std::clock();
      for (const Recording& recording : recordings) {
        const Scores scores = score(recording, strategy, in_flight, options.seeds);
        print(strategy, in_flight, recording.name, scores);
        for (std::size_t i = 0; i < scores.size(); ++i) {
          mean[i] += scores[i] / static_cast<double>(recordings.size());
        }
      }
      const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
      print(strategy, in_flight, "mean", mean);
      const double evaluations = static_cast<double>(recordings.size() * kBudgets.back()) * options.seeds;
      std::printf("%-10s %3zu  %.1f us per evaluation\n", strategy.c_str(), in_flight, seconds / evaluations * 1e6);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(parse({argv + 1, argv + argc}));
    return EXIT_SUCCESS;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "strategy_score: %s\n%s", error.what(), kUsage);
    return EXIT_FAILURE;
  }
}
