// SPDX-License-Identifier: Apache-2.0
#include "nvrtc_api.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <vector>

#include "nvrtc_path.hpp"
#include "shared_library.hpp"
#include "toolkit.hpp"

namespace kerntune::cuda {
namespace {

/// Fills the table; the name of the first function that is absent, or nothing.
std::string resolve(const SharedLibrary& library, NvrtcApi& api) {
  std::string missing;
  const auto take = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(library.symbol(name));
    if (function == nullptr && missing.empty()) missing = name;
  };
  take(api.version, "nvrtcVersion");
  take(api.error_string, "nvrtcGetErrorString");
  take(api.supported_arch_count, "nvrtcGetNumSupportedArchs");
  take(api.supported_archs, "nvrtcGetSupportedArchs");
  take(api.create_program, "nvrtcCreateProgram");
  take(api.destroy_program, "nvrtcDestroyProgram");
  take(api.add_name_expression, "nvrtcAddNameExpression");
  take(api.compile_program, "nvrtcCompileProgram");
  take(api.log_size, "nvrtcGetProgramLogSize");
  take(api.log, "nvrtcGetProgramLog");
  take(api.cubin_size, "nvrtcGetCUBINSize");
  take(api.cubin, "nvrtcGetCUBIN");
  take(api.ptx_size, "nvrtcGetPTXSize");
  take(api.ptx, "nvrtcGetPTX");
  take(api.lowered_name, "nvrtcGetLoweredName");
  return missing;
}

struct LoadedNvrtc {
  NvrtcApi api;
  std::string path;
  std::string why_not;  // empty: usable
};

LoadedNvrtc load_nvrtc() {
  LoadedNvrtc loaded;
  const SharedLibrary library = SharedLibrary::open_first(
      library_candidates({"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"}, "KERNTUNE_NVRTC"));
  if (!library) {
    loaded.why_not = fmt::format(
        "the CUDA compiler library libnvrtc cannot be loaded ({}); install the CUDA toolkit's NVRTC or set "
        "KERNTUNE_NVRTC "
        "to its path",
        library.why_not());
    return loaded;
  }
  if (const std::string missing = resolve(library, loaded.api); !missing.empty()) {
    loaded.why_not = fmt::format("'{}' has no {}: not an NVRTC of CUDA 12 or newer", library.name(), missing);
    return loaded;
  }
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(loaded.api.version), &info) != 0 && info.dli_fname != nullptr) {
    std::error_code ignored;
    loaded.path = std::filesystem::canonical(info.dli_fname, ignored).string();
  }
  loaded.api.version(&loaded.api.major, &loaded.api.minor);
  return loaded;
}

const LoadedNvrtc& loaded_nvrtc() {
  static const LoadedNvrtc once = load_nvrtc();
  return once;
}

}  // namespace

const NvrtcApi* nvrtc_api(std::string* why_not) {
  const LoadedNvrtc& nvrtc = loaded_nvrtc();
  if (nvrtc.why_not.empty()) return &nvrtc.api;
  if (why_not != nullptr) *why_not = nvrtc.why_not;
  return nullptr;
}

std::string nvrtc_path() { return loaded_nvrtc().path; }

}  // namespace kerntune::cuda
