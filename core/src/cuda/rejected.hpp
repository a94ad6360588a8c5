// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>
#include <type_traits>
#include <utility>

#include <tl/expected.hpp>

#include <kerntune/core/rejection.hpp>

namespace kerntune::cuda {

/// A configuration failed somewhere below a Session's function. Thrown inside the CUDA device only, so that a dozen
/// driver calls in a row need no plumbing; Session and Device functions catch it and return the Rejection.
class Rejected : public std::exception {
 public:
  explicit Rejected(Rejection rejection) : rejection_(std::move(rejection)) {}
  Rejected(Reason reason, std::string message) : rejection_{reason, std::move(message)} {}
  const char* what() const noexcept override { return rejection_.message.c_str(); }
  const Rejection& rejection() const noexcept { return rejection_; }

 private:
  Rejection rejection_;
};

/// The value, or the Rejection thrown.
template <typename T>
T accepted(tl::expected<T, Rejection> result) {
  if (!result) throw Rejected(std::move(result.error()));
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

}  // namespace kerntune::cuda
