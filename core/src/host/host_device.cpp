// SPDX-License-Identifier: Apache-2.0
#include "host/host_device.hpp"

#include <cctype>
#include <fstream>

#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <kerntune/core/plugin_host.hpp>

namespace kerntune {
namespace {

std::string cpu_model() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  utsname names{};
  ::uname(&names);
  return names.machine;
}

/// CPUs that this process may use: its affinity mask, not what is in the machine.
int usable_cpus() {
  cpu_set_t set;
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
                                                       : static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
}

std::string slug(const std::string& text) {
  std::string result;
  for (const char letter : text) {
    const auto c = static_cast<unsigned char>(letter);
    if (std::isalnum(c) != 0) {
      result += static_cast<char>(std::tolower(c));
    } else if (!result.empty() && result.back() != '-') {
      result += '-';
    }
  }
  while (!result.empty() && result.back() == '-') result.pop_back();
  return result;
}

std::int64_t cache_bytes(int name) { return std::max<std::int64_t>(0, ::sysconf(name)); }

class HostDevice final : public Device {
 public:
  const DeviceInfo& info() const noexcept override { return info_; }
  tl::expected<std::unique_ptr<Session>, Rejection> open(const SessionRequest& request,
                                                         const PluginKernel* plugin) override {
    return open_host_session(request, info_, plugin);
  }

 private:
  DeviceInfo info_ = host_device_info();
};

}  // namespace

DeviceInfo host_device_info() {
  DeviceInfo info;
  info.kind = DeviceKind::host;
  info.id = "host";
  info.name = cpu_model();
  info.properties.cpu_cores = usable_cpus();
  info.properties.l2_bytes = cache_bytes(_SC_LEVEL2_CACHE_SIZE);
  info.device_class = fmt::format("host-{}-{}cpu", slug(info.name), info.properties.cpu_cores);
  utsname names{};
  ::uname(&names);
  info.driver = fmt::format("{} {}", names.sysname, names.release);
  info.memory_bytes =
      static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return info;
}

std::unique_ptr<Device> open_host_device() { return std::make_unique<HostDevice>(); }

}  // namespace kerntune
