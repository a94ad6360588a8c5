// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <kerntune/core/replay.hpp>

namespace kerntune {

/// Constraints from a `restrictions.json` beside the recording or one folder up, a map from any name to a list of
/// constraint texts: the first list that gives exactly the recorded set, tried with the names as they are and without
/// regard to case (KTT recordings write parameters in capitals). Nothing if no file or list fits. Errors: Error if a
/// restrictions file is there and malformed.
std::optional<std::vector<std::string>> find_restrictions(const Recording& recording);

/// True if the constraints give exactly the configurations that are recorded at every size.
bool gives_recorded_set(const Recording& recording, const std::vector<std::string>& constraints);

}  // namespace kerntune
