// SPDX-License-Identifier: Apache-2.0
#include "module_cache.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kerntune::cuda {

LoadedModule::LoadedModule(Context& context, const CompiledModule& module)
    : context_(context), digest_(module.cubin_digest) {
  if (module.cubin.empty()) throw Rejected(Reason::internal_error, "load a compiled kernel: there is no code in it");
  context_.check(context_.api().module_load(&module_, module.cubin.data()), "load the compiled kernel");
}

LoadedModule::~LoadedModule() { context_.api().module_unload(module_); }

CUfunction LoadedModule::function(const std::string& lowered_name) {
  CUfunction function = nullptr;
  context_.check(context_.api().module_function(&function, module_, lowered_name.c_str()),
                 fmt::format("find kernel '{}'", lowered_name));
  return function;
}

LoadedModule::Global LoadedModule::global(const std::string& symbol) {
  Global global;
  context_.check(
      context_.api().module_global(&global.address, &global.bytes, module_, symbol.c_str()),
      fmt::format(
          "find symbol '{}' (is it declared in an anonymous namespace, or with C++ linkage in a namespace, or never "
          "used?)",
          symbol));
  return global;
}

std::shared_ptr<LoadedModule> ModuleCache::load(const CompiledModule& module) {
  const auto known =
      std::ranges::find_if(recent_, [&](const auto& loaded) { return loaded->digest() == module.cubin_digest; });
  if (known != recent_.end()) {
    recent_.splice(recent_.begin(), recent_, known);
    return recent_.front();
  }
  recent_.push_front(std::make_shared<LoadedModule>(context_, module));
  if (recent_.size() > kKept) recent_.pop_back();
  return recent_.front();
}

void ModuleCache::drop_idle() {
  std::erase_if(recent_, [](const auto& loaded) { return loaded.use_count() == 1; });
}

}  // namespace kerntune::cuda
