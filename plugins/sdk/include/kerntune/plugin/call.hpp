// SPDX-License-Identifier: Apache-2.0
// What a callback of a plugin receives, and how it fails. Authors include <kerntune/plugin/plugin.hpp>.
#pragma once

#include <concepts>
#include <cstdint>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <kerntune/plugin/abi.h>

#pragma GCC visibility push(hidden)
namespace kerntune::plugin {

/// This configuration, size or device cannot run: an answer, not a fault. The text is the reason that users read.
class Unsupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A CUDA or library call failed. The text names the call and the error.
class DeviceFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace detail {

inline std::string_view view(kerntune_str text) noexcept { return {text.data, static_cast<std::size_t>(text.size)}; }
inline kerntune_str borrow(std::string_view text) noexcept { return {text.data(), text.size()}; }

/// True if elements of type T are how a buffer of `dtype` is read. f16 and bf16 are read as their bits.
template <class T>
constexpr bool reads(std::int32_t dtype) noexcept {
  switch (dtype) {
    case KERNTUNE_F32:
      return std::same_as<T, float>;
    case KERNTUNE_F64:
      return std::same_as<T, double>;
    case KERNTUNE_F16:
    case KERNTUNE_BF16:
      return std::same_as<T, std::uint16_t>;
    case KERNTUNE_I8:
      return std::same_as<T, std::int8_t>;
    case KERNTUNE_U8:
      return std::same_as<T, std::uint8_t>;
    case KERNTUNE_I32:
      return std::same_as<T, std::int32_t>;
    case KERNTUNE_U32:
      return std::same_as<T, std::uint32_t>;
    case KERNTUNE_I64:
      return std::same_as<T, std::int64_t>;
    case KERNTUNE_U64:
      return std::same_as<T, std::uint64_t>;
    default:
      return false;
  }
}

template <class T>
T convert(std::string_view name, const kerntune_value& value) {
  const auto fail = [&](const char* expected) {
    return std::invalid_argument("parameter '" + std::string(name) + "' is not " + expected);
  };
  if constexpr (std::same_as<T, std::string_view> || std::same_as<T, std::string>) {
    if (value.kind != KERNTUNE_VALUE_STRING) throw fail("a string");
    return T(view(value.string));
  } else if constexpr (std::same_as<T, bool>) {
    const bool whole = value.kind == KERNTUNE_VALUE_BOOLEAN || value.kind == KERNTUNE_VALUE_INTEGER;
    if (!whole || (value.integer != 0 && value.integer != 1)) throw fail("a boolean, 0 or 1");
    return value.integer == 1;
  } else if constexpr (std::integral<T>) {
    const bool whole = value.kind == KERNTUNE_VALUE_BOOLEAN || value.kind == KERNTUNE_VALUE_INTEGER;
    if (!whole || !std::in_range<T>(value.integer)) throw fail("an integer of the type asked for");
    return static_cast<T>(value.integer);
  } else {
    static_assert(std::floating_point<T>, "param<T>: T is an integer, real, bool, std::string or std::string_view");
    if (value.kind == KERNTUNE_VALUE_STRING) throw fail("a number");
    return static_cast<T>(value.kind == KERNTUNE_VALUE_REAL ? value.real : static_cast<double>(value.integer));
  }
}

}  // namespace detail

/// One configuration at one problem size. Valid only during the call that received it; the memory behind the buffers
/// stays valid, and at the same address, until the callable is destroyed. Errors: every look-up throws
/// std::invalid_argument for a name that the spec does not have or another type than it has.
class Call {
 public:
  Call(const kerntune_host* host, const kerntune_call* call) noexcept : host_(host), call_(call) {}

  bool on_cuda() const noexcept { return call_->device_kind == KERNTUNE_DEVICE_CUDA; }
  /// The CUDA device's number; its context is current on this thread. 0 on the host.
  int device() const noexcept { return call_->device_ordinal; }

  std::int64_t dim(std::string_view name) const {
    for (const kerntune_dim& dim : std::span(call_->dims, call_->dim_count)) {
      if (detail::view(dim.name) == name) return dim.value;
    }
    throw missing("dim", name);
  }

  /// T: any integer type, a real type, bool, std::string, or std::string_view (borrowed for the call).
  template <class T = std::int64_t>
  T param(std::string_view name) const {
    for (const kerntune_named_value& param : std::span(call_->config, call_->config_count)) {
      if (detail::view(param.name) == name) return detail::convert<T>(name, param.value);
    }
    throw missing("parameter", name);
  }

  /// Elements of a buffer: device memory for CUDA callables, host memory for host callables and references.
  /// T may be const; f16 and bf16 are std::uint16_t bit patterns.
  template <class T>
  std::span<T> buffer(std::string_view name) const {
    const kerntune_buffer& found = find(name);
    if (!detail::reads<std::remove_const_t<T>>(found.dtype)) {
      throw std::invalid_argument("buffer '" + std::string(name) + "' has another element type than the one asked for");
    }
    return {static_cast<T*>(found.data), static_cast<std::size_t>(found.count)};
  }

  /// Writes one line to the run's log.
  void log(std::string_view line, std::int32_t level = KERNTUNE_LOG_INFO) const noexcept {
    host_->log(level, detail::borrow(line));
  }

 private:
  static std::invalid_argument missing(const char* what, std::string_view name) {
    return std::invalid_argument(std::string("the spec has no ") + what + " '" + std::string(name) + "'");
  }
  const kerntune_buffer& find(std::string_view name) const {
    for (const kerntune_buffer* buffer : std::span(call_->buffers, call_->buffer_count)) {
      if (detail::view(buffer->name) == name) return *buffer;
    }
    throw missing("buffer", name);
  }

  const kerntune_host* host_;
  const kerntune_call* call_;
};

namespace detail {

/// Hands the text of a failure to the host, which copies it.
inline kerntune_status fail(const kerntune_host* host, kerntune_error* error, kerntune_status status,
                            std::string_view text) noexcept {
  host->set_error(error, borrow(text));
  return status;
}

/// Runs `body` and turns whatever it throws into a status and a text: no exception crosses the boundary.
template <class Body>
kerntune_status guarded(const kerntune_host* host, kerntune_error* error, Body&& body) noexcept {
  try {
    std::forward<Body>(body)();
    return KERNTUNE_OK;
  } catch (const Unsupported& e) {
    return fail(host, error, KERNTUNE_UNSUPPORTED, e.what());
  } catch (const DeviceFailure& e) {
    return fail(host, error, KERNTUNE_DEVICE_ERROR, e.what());
  } catch (const std::bad_alloc&) {
    return fail(host, error, KERNTUNE_OUT_OF_MEMORY, "the plugin ran out of host memory");
  } catch (const std::invalid_argument& e) {
    return fail(host, error, KERNTUNE_INVALID_ARGUMENT, e.what());
  } catch (const std::exception& e) {
    return fail(host, error, KERNTUNE_INTERNAL_ERROR, e.what());
  } catch (...) {
    return fail(host, error, KERNTUNE_INTERNAL_ERROR, "the plugin threw something that is not a std::exception");
  }
}

}  // namespace detail
}  // namespace kerntune::plugin
#pragma GCC visibility pop
