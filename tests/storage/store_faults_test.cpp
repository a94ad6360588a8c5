// SPDX-License-Identifier: Apache-2.0
// Every change that SQLite makes to a file fails once, in every place it can.
#include <gmock/gmock.h>
#include <sqlite3.h>

#include <random>

#include <kerntune/storage/result_store.hpp>

#include "sqlite_db.hpp"
#include "support/faulty_vfs.hpp"
#include "support/files.hpp"
#include "support/sample_records.hpp"
#include "support/temp_dir.hpp"

namespace kerntune::storage {
namespace {

using namespace kerntune::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;
using Mode = ResultStore::Mode;

class StoreFaults : public ::testing::Test {
 protected:
  void SetUp() override {
    auto store = ResultStore::open(path, Mode::create);
    commit(store, 0);
  }
  // Commit i finishes evaluation i and starts the next.
  static void commit(ResultStore& store, int i) {
    const auto finished = sample_evaluation("tile=" + std::to_string(i));
    const auto started = sample_started("tile=" + std::to_string(i + 1));
    store.commit({&finished, 1}, {&started, 1});
  }
  // Of a store after commits 0 to n-1; the nth may or may not be there.
  void expect_state(int n, const char* where) {
    SCOPED_TRACE(where);
    {
      auto db = sqlite::Connection::open(path, sqlite::Connection::Access::read_write, std::chrono::seconds(1));
      auto check = db.query("PRAGMA integrity_check");
      ASSERT_TRUE(check.step());
      ASSERT_EQ(check.text(0), "ok");
    }
    const auto store = ResultStore::open(path, Mode::read_write);
    const auto count = static_cast<int>(store.recent("", 1000).size());
    ASSERT_TRUE(count == n || count == n + 1) << count << " instead of " << n;
    ASSERT_EQ(store.leftovers("").size(), 1u);
    EXPECT_EQ(store.leftovers("")[0].key.config, "tile=" + std::to_string(count));
  }

