// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <random>
#include <thread>

#include <kerntune/query/tuned_configs.hpp>
#include <kerntune/storage/result_store.hpp>

#include "sqlite_db.hpp"
#include "support/child.hpp"
#include "support/sample_records.hpp"
#include "support/temp_dir.hpp"

namespace kerntune::storage {
namespace {

using namespace kerntune::testing;
using Mode = ResultStore::Mode;

constexpr int kStores = 8, kKillsPerStore = 25;

std::string config_of(std::int64_t i) { return "i=" + std::to_string(i); }

// Commits evaluations first, first + 1, ... and a winner every fourth time; writes each number once it is committed.
[[noreturn]] void commit_for_ever(const std::string& path, std::int64_t first, int acknowledge) {
  try {
    auto store = ResultStore::open(path, Mode::read_write);
    for (std::int64_t i = first;; ++i) {
      const auto finished = sample_evaluation(config_of(i));
      const auto started = sample_started(config_of(i + 1));
      store.commit({&finished, 1}, {&started, 1});
      if (i % 4 == 0) kerntune::testing::record_winner(store, sample_final(i % 64 + 1));
      if (::write(acknowledge, &i, sizeof i) != sizeof i) ::_exit(2);
    }
  } catch (const std::exception& error) {
    ::write(2, error.what(), std::string_view(error.what()).size());
    ::_exit(3);
  }
}

enum class From { the_start, the_first_commit };

// Lets a child commit, kills it a while after it started or first committed, and gives the last number it acknowledged.
std::int64_t kill_a_writer(const std::string& path, std::int64_t first, From from, std::chrono::microseconds after) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) commit_for_ever(path, first, ends[1]);
  ::close(ends[1]);
  std::int64_t last = first - 1, next = 0;
  if (from == From::the_first_commit && ::read(ends[0], &next, sizeof next) == sizeof next) last = next;
  std::this_thread::sleep_for(after);
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status)) << "the child ended by itself";
  while (::read(ends[0], &next, sizeof next) == sizeof next) last = next;
  ::close(ends[0]);
  return last;
}

struct Tally {
  std::int64_t committed = 0;
  int interrupted = 0;
};

// What the file must be after a kill; counts the rows and the kills that met a commit half-way.
void check_after_kill(const std::string& path, std::int64_t acknowledged, Tally& tally) {
  const std::string journal = path + "-journal";
  if (std::filesystem::exists(journal) && std::filesystem::file_size(journal) > 0) {
    ++tally.interrupted;
    EXPECT_EQ(query::TunedConfigs::open(path).error(), "");  // before anyone repairs the file
  }
  auto db = sqlite::Connection::open(path, sqlite::Connection::Access::read_write, std::chrono::seconds(1));
  auto check = db.query("PRAGMA integrity_check");
  ASSERT_TRUE(check.step());
  ASSERT_EQ(check.text(0), "ok");
  const auto stored = db.integer("SELECT count(*) FROM evaluation WHERE config LIKE 'i=%'");  // the others are proofs
  ASSERT_TRUE(stored == acknowledged || stored == acknowledged + 1) << stored << ", acknowledged " << acknowledged;
  tally.committed = stored;
}

// Several stores, so that they stay small and are also killed while young.
TEST(StoreKill, ReopensWithEveryAcknowledgedCommit) {
  const TempDir dir;
  std::mt19937_64 chance(7);
  int interrupted = 0;
  for (int number = 0; number < kStores; ++number) {
    const std::string path = dir.file(std::to_string(number) + ".db");
    {
      const auto created = ResultStore::open(path, Mode::create);
    }
    Tally tally;
    for (int i = 0; i < kKillsPerStore; ++i) {
      const auto delay = std::chrono::microseconds(chance() % 5'000);
      const From from = i % 5 == 0 ? From::the_start : From::the_first_commit;
      const auto acknowledged = kill_a_writer(path, tally.committed + 1, from, delay);
      ASSERT_NO_FATAL_FAILURE(check_after_kill(path, acknowledged, tally));
    }
    const auto store = ResultStore::open(path, Mode::read_only);
    for (std::int64_t i = 1; i <= tally.committed; ++i) EXPECT_TRUE(store.find(sample_key(config_of(i)))) << i;
    EXPECT_EQ(store.leftovers("").size(), tally.committed > 0 ? 1u : 0u);
    EXPECT_GE(tally.committed, kKillsPerStore * 4 / 5);  // at least one per kill that waited for one
    interrupted += tally.interrupted;
  }
  EXPECT_GT(interrupted, 0);
  RecordProperty("interrupted_commits", interrupted);
}

}  // namespace
}  // namespace kerntune::storage
