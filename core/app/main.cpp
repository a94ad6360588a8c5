// SPDX-License-Identifier: Apache-2.0
#include <kerntune/core/worker.hpp>

#include "program.hpp"

int main(int argc, char** argv) {
  // Before anything else: a worker is this executable started again, and must not touch what the program sets up.
  if (kerntune::is_worker(argc, argv)) return kerntune::worker_main(argc, argv);
  return kerntune::app::run_program(argc, argv);
}
