// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kerntune/core/device.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cuda/cuda_device.hpp"
#include "cuda_test_kernels.hpp"
#include "gpu_guard.hpp"

namespace kerntune::cuda {

/// Tests on a real GPU, with variants of the kernel `add`. The device is opened once per process.
class Gpu : public testing::Test {
 protected:
  void SetUp() override { KERNTUNE_NEEDS_GPU(); }

  static Device& device() {
    static const std::unique_ptr<Device> once = open_cuda_device(0);
    return *once;
  }
  static int compute_capability() { return static_cast<int>(device().info().properties.compute_capability); }

  void use(const std::string& json) { kernel = testkernels::kernel_of(json); }
  /// `add` with other code and parameters, compared with the host's sum.
  void use_add(const std::string& params, const std::string& steps, const std::string& text,
               const std::string& extra = "") {
    use(testkernels::add_spec(params, steps, text, R"(, "reference": {"host": true})" + extra));
  }

  Session& open(std::int64_t batch, MeasurePolicy policy = {}) {
    session.reset();
    auto opened = device().open(testkernels::request_for(kernel, batch, policy), kernel.plugin.get());
    if (!opened) throw std::runtime_error("open a session: " + opened.error().message);
    session = std::move(*opened);
    return *session;
  }

  CompiledModule compile(const std::string& config) {
    auto compiled = testkernels::compile(kernel, config, session_dims, device().info());
    if (!compiled) throw std::runtime_error("compile: " + compiled.error().message);
    return std::move(*compiled);
  }

  tl::expected<std::unique_ptr<Prepared>, Rejection> try_prepare(const std::string& config) {
    return session->prepare(testkernels::config_of(kernel, config), {compile(config)});
  }
  std::unique_ptr<Prepared> prepare(const std::string& config) {
    auto prepared = try_prepare(config);
    if (!prepared) throw std::runtime_error("prepare '" + config + "': " + prepared.error().message);
    return std::move(*prepared);
  }

  /// "" if the configuration verifies, else "reason: message".
  std::string verdict(const std::string& config, std::uint64_t seed = 1) {
    auto prepared = try_prepare(config);
    if (!prepared) return describe(prepared.error());
    const auto verified = session->verify(**prepared, seed);
    return verified ? "" : describe(verified.error());
  }
  static std::string describe(const Rejection& rejection) {
    return std::string(name_of(rejection.reason)) + ": " + rejection.message;
  }

  double median_ns(Prepared& prepared, int launches = 31) {
    auto timing = session->time(prepared, 2, launches);
    if (!timing) throw std::runtime_error("time: " + timing.error().message);
    std::ranges::sort(timing->samples_ns);
    return timing->samples_ns[timing->samples_ns.size() / 2];
  }

  testkernels::Kernel kernel;
  Dims session_dims{{"batch", 1000}};
  std::unique_ptr<Session> session;
};

}  // namespace kerntune::cuda
