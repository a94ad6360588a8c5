// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kerntune/core/device.hpp>

#include "spec/json_document.hpp"

namespace kerntune {

/// The "device" object of our recordings. Errors: JsonError.
JsonValue device_to_value(const DeviceInfo& device);
DeviceInfo read_device(const JsonCursor& cursor);

}  // namespace kerntune
