// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "program.hpp"

#if __has_include(<kerntune/core/worker.hpp>)
#include <kerntune/core/worker.hpp>
#else
namespace kerntune {
int worker_main(int argc, char** argv);
}
#endif

int main(int argc, char** argv) {
  // Before anything else: a worker is this executable started again, and must not touch what the program sets up.
  if (argc > 1 && std::string_view(argv[1]) == "--kerntune-worker") return kerntune::worker_main(argc, argv);
  return kerntune::app::run_program(argc, argv);
}
