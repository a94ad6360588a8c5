// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kerntune::testing {

/// How often the process has called operator new. Needs counting_new.cpp in the test program.
long allocations();

}  // namespace kerntune::testing
