// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <kerntune/core/plugin_host.hpp>
#include <kerntune/core/spec_program.hpp>

namespace kernels_test {

/// Opens a plugin of plugins/kernels from where the program itself would find it.
inline kerntune::PluginLibrary open_plugin(const std::string& name) {
  for (const std::string& folder : kerntune::plugin_search_path()) {
    const std::filesystem::path file = std::filesystem::path(folder) / (name + ".so");
    if (std::filesystem::exists(file)) return kerntune::PluginLibrary::open(file.string());
  }
  throw std::runtime_error(name + ".so is in no folder of the plugin search path; set KERNTUNE_PLUGIN_PATH");
}

/// A kernel of a plugin that holds one, with its program.
struct Kernel {
  explicit Kernel(const std::string& name) : library(open_plugin(name)), program(library.kernels()[0].spec()) {}
  const kerntune::PluginKernel& plugin() const { return library.kernels()[0]; }
  kerntune::search::Config config(const std::string& text) const { return program.space().parse(text); }

  kerntune::PluginLibrary library;
  kerntune::SpecProgram program;
};

inline std::vector<float> random_floats(std::size_t count, unsigned seed, float low = -1, float high = 1) {
  std::mt19937 bits(seed);
  std::uniform_real_distribution<float> uniform(low, high);
  std::vector<float> values(count);
  for (float& value : values) value = uniform(bits);
  return values;
}

/// Named f32 buffers at a problem size, as a plugin's callbacks see them. Outputs start as NaN.
class Problem {
 public:
  explicit Problem(kerntune::Dims dims) : dims_(std::move(dims)) {}

  Problem& buffer(const std::string& name, std::vector<float> values) {
    names_.push_back(name);
    values_.push_back(std::move(values));
    return *this;
  }
  Problem& output(const std::string& name, std::size_t count) {
    return buffer(name, std::vector<float>(count, std::numeric_limits<float>::quiet_NaN()));
  }
  const std::vector<float>& operator[](std::size_t index) const { return values_[index]; }
  const kerntune::Dims& dims() const { return dims_; }

  /// What reference() computes. Errors: std::runtime_error with the plugin's text.
  void run_reference(const Kernel& kernel) {
    const auto buffers = bound();
    if (auto done = kernel.plugin().reference(call(kernel, buffers, nullptr)); !done) {
      throw std::runtime_error(done.error().message);
    }
  }
  /// Prepares `config`, launches it `times` times, tears it down.
  void run(const Kernel& kernel, const kerntune::search::Config& config, int times = 1) {
    const auto buffers = bound();
    auto prepared = kernel.plugin().prepare(call(kernel, buffers, &config));
    if (!prepared) throw std::runtime_error(prepared.error().message);
    for (int i = 0; i < times; ++i) {
      if (auto done = prepared->launch(nullptr); !done) throw std::runtime_error(done.error().message);
    }
  }

 private:
  std::vector<kerntune::BoundBuffer> bound() {
    std::vector<kerntune::BoundBuffer> buffers;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      buffers.push_back({names_[i], kerntune::DType::f32, values_[i].data(), values_[i].size()});
    }
    return buffers;
  }
  kerntune::PluginCall call(const Kernel& kernel, const std::vector<kerntune::BoundBuffer>& buffers,
                            const kerntune::search::Config* config) const {
    return {.device_kind = kerntune::DeviceKind::host,
            .device_ordinal = 0,
            .spec = &kernel.plugin().spec(),
            .dims = &dims_,
            .config = config,
            .buffers = buffers};
  }

  kerntune::Dims dims_;
  std::vector<std::string> names_;
  std::vector<std::vector<float>> values_;
};

/// What expressions read of an H200.
inline kerntune::DeviceProperties h200() {
  kerntune::DeviceProperties device;
  device.sm_count = 132;
  device.max_threads_per_block = 1024;
  device.max_threads_per_sm = 2048;
  device.max_blocks_per_sm = 32;
  device.shared_per_block = 48 * 1024;
  device.shared_per_block_optin = 227 * 1024;
  device.shared_per_sm = 228 * 1024;
  device.registers_per_block = device.registers_per_sm = 65536;
  device.l2_bytes = 60 << 20;
  device.warp_size = 32;
  device.compute_capability = 90;
  device.is_cuda = 1;
  device.cpu_cores = 16;
  return device;
}

/// A small GPU without opt-in shared memory or cp.async.
inline kerntune::DeviceProperties turing() {
  kerntune::DeviceProperties device = h200();
  device.sm_count = 40;
  device.max_threads_per_sm = 1024;
  device.shared_per_block_optin = 64 * 1024;
  device.shared_per_sm = 64 * 1024;
  device.compute_capability = 75;
  return device;
}

}  // namespace kernels_test
