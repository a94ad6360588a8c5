// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <kerntune/core/catalogue.hpp>

#include "command.hpp"

namespace kerntune::app {

/// The store to use: `given`, else $KERNTUNE_DB, else $XDG_DATA_HOME/kerntune/kerntune.db, else
/// ~/.local/share/kerntune/kerntune.db. Errors: Error if none of these says where.
std::string store_path(const std::string& given);
/// The same, of a store that is there. Errors: Error saying what makes one.
std::string existing_store_path(const std::string& given);
inline constexpr const char* kStoreHelp =
    "Result store; default $KERNTUNE_DB, else $XDG_DATA_HOME/kerntune/kerntune.db, else "
    "~/.local/share/kerntune/kerntune.db";

/// Dims without the batch as the store writes them: "k=4096,n=4096".
std::string dims_text(const Dims& dims);

/// Errors: UsageError naming near kernels (find_kernel).
KernelEntry kernel_named(const std::string& name, const std::vector<std::string>& plugins,
                         const std::string& device = "");

/// Sizes that the kernel has, and not its batch. Errors: UsageError naming near ones; `where` starts the message.
void check_dims(const std::string& where, const KernelSpec& spec, const Dims& dims);

/// Before hours of work: that the file they end in can be written. Leaves nothing behind. Errors: Error; `doing` starts
/// the message.
void check_writable(const std::string& doing, const std::string& path);

/// `l2` and `mode` as given on the command line; an empty `l2` is cold on a GPU, warm on a host.
MeasurePolicy policy_for(const std::string& l2, const std::string& mode, const std::string& device);

}  // namespace kerntune::app
