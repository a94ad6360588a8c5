// SPDX-License-Identifier: Apache-2.0
#include <kerntune/core/worker.hpp>

#include "program.hpp"
#include "start_up.hpp"

int main(int argc, char** argv) {
  // Before anything else: a worker is this executable started again, and must not touch what the program sets up.
  if (kerntune::is_worker(argc, argv)) return kerntune::worker_main(argc, argv);
  kerntune::app::start_up();
  return kerntune::app::run_program(argc, argv);
}
