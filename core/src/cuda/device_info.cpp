// SPDX-License-Identifier: Apache-2.0
#include "device_info.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "device_memory.hpp"
#include "stream_tools.hpp"

namespace kerntune::cuda {
namespace {

constexpr std::uint64_t kGiB = UINT64_C(1) << 30;

/// Attributes of one device, by the driver.
class Attributes {
 public:
  Attributes(const DriverApi& api, CUdevice device) : api_(api), device_(device) {}
  int operator()(CUdevice_attribute which) const {
    int value = 0;
    require(api_, api_.device_attribute(&value, which, device_),
            fmt::format("read attribute {} of the device", static_cast<int>(which)));
    return value;
  }

 private:
  const DriverApi& api_;
  CUdevice device_;
};

DeviceProperties properties_of(const Attributes& attribute) {
  DeviceProperties properties;
  properties.sm_count = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  properties.max_threads_per_block = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  properties.max_threads_per_sm = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  properties.max_blocks_per_sm = attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
  properties.shared_per_block = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  properties.shared_per_block_optin = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  properties.shared_per_sm = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  properties.registers_per_block = attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
  properties.registers_per_sm = attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  properties.l2_bytes = attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  properties.warp_size = attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  properties.compute_capability = 10 * attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                                  attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  properties.is_cuda = 1;
  return properties;
}

std::string uuid_text(const CUuuid& uuid) {
  std::string text = "GPU";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

/// "580.159" from the kernel module's first line; empty where /proc does not show it.
std::string kernel_module_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  for (std::string word; file >> word;) {
    const bool is_number =
        word.find('.') != std::string::npos && word.find_first_not_of("0123456789.") == std::string::npos;
    if (is_number) return word;
  }
  return {};
}

std::string driver_text(const DriverApi& api) {
  int version = 0;
  api.driver_version(&version);
  const std::string cuda = fmt::format("{}.{}", version / 1000, version % 1000 / 10);
  const std::string module = kernel_module_version();
  return module.empty() ? cuda : fmt::format("{} ({})", cuda, module);
}

}  // namespace

std::string class_key(const ClassFacts& facts) {
  const std::uint64_t memory_gib = (facts.memory_bytes + 8 * kGiB - 1) / (8 * kGiB) * 8;
  return fmt::format("cuda-sm{}-{}sm-l2:{}-smem:{}-regs:{}-bus:{}-memclk:{}-mem:{}", facts.compute_capability,
                     facts.sm_count, facts.l2_bytes, facts.shared_per_block_optin, facts.registers_per_sm,
                     facts.bus_bits, facts.memory_clock_khz / 1000, memory_gib);
}

int fp32_lanes_per_sm(int compute_capability) noexcept {
  switch (compute_capability) {
    case 70:
    case 72:
    case 75:
    case 80:
      return 64;
    case 86:
    case 87:
    case 88:
    case 89:
    case 90:
    case 100:
    case 101:
    case 103:
    case 110:
    case 120:
    case 121:
      return 128;
    default:
      return 0;
  }
}

DeviceInfo describe_device(const DriverApi& api, int ordinal) {
  const std::string doing = fmt::format("describe device 'cuda:{}'", ordinal);
  CUdevice device = 0;
  require(api, api.device_get(&device, ordinal), doing);
  const Attributes attribute(api, device);
  DeviceInfo info;
  info.kind = DeviceKind::cuda;
  info.id = fmt::format("cuda:{}", ordinal);
  char name[256] = {};
  require(api, api.device_name(name, sizeof name, device), doing);
  info.name = name;
  CUuuid uuid{};
  require(api, api.device_uuid(&uuid, device), doing);
  info.uuid = uuid_text(uuid);
  std::size_t memory = 0;
  require(api, api.device_memory(&memory, device), doing);
  info.memory_bytes = memory;
  info.properties = properties_of(attribute);
  info.arch = fmt::format("sm_{}", info.properties.compute_capability);
  info.driver = driver_text(api);

  const DeviceProperties& properties = info.properties;
  const int capability = static_cast<int>(properties.compute_capability);
  info.device_class = class_key({capability, static_cast<int>(properties.sm_count), properties.l2_bytes,
                                 properties.shared_per_block_optin, properties.registers_per_sm,
                                 attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH),
                                 attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE), memory});
  const double clock_hz = 1e3 * attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  info.peak_flop_per_s_f32 = 2.0 * static_cast<double>(properties.sm_count) * fp32_lanes_per_sm(capability) * clock_hz;
  return info;
}

double measure_copy_bandwidth(Context& context, std::uint64_t memory_bytes) {
  constexpr int kCopies = 5;
  const std::uint64_t bytes = std::min<std::uint64_t>(kGiB / 2, memory_bytes / 16);
  try {
    const DeviceMemory from(context, bytes, "measuring the copy bandwidth"),
        to(context, bytes, "measuring the copy bandwidth");
    EventPool events(context, 2);
    double best = 0;
    for (int i = 0; i <= kCopies; ++i) {  // the first warms up
      events.record(0);
      context.check(context.api().copy_on_device(to.address(), from.address(), bytes, context.stream()),
                    "measure the copy bandwidth");
      events.record(1);
      context.synchronize("measure the copy bandwidth");
      const double duration_ns = events.elapsed_ns(0, 1);
      if (i > 0 && duration_ns > 0) best = std::max(best, 2e9 * static_cast<double>(bytes) / duration_ns);
    }
    return best;
  } catch (const Rejected&) {
    return 0;  // another process holds the memory: a roofline less
  }
}

}  // namespace kerntune::cuda
