// SPDX-License-Identifier: Apache-2.0
#include "cupti_api.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <type_traits>
#include <vector>

#include "cuda/shared_library.hpp"
#include "cuda/toolkit.hpp"

// Some functions' names are macros of a versioned name in driver headers; the text of what they stand for.
#define KERNTUNE_TEXT_OF(symbol) #symbol
#define KERNTUNE_TEXT(symbol) KERNTUNE_TEXT_OF(symbol)

namespace kerntune::cupti {
namespace {

struct LoadedCupti {
  CuptiApi api;
  bool usable = false;
  NoCupti why_not;
};

/// The name of the first function that is missing, or nothing.
std::string resolve(const cuda::SharedLibrary& library, CuptiApi& api) {
  std::string missing;
  const auto take = [&](auto& function, const char* symbol) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(library.symbol(symbol));
    if (function == nullptr && missing.empty()) missing = symbol;
  };
#define KERNTUNE_TAKE(member, symbol) take(api.member, KERNTUNE_TEXT(symbol));
  KERNTUNE_CUPTI_FUNCTIONS(KERNTUNE_TAKE)
#undef KERNTUNE_TAKE
  return missing;
}

std::string path_of(const CuptiApi& api) {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(api.get_version), &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code ignored;
  return std::filesystem::canonical(info.dli_fname, ignored).string();
}

/// CUPTI opens its library of chips and metrics by name when it is first asked for one. The loader's search may know
/// another toolkit's; the one that belongs to it is opened first, and then stands for the name.
void open_chips_beside(const std::string& cupti_path) {
  const auto beside = std::filesystem::path(cupti_path).parent_path() / "libnvperf_host.so";
  std::error_code ignored;
  if (std::filesystem::exists(beside, ignored))
    (void)cuda::SharedLibrary::open_first(std::vector<std::string>{beside.string()});
}

LoadedCupti load_cupti() {
  LoadedCupti loaded;
  const auto library = cuda::SharedLibrary::open_first(
      cuda::library_candidates({"libcupti.so.13", "libcupti.so.12", "libcupti.so"}, "KERNTUNE_CUPTI"));
  if (!library) {
    loaded.why_not.reason = fmt::format("libcupti cannot be loaded ({})", library.why_not());
    return loaded;
  }
  const std::string missing = resolve(library, loaded.api);
  if (loaded.api.get_version != nullptr) {
    loaded.api.path = path_of(loaded.api);
    std::uint32_t version = 0;
    if (loaded.api.get_version(&version) == CUPTI_SUCCESS) loaded.api.version = version_text(version);
  }
  open_chips_beside(loaded.api.path);
  if (!missing.empty()) {
    loaded.why_not = {
        .is_wrong_version = true,
        .reason = fmt::format("'{}' (CUPTI {}) has no {}, which CUPTI has since CUDA 12.6",
                              loaded.api.path.empty() ? library.name() : loaded.api.path,
                              loaded.api.version.empty() ? "of unknown version" : loaded.api.version, missing)};
    return loaded;
  }
  loaded.usable = true;
  return loaded;
}

}  // namespace

const CuptiApi* cupti_api(NoCupti* why_not) {
  static const LoadedCupti loaded = load_cupti();
  if (loaded.usable) return &loaded.api;
  if (why_not != nullptr) *why_not = loaded.why_not;
  return nullptr;
}

std::string version_text(std::uint32_t version) {
  switch (version) {  // counted up before CUDA 13; cupti_version.h says which is whose
    case 24:
      return "12.6";
    case 26:
      return "12.8";
    case 27:
      return "12.9";
    case 28:
      return "12.9.1";
    default:
      break;
  }
  if (version < 10000) return fmt::format("API {}", version);
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

CuptiError::CuptiError(const CuptiApi& api, CUptiResult code, std::string_view doing)
    : std::runtime_error([&] {
        const char* text = nullptr;
        if (api.result_text == nullptr || api.result_text(code, &text) != CUPTI_SUCCESS || text == nullptr)
          text = "unknown error";
        return fmt::format("{}: {} ({})", doing, text, static_cast<int>(code));
      }()),
      code_(code) {}

void check(const CuptiApi& api, CUptiResult code, std::string_view doing) {
  if (code != CUPTI_SUCCESS) throw CuptiError(api, code, doing);
}

}  // namespace kerntune::cupti
