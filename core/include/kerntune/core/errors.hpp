// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace kerntune {

/// The environment is broken or the request cannot be carried out. Caught once per verb, in main.
/// A message says what was being done, to what, what was expected, what was found, and what to do; lower case, no full
/// stop:
///   open plugin '/x/gemm.so': built for plugin ABI 2, this kerntune loads ABI 1; rebuild the plugin with this SDK
/// What one configuration may do wrong (not compile, not launch, be wrong) is never an exception: see Rejection.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The command line or a request is wrong (exit code 2).
class UsageError : public Error {
 public:
  using Error::Error;
};

/// A kernel spec is malformed. The message starts with the place: kernel 'sgemm': params[3].values: ...
class SpecError : public Error {
 public:
  using Error::Error;
};

/// A plugin cannot be loaded or broke the contract.
class PluginError : public Error {
 public:
  PluginError(std::string path, const std::string& message) : Error(message), path_(std::move(path)) {}
  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

/// A device, driver or library that was asked for is not there or does not work (exit code 3).
class DeviceError : public Error {
 public:
  using Error::Error;
};

}  // namespace kerntune
