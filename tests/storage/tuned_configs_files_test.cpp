// SPDX-License-Identifier: Apache-2.0
// What the reader makes of files that are missing, foreign, locked, half-written or out of reach.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <kerntune/query/tuned_configs.hpp>
#include <kerntune/storage/result_store.hpp>

#include "sqlite_db.hpp"
#include "support/child.hpp"
#include "support/faulty_vfs.hpp"
#include "support/files.hpp"
#include "support/interrupted_store.hpp"
#include "support/sample_records.hpp"
#include "support/temp_dir.hpp"

namespace kerntune::query {
namespace {

using namespace kerntune::testing;
using storage::ResultStore;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class TunedConfigsFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    auto store = ResultStore::open(path, ResultStore::Mode::create);
    for (const std::int64_t batch : {8, 16, 64}) kerntune::testing::record_winner(store, sample_final(batch));
  }
  void change_with_sqlite(const std::string& sql) {
    auto db = sqlite::Connection::open(path, sqlite::Connection::Access::read_write, std::chrono::seconds(1));
    db.exec(sql);
  }
  // What is wrong with the file, or the configuration it gives at batch 16.
  std::string answer() const {
    const auto configs = TunedConfigs::open(path);
    const Decision decision = configs.resolve({"gemm", "k=4096,n=4096", "cc90-sm132", ""}).pick(16);
    if (configs.error().empty()) return std::string(decision.config);
    EXPECT_EQ(decision.found, Found::fallback);
    EXPECT_EQ(decision.config, "");
    EXPECT_THAT(decision.reason, HasSubstr("cannot be used"));
    EXPECT_THAT(configs.error(), StartsWith("read tuned configurations from '" + path + "': "));
    return configs.error();
  }
  void expect_refused_untouched(const std::string& why) {
    const std::string before = read_file(path);
    EXPECT_THAT(answer(), HasSubstr(why));
    EXPECT_EQ(read_file(path), before);
    EXPECT_THAT(names_in(dir.path()), ElementsAre("a.db"));
  }

  static constexpr char kBest[] = "block_x=128,tile=16";
  TempDir dir;
  std::string path = dir.file("a.db");
};

TEST_F(TunedConfigsFiles, ChangesNothing) {
  const std::string before = read_file(path);
  EXPECT_EQ(answer(), kBest);
  EXPECT_EQ(read_file(path), before);
  EXPECT_THAT(names_in(dir.path()), ElementsAre("a.db"));
}

TEST_F(TunedConfigsFiles, ReadsAReadOnlyFileInAReadOnlyFolder) {
  std::filesystem::permissions(path, std::filesystem::perms(0444));
  std::filesystem::permissions(dir.path(), std::filesystem::perms(0555));
  EXPECT_EQ(in_unprivileged_child([&] { return answer(); }), kBest);
}

TEST_F(TunedConfigsFiles, ReadsTheLastCommitBehindAKilledWriterAndLeavesTheRepairToOthers) {
  ASSERT_EQ(interrupt_a_commit(path, kRewriteEverything), "");
  const std::string before = read_file(path), journal = read_file(path + "-journal");
  std::filesystem::permissions(dir.path(), std::filesystem::perms(0555));
  EXPECT_EQ(in_unprivileged_child([&] { return answer(); }), kBest);
  EXPECT_EQ(answer(), kBest);
  EXPECT_EQ(read_file(path), before);
  EXPECT_EQ(read_file(path + "-journal"), journal);
}

TEST_F(TunedConfigsFiles, ReadsBehindAWriterThatStoppedInTheMiddle) {
  FaultyVfs vfs;
  vfs.lock_out();
  EXPECT_EQ(answer(), kBest);
  EXPECT_LE(vfs.slept_s(), 3);
}

TEST_F(TunedConfigsFiles, ReadsWhileAWriterIsAtWork) {
  auto db = sqlite::Connection::open(path, sqlite::Connection::Access::read_write, std::chrono::seconds(1));
  const sqlite::Transaction transaction(db);
  db.exec("UPDATE final SET config = 'not yet committed'");
  EXPECT_EQ(answer(), kBest);
}

