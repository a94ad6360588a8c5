// SPDX-License-Identifier: Apache-2.0
// Asks a file that is not there: the answer is a fallback that says why, never an exception.
#include <cstdio>

#include <kerntune/query/tuned_configs.hpp>

int main() {
  const auto tuned = kerntune::query::TunedConfigs::open("/nonexistent/file.db");
  const auto decision = tuned.resolve({"sgemm", "k=1,n=1", "cuda-sm90", ""}).pick(8);
  std::printf("%s: %.*s\n", tuned.error().c_str(), static_cast<int>(decision.reason.size()), decision.reason.data());
  return !tuned.error().empty() && decision.found == kerntune::query::Found::fallback && !decision.reason.empty() ? 0
                                                                                                                  : 1;
}
