// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cuda/cuda_device_impl.hpp"
#include "cuda_fake_driver.hpp"
#include "cuda_test_kernels.hpp"

namespace kerntune::cuda {

/// A CUDA device on the fake driver, with the kernel `add` of cuda_test_kernels.hpp.
class FakeDeviceTest : public testing::Test {
 protected:
  FakeDeviceTest() { driver.kernels["add"] = {add_body(), {8, 8, 8, 4}}; }

  /// What the kernel does if it is right.
  static std::function<CUresult(const FakeLaunch&)> add_body() {
    return [](const FakeLaunch& launch) {
      const auto *a = launch.argument<float*>(0), *b = launch.argument<float*>(1);
      auto* c = launch.argument<float*>(2);
      for (int i = 0; i < launch.argument<int>(3); ++i) c[i] = a[i] + b[i];
      return CUDA_SUCCESS;
    };
  }

  /// Cubins are never looked into by the fake: only names and digests count.
  static CompiledModule module_of(const std::string& digest = "digest", const std::string& entry = "add") {
    CompiledModule module;
    module.key = module.cubin_digest = digest;
    module.cubin = "cubin";
    module.entries[entry] = {entry, 32, 0, 16, 8, 0, 0};
    return module;
  }

  Device& device() {
    if (!device_) device_ = open_device(driver.api(), 0, [](const std::string&) { return module_of("engine"); });
    return *device_;
  }

  Session& open(const SessionRequest& request) {
    session_.reset();
    auto opened = device().open(request, with_plugin ? kernel.plugin.get() : nullptr);
    if (!opened) throw std::runtime_error(opened.error().message);
    session_ = std::move(*opened);
    return *session_;
  }
  Session& open(std::int64_t batch = 1000, MeasurePolicy policy = {}) {
    return open(testkernels::request_for(kernel, batch, policy));
  }

  SessionRequest request_with_runs(int runs, MeasurePolicy policy = {}) {
    SessionRequest request = testkernels::request_for(kernel, 1000, policy);
    request.runs_per_sample = runs;
    return request;
  }

  std::unique_ptr<Prepared> prepare(const std::string& config = "block=64",
                                    const CompiledModule& module = module_of()) {
    auto prepared = session_->prepare(testkernels::config_of(kernel, config), {module});
    if (!prepared) throw std::runtime_error(prepared.error().message);
    return std::move(*prepared);
  }

  Rejection rejected_prepare(const std::string& config = "block=64") {
    auto prepared = session_->prepare(testkernels::config_of(kernel, config), {module_of()});
    return prepared ? Rejection{Reason::internal_error, "it was prepared"} : prepared.error();
  }

  Rejection rejected_verify(Prepared& prepared, std::uint64_t seed = 1) {
    const auto verified = session_->verify(prepared, seed);
    return verified ? Rejection{Reason::internal_error, "it was verified"} : verified.error();
  }

  FakeDriver driver;
  testkernels::Kernel kernel = testkernels::kernel_of(
      testkernels::add_spec(testkernels::kAddParams, testkernels::kAddSteps, "", R"(, "reference": {"host": true})"));
  bool with_plugin = true;

  std::unique_ptr<Device> device_;
  std::unique_ptr<Session> session_;
};

}  // namespace kerntune::cuda