TEST_F(TunedConfigsFiles, SaysThatThereIsNoFile) {
  std::filesystem::remove(path);
  EXPECT_THAT(answer(), HasSubstr("no such file"));
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

TEST_F(TunedConfigsFiles, RefusesAFolderAndAPipe) {
  path = dir.path();
  EXPECT_THAT(answer(), HasSubstr("not a regular file"));
  path = dir.file("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_THAT(answer(), HasSubstr("not a regular file"));
}

TEST_F(TunedConfigsFiles, RefusesAnEmptyFile) {
  write_file(path, "");
  expect_refused_untouched("empty");
}

TEST_F(TunedConfigsFiles, RefusesWhatIsNoDatabase) {
  write_file(path, std::string(5000, 'x'));
  expect_refused_untouched("not an SQLite database");
}

TEST_F(TunedConfigsFiles, RefusesTheDatabaseOfAnotherProgram) {
  change_with_sqlite("PRAGMA application_id = 1");
  expect_refused_untouched("another program");
}

TEST_F(TunedConfigsFiles, RefusesANewerSchema) {
  change_with_sqlite("PRAGMA user_version = 12");
  expect_refused_untouched("schema 12 is newer than 1");
}

TEST_F(TunedConfigsFiles, RefusesWalModeWhichWouldMakeFilesBeside) {
  change_with_sqlite("PRAGMA journal_mode = WAL");
  expect_refused_untouched("write-ahead log");
}

TEST_F(TunedConfigsFiles, RefusesAStoreWithoutItsTables) {
  change_with_sqlite("PRAGMA foreign_keys = OFF; DROP TABLE final");
  expect_refused_untouched("tables of results are missing");
}

TEST_F(TunedConfigsFiles, RefusesAViewInPlaceOfATable) {
  change_with_sqlite(
      "PRAGMA foreign_keys = OFF; ALTER TABLE final RENAME TO hidden; CREATE VIEW final AS SELECT * FROM hidden");
  expect_refused_untouched("tables of results are missing");
}

TEST_F(TunedConfigsFiles, RefusesAWinnerThatWasChanged) {
  change_with_sqlite("UPDATE final SET config = 'tile=1024' WHERE batch = 64");
  expect_refused_untouched("the winner of kernel 'gemm' at batch 64 does not match its check");
}

TEST_F(TunedConfigsFiles, RefusesAWinnerMovedToAnotherDevice) {
  change_with_sqlite("UPDATE context SET device_class = 'cc80'");
  expect_refused_untouched("does not match its check");
}

TEST_F(TunedConfigsFiles, RefusesAFileCutShort) {
  const std::string whole = read_file(path);
  for (std::size_t pages = 1; pages < whole.size() / 4096; ++pages) {
    write_file(path, whole.substr(0, pages * 4096));
    EXPECT_THAT(answer(), StartsWith("read tuned")) << pages;
  }
}

// A page of a table's tree with 300 branches, all of which lead to page `child`.
std::string branching_page(std::uint32_t child) {
  constexpr std::size_t kPage = 4096, kBranches = 300, kCell = 6, kFirstCell = kPage - kBranches * kCell;
  std::string page(kPage, '\0');
  const auto put = [&](std::size_t at, std::size_t bytes, std::uint32_t value) {
    for (std::size_t i = 0; i < bytes; ++i) page[at + i] = static_cast<char>(value >> 8 * (bytes - 1 - i));
  };
  put(0, 1, 5);  // an interior page
  put(3, 2, kBranches);
  put(5, 2, kFirstCell);
  put(8, 4, child);
  for (std::uint32_t i = 0; i < kBranches; ++i) {
    const std::size_t cell = kFirstCell + kCell * i;
    put(12 + 2 * i, 2, static_cast<std::uint32_t>(cell));
    put(cell, 4, child);
    put(cell + 4, 1, 0x80 | (i + 1) >> 7);  // a key in the form of a varint
    put(cell + 5, 1, (i + 1) & 0x7f);
  }
  return page;
}

TEST_F(TunedConfigsFiles, RefusesATreeThatWouldTakeForeverToWalk) {
  std::uint32_t root = 0;
  {
    auto db = sqlite::Connection::open(path, sqlite::Connection::Access::read_only, std::chrono::seconds(1));
    root = static_cast<std::uint32_t>(db.integer("SELECT rootpage FROM sqlite_schema WHERE name = 'final'"));
  }
  std::string content = read_file(path);
  auto last = static_cast<std::uint32_t>(content.size() / 4096);
  content.replace((root - 1) * 4096, 4096, branching_page(last + 1));
  for (int level = 0; level < 8; ++level) content += branching_page(++last + 1);  // 300 to the power of 9 leaves
  content += std::string(1, '\x0d') + std::string(4095, '\0');
  content[31] = static_cast<char>(++last);  // the header's number of pages
  write_file(path, content);
  EXPECT_THAT(in_child([&] {
                ::alarm(60);
                return answer();
              }),
              HasSubstr("the table of winners is damaged"));
}

TEST_F(TunedConfigsFiles, RefusesAHugeFileWithoutReadingIt) {
  std::filesystem::resize_file(path, (std::uint64_t{1} << 30) + 4096);  // sparse
  EXPECT_THAT(answer(), HasSubstr("at most 1 GiB"));
}

TEST_F(TunedConfigsFiles, SaysThatTheFileMayNotBeRead) {
  std::filesystem::permissions(path, std::filesystem::perms(0));
  EXPECT_THAT(in_unprivileged_child([&] { return answer(); }), HasSubstr("Permission denied"));
}

}  // namespace
}  // namespace kerntune::query
