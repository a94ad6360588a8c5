// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <kerntune/core/device.hpp>

namespace kerntune {

/// This machine's CPUs as a device: callable kernels, timed for real with the steady clock.
DeviceInfo host_device_info();
std::unique_ptr<Device> open_host_device();

/// host_session.cpp
tl::expected<std::unique_ptr<Session>, Rejection> open_host_session(const SessionRequest& request,
                                                                    const DeviceInfo& device,
                                                                    const PluginKernel* plugin);

}  // namespace kerntune
