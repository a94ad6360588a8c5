// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <kerntune/core/tuner.hpp>
#include <kerntune/storage/result_store.hpp>

#include "engine/context.hpp"
#include "engine/final.hpp"

namespace kerntune {

/// What runs now at this size on this device, first choice first: the deployed winner (request.incumbent_path), else
/// the newest winner of the store, whatever code it was found with; last the default. Winners that the space no longer
/// has cannot run and are left out. Errors: StorageError.
std::vector<Incumbent> incumbents_of(const TuneRequest& request, const TuningContext& context, const Dims& dims,
                                     const storage::ResultStore& store);

}  // namespace kerntune
