// SPDX-License-Identifier: Apache-2.0
#include "table_checks.hpp"

#include <dlfcn.h>

#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include <kerntune/core/errors.hpp>

namespace kerntune {
namespace {

constexpr std::uint32_t kMaxKernels = 4096;
constexpr std::uint64_t kMaxSpecBytes = UINT64_C(64) << 20;
constexpr std::uint64_t kMaxNameBytes = 256;

/// Base address of the image that holds `address`; null for heap, stack and nowhere.
const void* image_of(const void* address) noexcept {
  Dl_info info{};
  return ::dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

std::string image_name(const void* address) {
  Dl_info info{};
  return ::dladdr(address, &info) != 0 && info.dli_fname != nullptr ? fmt::format("'{}'", info.dli_fname)
                                                                    : "no library";
}

class TableCheck {
 public:
  TableCheck(const std::string& path, const void* entry) : path_(path), image_(image_of(entry)) {}

  void plugin(const kerntune_plugin* table) const {
    if (table == nullptr) refuse("its entry returned no table; its reason, if it gave one, is on standard error");
    inside("the table", table, sizeof table->struct_size + 3 * sizeof(std::uint32_t));
    if (table->abi_major != KERNTUNE_ABI_MAJOR) {
      refuse(fmt::format("built for plugin ABI {}.{}, this kerntune loads ABI {}.x; rebuild the plugin with this SDK",
                         table->abi_major, table->abi_minor, KERNTUNE_ABI_MAJOR));
    }
    size("the table", table->struct_size, KERNTUNE_PLUGIN_SIZE);
    inside("the table", table, table->struct_size);
    text("the plugin's name", table->name, kMaxNameBytes);
    text("the plugin's version", table->version, kMaxNameBytes);
    if (table->kernel_count == 0 || table->kernel_count > kMaxKernels) {
      refuse(fmt::format("expected 1 to {} kernels, found {}", kMaxKernels, table->kernel_count));
    }
    inside("the list of kernels", static_cast<const void*>(table->kernels), table->kernel_count * sizeof(void*));
  }

  void kernel(std::uint32_t index, const kerntune_kernel* kernel) const {
    const std::string what = fmt::format("kernel {}", index);
    inside(what, kernel, sizeof kernel->struct_size);
    size(what, kernel->struct_size, KERNTUNE_KERNEL_SIZE);
    inside(what, kernel, kernel->struct_size);
    if (kernel->reserved != 0) refuse(fmt::format("{}: reserved fields must be 0, found {}", what, kernel->reserved));
    text(what + "'s spec", kernel->spec, kMaxSpecBytes);
    callback(what, "prepare", reinterpret_cast<const void*>(kernel->prepare));
    callback(what, "launch", reinterpret_cast<const void*>(kernel->launch));
    callback(what, "teardown", reinterpret_cast<const void*>(kernel->teardown));
    callback(what, "reference", reinterpret_cast<const void*>(kernel->reference));
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw PluginError(path_, fmt::format("open plugin '{}': {}", path_, what));
  }

  void inside(const std::string& what, const void* data, std::uint64_t bytes) const {
    if (data == nullptr) refuse(what + " is a null pointer");
    const void* const last = static_cast<const char*>(data) + bytes - 1;
    if (image_of(data) == image_ && image_of(last) == image_) return;
    refuse(
        fmt::format("{} must be static data of the plugin, found in {}; two plugins may share a symbol: compile with "
                    "-fvisibility=hidden and link with the SDK's kerntune_plugin.map (kerntune_add_plugin does)",
                    what, image_name(data)));
  }

  void size(const std::string& what, std::uint32_t found, std::uint32_t expected) const {
    if (found < expected) {
      refuse(fmt::format("{} must state a struct_size of at least {} bytes, found {}; rebuild the plugin with this SDK",
                         what, expected, found));
    }
  }

  void callback(const std::string& what, std::string_view name, const void* function) const {
    if (function == nullptr || image_of(function) == image_) return;
    refuse(fmt::format("{}: {} must be a function of the plugin, found in {}", what, name, image_name(function)));
  }

  /// Texts may be static or allocated, but never another library's.
  void text(const std::string& what, kerntune_str text, std::uint64_t max) const {
    if (text.size == 0 || text.size > max)
      refuse(fmt::format("{} must have 1 to {} bytes, found {}", what, max, text.size));
    if (text.data == nullptr) refuse(what + " is a null pointer");
    const void* const image = image_of(text.data);
    if (image != nullptr && image != image_)
      refuse(fmt::format("{} must be the plugin's own, found in {}", what, image_name(text.data)));
  }

  const std::string& path_;
  const void* image_;
};

}  // namespace

std::vector<const kerntune_kernel*> check_table(const std::string& path, const kerntune_plugin* table,
                                                decltype(&kerntune_plugin_entry_v1) entry) {
  const TableCheck check(path, reinterpret_cast<const void*>(entry));
  check.plugin(table);
  std::vector<const kerntune_kernel*> kernels(table->kernels, table->kernels + table->kernel_count);
  for (std::uint32_t i = 0; i < table->kernel_count; ++i) check.kernel(i, kernels[i]);
  return kernels;
}

}  // namespace kerntune
