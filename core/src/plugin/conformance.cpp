// SPDX-License-Identifier: Apache-2.0
#include <kerntune/core/conformance.hpp>

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include <kerntune/core/errors.hpp>
#include <kerntune/search/rng.hpp>

#include "conformance_parts.hpp"

namespace kerntune {
namespace {

constexpr std::int64_t kTryAllUpTo = 4096;

void check_space(KernelChecks& checks) {
  const search::ParamSpace& space = checks.program.space();
  const auto& errors = space.evaluation_errors();
  const std::string note =
      errors.count == 0
          ? std::string()
          : fmt::format("; {} combinations rejected because a constraint could not be evaluated, first: {}",
                        errors.count, errors.first);
  const std::string size =
      fmt::format("{} of {:.0f} combinations are valid{}", search::to_string(space.count()), space.product(), note);
  if (space.empty()) return checks.fail("the space is not empty", size + "; loosen the constraints");
  checks.pass("the space is not empty", size);
  const search::Config config = checks.program.default_config();
  if (!space.contains(config)) {
    return checks.fail("the default configuration is in the space",
                       fmt::format("{} violates a constraint; choose other defaults", space.text(config)));
  }
  checks.pass("the default configuration is in the space", space.text(config));
}

void check_reference(KernelChecks& checks) {
  constexpr const char* kName = "results can be verified";
  if (!checks.spec().reference.any()) {
    return checks.skip(kName,
                       "the spec has no reference: results will be compared with the default's only, and not published "
                       "without an override");
  }
  checks.pass(kName,
              checks.spec().reference.host ? "against the plugin's reference function" : "against a reference kernel");
}

void check_kernel(const PluginKernel& kernel, const ConformanceOptions& options, std::vector<ConformanceCheck>& out) {
  const std::string name = kernel.spec().name;
  try {
    const SpecProgram program(kernel.spec());
    KernelChecks checks(kernel, program, options, out);
    check_space(checks);
    check_reference(checks);
    if (program.space().empty()) return;
    check_geometry(checks);
    check_compilation(checks);
    check_host_runs(checks);
  } catch (const std::exception& e) {  // SpecError, SpaceError: the spec itself
    out.push_back({ConformanceCheck::Status::fail, name, "the spec is valid", e.what()});
  }
}

}  // namespace

std::string_view name_of(ConformanceCheck::Status status) noexcept {
  switch (status) {
    case ConformanceCheck::Status::pass:
      return "pass";
    case ConformanceCheck::Status::skip:
      return "skip";
    default:
      return "fail";
  }
}

bool ConformanceReport::passed() const noexcept {
  return std::ranges::none_of(checks, [](const auto& check) { return check.status == ConformanceCheck::Status::fail; });
}

std::string BatchSample::text() const {
  return all ? fmt::format("all {} batches {}..{}", batches.size(), min, max)
             : fmt::format("{} batches of {}..{}", batches.size(), min, max);
}

BatchSample sample_batches(const Dim& batch, int random, std::uint64_t seed) {
  BatchSample sample{.batches = {}, .all = batch.max - batch.min < kTryAllUpTo, .min = batch.min, .max = batch.max};
  std::set<std::int64_t> batches;
  const auto add = [&](std::int64_t value) {
    if (value >= batch.min && value <= batch.max) batches.insert(value);
  };
  if (sample.all) {
    for (std::int64_t value = batch.min; value <= batch.max; ++value) add(value);
  } else {
    for (const std::int64_t end : {batch.min, batch.min + 1, batch.max - 1, batch.max}) add(end);
    for (int bit = 0; bit < 62; ++bit) {
      for (const std::int64_t step : {-1, 0, 1}) add((INT64_C(1) << bit) + step);
    }
    search::Rng rng(seed);
    for (int i = 0; i < random; ++i)
      add(batch.min + static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(batch.max - batch.min) + 1)));
  }
  sample.batches.assign(batches.begin(), batches.end());
  return sample;
}

ConformanceReport check_plugin(const std::string& path, const ConformanceOptions& options) {
  ConformanceReport report;
  report.path = path;
  constexpr const char* kLoads = "the plugin loads";
  try {
    const PluginLibrary library = PluginLibrary::open(path);
    report.path = library.path();
    report.plugin_name = library.name();
    report.plugin_version = library.version();
    report.plugin_build_id = library.build_id();
    report.checks.push_back({ConformanceCheck::Status::pass, "", kLoads,
                             fmt::format("{} {} with {} kernel{}", library.name(), library.version(),
                                         library.kernels().size(), library.kernels().size() == 1 ? "" : "s")});
    if (library.build_id().empty()) {
      report.checks.push_back(
          {ConformanceCheck::Status::fail, "", "the plugin has a build-id",
           "none found: results of callables could not be told apart from an older build's; link with -Wl,--build-id"});
    } else {
      report.checks.push_back({ConformanceCheck::Status::pass, "", "the plugin has a build-id", library.build_id()});
    }
    for (const PluginKernel& kernel : library.kernels()) check_kernel(kernel, options, report.checks);
  } catch (const Error& e) {
    report.checks.push_back({ConformanceCheck::Status::fail, "", kLoads, e.what()});
  }
  return report;
}

}  // namespace kerntune
