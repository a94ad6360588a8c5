// SPDX-License-Identifier: Apache-2.0
#include "cuda_device.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <kerntune/core/errors.hpp>

#include "cuda_device_impl.hpp"
#include "cuda_session.hpp"
#include "device_info.hpp"
#include "nvml_facts.hpp"
#include "nvrtc_api.hpp"

namespace kerntune {
namespace cuda {
namespace {

void require_architecture(const DeviceInfo& info) {
  if (info.properties.compute_capability >= 70) return;
  throw DeviceError(fmt::format("open device '{}': {} has compute capability {}.{}, 7.0 or newer is needed", info.id,
                                info.name, info.properties.compute_capability / 10,
                                info.properties.compute_capability % 10));
}

class CudaDevice final : public Device {
 public:
  CudaDevice(const DriverApi& api, int ordinal, const EngineCompiler& compile_engine, const NvmlApi* nvml)
      : context_(api, ordinal), info_(describe_device(api, ordinal)), nvml_(nvml) {
    require_architecture(info_);
    kernels_ = std::make_unique<EngineKernels>(context_, compile_engine(info_.arch));
    info_.peak_bytes_per_s = measure_copy_bandwidth(context_, info_.memory_bytes);
    if (nvml_ != nullptr) info_.board = board_facts(*nvml_, info_.uuid);  // the device is awake now
  }

  const DeviceInfo& info() const noexcept override { return info_; }

  std::string shared_with() const override {
    if (nvml_ == nullptr) return {};
    return other_users(compute_processes(*nvml_, info_.uuid), static_cast<unsigned>(::getpid()), 1);
  }

  std::optional<GpuState> gpu_state() const override {
    return nvml_ == nullptr ? std::nullopt : cuda::gpu_state(*nvml_, info_.uuid);
  }

  tl::expected<std::unique_ptr<Session>, Rejection> open(const SessionRequest& request,
                                                         const PluginKernel* plugin) override {
    try {
      context_.make_current();
      return std::make_unique<CudaSession>(context_, *kernels_, profiler_, info_, request, plugin);
    } catch (const Rejected& rejected) {
      return tl::unexpected(rejected.rejection());
    }
  }

 private:
  Context context_;
  DeviceInfo info_;
  const NvmlApi* nvml_;
  std::unique_ptr<EngineKernels> kernels_;
  std::shared_ptr<cupti::ProfilerOwner> profiler_;  // shared, as builds without CUPTI do not know the type
};

}  // namespace

std::unique_ptr<Device> open_device(const DriverApi& api, int ordinal, const EngineCompiler& compile_engine,
                                    const NvmlApi* nvml) {
  const std::string doing = fmt::format("open device 'cuda:{}'", ordinal);
  require(api, api.init(0), doing);
  int count = 0;
  require(api, api.device_count(&count), doing);
  if (ordinal < 0 || ordinal >= count)
    throw DeviceError(fmt::format("{}: there is no such device; the driver shows {}", doing, count));
  try {
    return std::make_unique<CudaDevice>(api, ordinal, compile_engine, nvml);
  } catch (const Rejected& rejected) {
    throw DeviceError(fmt::format("{}: {}", doing, rejected.what()));
  }
}

std::vector<DeviceInfo> list_devices(const DriverApi& api, std::vector<std::string>& unavailable, const NvmlApi* nvml) {
  int count = 0;
  CUresult asked = api.init(0);
  if (asked == CUDA_SUCCESS) asked = api.device_count(&count);
  if (asked != CUDA_SUCCESS || count == 0) {
    unavailable.push_back(
        fmt::format("no CUDA device: {}", asked != CUDA_SUCCESS ? describe(api, asked) : "the driver shows none"));
    return {};
  }
  std::vector<DeviceInfo> devices;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    try {
      devices.push_back(describe_device(api, ordinal));
      if (nvml != nullptr) devices.back().board = board_facts(*nvml, devices.back().uuid);
    } catch (const DeviceError& error) {
      unavailable.emplace_back(error.what());
    }
  }
  return devices;
}

}  // namespace cuda

std::unique_ptr<Device> open_cuda_device(int ordinal) {
  std::string why_not;
  const cuda::DriverApi* api = cuda::driver_api(&why_not);
  if (api == nullptr) throw DeviceError(fmt::format("open device 'cuda:{}': {}", ordinal, why_not));
  return cuda::open_device(*api, ordinal, cuda::compile_engine_kernels, cuda::nvml_api());
}

std::vector<DeviceInfo> list_cuda_devices(std::vector<std::string>& unavailable) {
  std::string why_not;
  std::vector<DeviceInfo> devices;
  if (const cuda::DriverApi* api = cuda::driver_api(&why_not))
    devices = cuda::list_devices(*api, unavailable, cuda::nvml_api());
  else
    unavailable.push_back(fmt::format("no CUDA device: {}", why_not));
  if (cuda::nvrtc_api(&why_not) == nullptr)
    unavailable.push_back(fmt::format("no compilation of CUDA kernels: {}", why_not));
  return devices;
}

}  // namespace kerntune
