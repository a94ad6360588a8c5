// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <kerntune/core/conformance.hpp>
#include <kerntune/core/plugin_host.hpp>
#include <kerntune/core/spec_program.hpp>

namespace kerntune {

/// Where one kernel's checks go, and what they share.
class KernelChecks {
 public:
  KernelChecks(const PluginKernel& plugin_kernel, const SpecProgram& spec_program, const ConformanceOptions& opts,
               std::vector<ConformanceCheck>& out)
      : kernel(plugin_kernel), program(spec_program), options(opts), out_(out) {}

  const KernelSpec& spec() const noexcept { return program.spec(); }
  void pass(std::string name, std::string message) {
    add(ConformanceCheck::Status::pass, std::move(name), std::move(message));
  }
  void fail(std::string name, std::string message) {
    add(ConformanceCheck::Status::fail, std::move(name), std::move(message));
  }
  void skip(std::string name, std::string message) {
    add(ConformanceCheck::Status::skip, std::move(name), std::move(message));
  }

  const PluginKernel& kernel;
  const SpecProgram& program;
  const ConformanceOptions& options;

 private:
  void add(ConformanceCheck::Status status, std::string name, std::string message) {
    out_.push_back({status, spec().name, std::move(name), std::move(message)});
  }
  std::vector<ConformanceCheck>& out_;
};

/// Batches at which a claim about the whole range is tried, sorted: all of them where there are at most 4096; else the
/// ends, the powers of two, their neighbours, and `random` more. `all` says which.
struct BatchSample {
  std::vector<std::int64_t> batches;
  bool all = false;
  std::string text() const;  // "all 64 batches", "297 batches of 1..65536"
  std::int64_t min = 0, max = 0;
};
BatchSample sample_batches(const Dim& batch, int random, std::uint64_t seed);

/// conformance_geometry.cpp: applicability, buffers and launches of the default on each device.
void check_geometry(KernelChecks& checks);
/// conformance_compile.cpp: the default configuration and the reference kernel through options.compile.
void check_compilation(KernelChecks& checks);
/// conformance_host.cpp: launches of a host callable.
void check_host_runs(KernelChecks& checks);

}  // namespace kerntune
