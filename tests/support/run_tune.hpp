// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kerntune/core/tuner.hpp>

namespace kerntune::test {

/// A tuning run to its end: nobody watches, nobody stops it.
inline TuneReport run(const TuneRequest& request) {
  const StopFlag stop{0};
  return tune(request, {}, stop);
}

}  // namespace kerntune::test
