// SPDX-License-Identifier: Apache-2.0
// main() of tests whose process is its own worker.
#include <gtest/gtest.h>

#include <kerntune/core/worker.hpp>

int main(int argc, char** argv) {
  if (kerntune::is_worker(argc, argv)) return kerntune::worker_main(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
