// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include <functional>
#include <string>

#include <kerntune/core/counters.hpp>

#include "cupti_api.hpp"

namespace kerntune::cupti {

/// What the ladder asks of the world, so that tests can answer.
struct Surroundings {
  const CuptiApi* api = nullptr;  // null: `no_cupti` says why
  NoCupti no_cupti;
  int ordinal = 0;             // the device, as CUPTI and the driver count
  int compute_capability = 0;  // 90
  bool mps = false;            // this process is a client of a Multi-Process Service
  bool is_admin = false;       // root, or has CAP_SYS_ADMIN
  std::string driver_params;   // text of /proc/driver/nvidia/params; empty if it cannot be read
};

/// Those of this process and device `ordinal`.
Surroundings real_surroundings(int ordinal, int compute_capability);

/// Climbs as far as one can without touching the device: library, architecture, chip, kind of device. `usable` then
/// means that nothing speaks against it; whether the driver grants it only a trial tells. The driver's own setting goes
/// into the reason as a hint if this process is no administrator.
CounterAccess climb(const Surroundings& surroundings);

/// What the failure of a trial, or of a session, means. `access` is the climb's.
CounterAccess access_after(CounterAccess access, const Surroundings& surroundings, const CuptiError& error);

}  // namespace kerntune::cupti
