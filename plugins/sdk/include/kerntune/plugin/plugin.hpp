// SPDX-License-Identifier: Apache-2.0
// The kit for writing plugins in C++20: describe kernels with `kernel("name")...`, export them with KERNTUNE_PLUGIN.
//
//   using namespace kerntune::plugin;
//
//   void reference(const Call& call) { ... call.dim("n"), call.buffer<float>("y") ... }
//
//   static Kernel axpy() {
//     return kernel("axpy")
//         .batch("batch", {.min = 1, .max = 4096, .def = 64})
//         .param("block_x", {64, 128, 256}, 128, Role::block_x)
//         .in("x", DType::f32, "batch").inout("y", DType::f32, "batch")
//         .source({.file = "axpy.cu", .text = std::string(embedded::axpy_cu)})
//         .launch("axpy", {.grid = {"ceil_div(batch, block_x)"}, .args = {buffer("x"), buffer("y"), scalar(DType::i64,
//         "batch")}}) .reference<reference>();
//   }
//   KERNTUNE_PLUGIN("axpy", "1.0", axpy());
//
// docs/writing-plugins.md is the guide; plugins/examples holds complete ones, which the tests build and run.
#pragma once

#include <array>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <string_view>

#include <kerntune/plugin/abi.h>
#include <kerntune/plugin/call.hpp>
#include <kerntune/plugin/callbacks.hpp>
#include <kerntune/plugin/kernel.hpp>
#include <kerntune/plugin/spec.hpp>

#pragma GCC visibility push(hidden)
namespace kerntune::plugin::detail {

/// The plugin's tables, in its own image as the host demands. Zero-initialised, filled by the one call of the entry.
template <std::size_t N>
struct Tables {
  kerntune_plugin plugin;
  std::array<kerntune_kernel, N> kernels;
  std::array<const kerntune_kernel*, N> pointers;
  const std::array<std::string, N>* texts;  // never freed: they live as long as the process
};

/// Fills `tables`.
template <std::size_t N>
void fill(Tables<N>& tables, std::string_view name, std::string_view version, const std::array<Kernel, N>& kernels) {
  auto* const texts = new std::array<std::string, N>;
  tables.texts = texts;
  for (std::size_t i = 0; i < N; ++i) {
    (*texts)[i] = kernels[i].json();
    const Callbacks& callbacks = kernels[i].callbacks();
    tables.kernels[i] = {.struct_size = KERNTUNE_KERNEL_SIZE,
                         .reserved = 0,
                         .spec = borrow((*texts)[i]),
                         .prepare = callbacks.prepare,
                         .launch = callbacks.launch,
                         .teardown = callbacks.teardown,
                         .reference = callbacks.reference};
    tables.pointers[i] = &tables.kernels[i];
  }
  tables.plugin = {.struct_size = KERNTUNE_PLUGIN_SIZE,
                   .abi_major = KERNTUNE_ABI_MAJOR,
                   .abi_minor = KERNTUNE_ABI_MINOR,
                   .kernel_count = static_cast<std::uint32_t>(N),
                   .name = borrow(name),
                   .version = borrow(version),
                   .kernels = tables.pointers.data()};
}

/// Tag has internal linkage (see KERNTUNE_PLUGIN), and so has this function: its static can never be shared with
/// another plugin's, whatever the visibility it is compiled with. Returns null, with the reason on standard error, if a
/// kernel cannot be described.
template <class Tag, class Make>
const kerntune_plugin* describe(std::string_view name, std::string_view version, Make make) noexcept {
  static constinit Tables<std::tuple_size_v<decltype(make())>> tables{};
  const auto refuse = [&](const char* reason) -> const kerntune_plugin* {
    std::fprintf(stderr, "plugin '%.*s': describe its kernels: %s\n", static_cast<int>(name.size()), name.data(),
                 reason);
    return nullptr;
  };
  try {
    fill(tables, name, version, make());
    return &tables.plugin;
  } catch (const std::exception& e) {
    return refuse(e.what());
  } catch (...) {
    return refuse("something that is not a std::exception was thrown");
  }
}

}  // namespace kerntune::plugin::detail
#pragma GCC visibility pop

/// Exports the plugin: its name, its version (string literals) and its kernels (expressions of type Kernel). Once per
/// shared object.
#define KERNTUNE_PLUGIN(plugin_name, plugin_version, ...)                                                   \
  namespace {                                                                                               \
  struct KerntunePluginTag {};                                                                              \
  }                                                                                                         \
  extern "C" KERNTUNE_EXPORT const kerntune_plugin* kerntune_plugin_entry_v1(void) noexcept {               \
    return ::kerntune::plugin::detail::describe<KerntunePluginTag>(plugin_name, plugin_version,             \
                                                                   [] { return std::array{__VA_ARGS__}; }); \
  }                                                                                                         \
  static_assert(true)