  TempDir dir;
  std::string path = dir.file("a.db");
};

class EveryFault : public StoreFaults,
                   public ::testing::WithParamInterface<std::tuple<FaultyVfs::Lasts, int, const char*>> {};

TEST_P(EveryFault, IsReportedAndLeavesNothingHalfWritten) {
  const auto& [lasts, code, text] = GetParam();
  int committed = 1;
  int faults = 0;
  for (long nth = 0;; ++nth) {
    std::string message;
    bool struck = false;
    {
      FaultyVfs vfs;
      auto store = ResultStore::open(path, Mode::read_write);
      vfs.fail_change(nth, lasts, code);
      try {
        commit(store, committed);
        ++committed;
      } catch (const StorageError& error) {
        message = error.what();
        EXPECT_NE(error.sqlite_code(), 0);
      }
      struck = vfs.struck();
      vfs.fail_change(-1, lasts, code);
    }
    if (!struck) break;
    ++faults;
    expect_state(committed, message.c_str());
    if (!message.empty()) {
      EXPECT_THAT(message, AllOf(HasSubstr("'" + path + "'"), HasSubstr(text), HasSubstr("stored")));
    }
    committed = static_cast<int>(ResultStore::open(path, Mode::read_only).recent("", 1000).size());
  }
  EXPECT_GT(faults, 5);
}

INSTANTIATE_TEST_SUITE_P(Disk, EveryFault,
                         ::testing::Values(std::tuple(FaultyVfs::Lasts::once, SQLITE_FULL, "full"),
                                           std::tuple(FaultyVfs::Lasts::from_then_on, SQLITE_FULL, "full"),
                                           std::tuple(FaultyVfs::Lasts::once, SQLITE_IOERR, ""),
                                           std::tuple(FaultyVfs::Lasts::from_then_on, SQLITE_IOERR, "")));

TEST_F(StoreFaults, TheStoreIsUsableAfterAFullDiskHasSpaceAgain) {
  FaultyVfs vfs;
  auto store = ResultStore::open(path, Mode::read_write);
  vfs.fail_change(2, FaultyVfs::Lasts::from_then_on, SQLITE_FULL);
  EXPECT_THROW(commit(store, 1), StorageError);
  vfs.fail_change(-1, FaultyVfs::Lasts::once, 0);
  EXPECT_NO_THROW(commit(store, 1));
  EXPECT_TRUE(store.find(sample_key("tile=1")));
}

TEST_F(StoreFaults, ACommitIsOnTheDiskWhenItReturns) {
  FaultyVfs vfs;
  auto store = ResultStore::open(path, Mode::read_write);
  for (int i = 1; i < 5; ++i) {
    commit(store, i);
    EXPECT_TRUE(vfs.all_synced()) << i;
  }
}

TEST_F(StoreFaults, APowerCutAtAnyInstantLosesNothingThatWasCommitted) {
  std::mt19937_64 chance(20240229);
  const std::string before = read_file(path);
  long cuts = 0;
  for (bool struck = true; struck; ++cuts) {
    for (int repeat = 0; repeat < 3; ++repeat) {
      write_file(path, before);
      std::filesystem::remove(path + "-journal");
      int committed = 1;
      {
        FaultyVfs vfs;
        try {
          auto store = ResultStore::open(path, Mode::read_write);
          vfs.cut_power_at(cuts);
          for (; committed < 4; ++committed) commit(store, committed);
        } catch (const StorageError&) {
        }
        struck = vfs.struck();
        vfs.leave_what_survived(chance);
      }
      expect_state(committed, "after a power cut");
    }
  }
  EXPECT_GT(cuts, 30);
}

TEST_F(StoreFaults, ALockedStoreIsWaitedForTenSecondsAndThenNamed) {
  FaultyVfs vfs;
  auto store = ResultStore::open(path, Mode::read_write);
  vfs.lock_out();
  try {
    commit(store, 1);
    FAIL() << "committed without a lock";
  } catch (const StorageError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("'" + path + "'"), HasSubstr("locked")));
  }
  EXPECT_GE(vfs.slept_s(), 9);
  EXPECT_LE(vfs.slept_s(), 11);
}

TEST_F(StoreFaults, ALockedStoreIsWaitedForAsLongAsItsUserSays) {
  using namespace std::chrono_literals;
  FaultyVfs vfs;
  auto opened = ResultStore::open(path, Mode::read_write);
  int asked = 0;
  std::chrono::milliseconds longest{0};
  opened.wait_with([&](std::chrono::milliseconds waited) {
    longest = std::max(longest, waited);
    return ++asked < 5;
  });
  ResultStore store = std::move(opened);  // takes the patience along
  vfs.lock_out();
  EXPECT_THROW(commit(store, 1), StorageError);
  EXPECT_EQ(asked, 5);
  EXPECT_GE(longest, 3ms) << "four pauses of at least 1 ms";
}

TEST_F(StoreFaults, MakingAStoreOfAnEmptyFileLeavesItEmptyOrWhole) {
  for (long nth = 0;; ++nth) {
    write_file(path, "");
    FaultyVfs vfs;
    vfs.fail_change(nth, FaultyVfs::Lasts::once, SQLITE_IOERR);
    bool opened = true;
    try {
      ResultStore::open(path, Mode::create);
    } catch (const StorageError&) {
      opened = false;
    }
    const bool struck = vfs.struck();
    vfs.fail_change(-1, FaultyVfs::Lasts::once, 0);
    EXPECT_NO_THROW(ResultStore::open(path, Mode::create)) << nth;
    if (!opened) {
      SCOPED_TRACE(nth);
      EXPECT_NO_THROW(ResultStore::open(path, Mode::read_write));
    }
    if (!struck) break;
  }
}

}  // namespace
}  // namespace kerntune::storage
