// SPDX-License-Identifier: Apache-2.0
// Turns an author's class or function into the callbacks of the ABI. Authors include <kerntune/plugin/plugin.hpp>.
#pragma once

#include <concepts>

#include <kerntune/plugin/abi.h>
#include <kerntune/plugin/call.hpp>

struct CUstream_st;  // CUstream and cudaStream_t both point to it

#pragma GCC visibility push(hidden)
namespace kerntune::plugin {

/// A callable kernel: the constructor prepares a configuration, launch() runs it once, the destructor frees.
/// launch takes a CUstream / cudaStream_t on CUDA, and may take nothing on the host.
template <class T>
concept Callable = std::constructible_from<T, const Call&> && std::destructible<T> &&
                   (requires(T t, CUstream_st* stream) { t.launch(stream); } || requires(T t) { t.launch(); });

namespace detail {

struct Callbacks {
  decltype(kerntune_kernel::prepare) prepare = nullptr;
  decltype(kerntune_kernel::launch) launch = nullptr;
  decltype(kerntune_kernel::teardown) teardown = nullptr;
  decltype(kerntune_kernel::reference) reference = nullptr;
};

template <Callable T>
struct CallableThunks {
  struct State {
    const kerntune_host* host;  // launch is not given it; it lives as long as the process
    T object;
    State(const kerntune_host* h, const Call& call) : host(h), object(call) {}
  };

  static kerntune_status prepare(const kerntune_host* host, const kerntune_call* call, void** state,
                                 kerntune_error* error) noexcept {
    return guarded(host, error, [&] { *state = new State(host, Call(host, call)); });
  }
  static kerntune_status launch(void* state, void* stream, kerntune_error* error) noexcept {
    State& prepared = *static_cast<State*>(state);
    return guarded(prepared.host, error, [&] { run(prepared.object, stream); });
  }
  static void teardown(void* state) noexcept { delete static_cast<State*>(state); }

 private:
  static void run(T& object, void* stream) {
    if constexpr (requires(CUstream_st* s) { object.launch(s); }) {
      object.launch(static_cast<CUstream_st*>(stream));
    } else {
      object.launch();
    }
  }
};

template <auto Function>
kerntune_status reference_thunk(const kerntune_host* host, const kerntune_call* call, kerntune_error* error) noexcept {
  return guarded(host, error, [&] { Function(Call(host, call)); });
}

}  // namespace detail
}  // namespace kerntune::plugin
#pragma GCC visibility pop
