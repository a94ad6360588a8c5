// SPDX-License-Identifier: Apache-2.0
// kerntune_make_golden FILE: writes the golden database of the current schema. FILE must not exist.
#include <cstdio>
#include <exception>
#include <filesystem>

#include <kerntune/storage/result_store.hpp>

#include "golden_content.hpp"

int main(int argc, char** argv) {
  using namespace kerntune;
  if (argc != 2 || std::filesystem::exists(argv[1])) {
    std::fprintf(stderr, "usage: %s FILE, which must not exist\n", argv[0]);
    return 2;
  }
  try {
    auto store = storage::ResultStore::open(argv[1], storage::ResultStore::Mode::create);
    const auto run = testing::golden_run();
    const auto started = testing::golden_started();
    storage::RunRecord begun = run;
    begun.ended_unix_us.reset();
    begun.outcome.clear();
    store.begin_run(begun);
    store.commit(testing::golden_evaluations(), {&started, 1});
    kerntune::testing::record_winner(store, testing::golden_history());
    for (const auto& record : testing::golden_finals()) kerntune::testing::record_winner(store, record);
    store.end_run(run.run_id, *run.ended_unix_us, run.outcome);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
