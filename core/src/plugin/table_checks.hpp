// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include <kerntune/plugin/abi.h>

namespace kerntune {

/// Checks, in an order in which each makes the next safe, that what a plugin's entry returned is what ABI 1 says:
/// major, struct sizes, reserved fields, and that the table, kernels and callbacks lie in the image that holds `entry`.
/// A table from elsewhere means that the linker merged two plugins' symbols, and that the kernel run would be another
/// plugin's. Returns the kernels in the table's order. Errors: PluginError naming `path`.
std::vector<const kerntune_kernel*> check_table(const std::string& path, const kerntune_plugin* table,
                                                decltype(&kerntune_plugin_entry_v1) entry);

}  // namespace kerntune
