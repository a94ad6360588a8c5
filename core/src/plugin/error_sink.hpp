// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <string>

#include <kerntune/plugin/abi.h>
#include <kerntune/core/rejection.hpp>

/// The host's side of the opaque error sink: one per call into a plugin, on the caller's stack.
struct kerntune_error {
  std::mutex mutex;  // guards text: a callback may report from any of its threads
  std::string text;
};

namespace kerntune {

/// The services that every plugin of this process gets.
const kerntune_host& plugin_host_services() noexcept;

/// What a failed callback means for the configuration. `what` names the callback for the message.
Rejection rejection_from(kerntune_status status, kerntune_error& error, const char* what);

}  // namespace kerntune
