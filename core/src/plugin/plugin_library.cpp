// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <kerntune/core/plugin_host.hpp>

#include "elf_file.hpp"
#include "library_loader.hpp"
#include "table_checks.hpp"

namespace kerntune {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
  throw PluginError(path, fmt::format("open plugin '{}': {}", path, what));
}

std::string view(kerntune_str text) { return {text.data, static_cast<std::size_t>(text.size)}; }

/// A bare name is looked for on the search path only, so that a file that happens to lie in the current directory is
/// never run.
std::string resolve(const std::string& path) {
  if (path.find('/') != std::string::npos) return fs::absolute(path).lexically_normal().string();
  const std::vector<std::string> folders = plugin_search_path();
  std::error_code ignored;
  for (const std::string& folder : folders) {
    for (const std::string& name : {path, path + ".so"}) {
      if (fs::path file = fs::path(folder) / name; fs::is_regular_file(file, ignored))
        return fs::absolute(file).lexically_normal().string();
    }
  }
  const char* const hint = fs::exists(path, ignored) ? "; for the file in the current directory say './" : "";
  refuse(path, fmt::format("expected it in one of [{}], found it in none{}{}{}", fmt::join(folders, ", "), hint,
                           *hint != '\0' ? path : "", *hint != '\0' ? "'" : ""));
}

/// Refuses, before any code of the file runs, what cannot be a plugin of this ABI.
ElfFacts inspect(const std::string& path) {
  ElfFacts facts;
  try {
    facts = read_elf(path);
  } catch (const ElfError& e) {
    refuse(path, e.what());
  }
  std::vector<std::string> extras;
  bool has_entry = false;
  for (const std::string& symbol : facts.exported) {
    if (symbol == KERNTUNE_ENTRY_SYMBOL) {
      has_entry = true;
    } else {
      extras.push_back(symbol);
    }
  }
  if (!has_entry) {
    constexpr std::string_view prefix = "kerntune_plugin_entry_v";
    const auto other = std::ranges::find_if(extras, [&](const std::string& s) { return s.starts_with(prefix); });
    if (other != extras.end()) {
      refuse(path, fmt::format("built for plugin ABI {}, this kerntune loads ABI {}; rebuild the plugin with this SDK",
                               other->substr(prefix.size()), KERNTUNE_ABI_MAJOR));
    }
    refuse(path,
           fmt::format("expected the exported symbol {}, found a shared object without it; is it a kerntune plugin?",
                       KERNTUNE_ENTRY_SYMBOL));
  }
  if (!extras.empty()) {
    const std::size_t shown = std::min<std::size_t>(extras.size(), 3);
    refuse(
        path,
        fmt::format(
            "expected {} to be the only exported symbol, found {} more ({}{}), which could bind to another plugin's; "
            "link with the SDK's kerntune_plugin.map (kerntune_add_plugin does)",
            KERNTUNE_ENTRY_SYMBOL, extras.size(),
            fmt::join(extras.begin(), extras.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
            extras.size() > shown ? ", ..." : ""));
  }
  return facts;
}

/// The spec and the callbacks must tell the same story.
void check_callbacks(const std::string& path, const KernelSpec& spec, const kerntune_kernel& kernel) {
  const int given =
      (kernel.prepare != nullptr ? 1 : 0) + (kernel.launch != nullptr ? 1 : 0) + (kernel.teardown != nullptr ? 1 : 0);
  const int expected = spec.is_source() ? 0 : 3;
  if (given != expected) {
    refuse(path, fmt::format("kernel '{}' is {} by its spec: expected {} of prepare, launch and teardown, found {}",
                             spec.name, spec.is_source() ? "source code" : "callable", expected == 0 ? "none" : "all",
                             given));
  }
  if (spec.reference.host != (kernel.reference != nullptr)) {
    refuse(path,
           fmt::format(
               R"(kernel '{}': the spec says "reference": {{"host": {}}}, but the table has {} reference callback)",
               spec.name, spec.reference.host, kernel.reference != nullptr ? "a" : "no"));
  }
}

std::vector<PluginKernel> describe_kernels(const std::string& path,
                                           const std::vector<const kerntune_kernel*>& kernels) {
  std::vector<PluginKernel> out;
  for (const kerntune_kernel* kernel : kernels) {
    try {
      KernelSpec spec = parse_spec({kernel->spec.data, static_cast<std::size_t>(kernel->spec.size)}, path);
      check_callbacks(path, spec, *kernel);
      out.emplace_back(kernel, std::move(spec));
    } catch (const SpecError& e) {
      refuse(path, fmt::format("kernel {} of {}: {}", out.size() + 1, kernels.size(), e.what()));
    }
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (out[i].spec().name == out[j].spec().name)
        refuse(path, fmt::format("two kernels are named '{}'; names must be unique", out[i].spec().name));
    }
  }
  return out;
}

/// Tables by library handle: the entry of a library may be called once only.
struct Opened {
  std::mutex mutex;
  std::map<void*, const kerntune_plugin*> tables;
};

const kerntune_plugin* call_entry_once(const LoadedLibrary& library) {
  static Opened opened;
  const std::scoped_lock lock(opened.mutex);
  auto [found, is_new] = opened.tables.try_emplace(library.handle, nullptr);
  if (is_new) found->second = library.entry();
  return found->second;
}

}  // namespace

PluginLibrary PluginLibrary::open(const std::string& path) {
  PluginLibrary out;
  out.path_ = resolve(path);
  out.build_id_ = inspect(out.path_).build_id;
  const LoadedLibrary library = load_library(out.path_);
  const kerntune_plugin* const table = call_entry_once(library);
  const std::vector<const kerntune_kernel*> kernels = check_table(out.path_, table, library.entry);
  out.name_ = view(table->name);
  out.version_ = view(table->version);
  out.kernels_ = describe_kernels(out.path_, kernels);
  return out;
}

const PluginKernel* PluginLibrary::find(std::string_view kernel) const noexcept {
  const auto found = std::ranges::find_if(kernels_, [&](const PluginKernel& k) { return k.spec().name == kernel; });
  return found != kernels_.end() ? &*found : nullptr;
}

}  // namespace kerntune
