// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <kerntune/storage/result_store.hpp>

#include "sqlite_db.hpp"
#include "support/child.hpp"
#include "support/files.hpp"
#include "support/interrupted_store.hpp"
#include "support/sample_records.hpp"
#include "support/temp_dir.hpp"

namespace kerntune::storage {
namespace {

using namespace kerntune::testing;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using Mode = ResultStore::Mode;

std::string refusal(const std::string& path, Mode mode) {
  try {
    ResultStore::open(path, mode);
    return "opened";
  } catch (const StorageError& error) {
    return error.what();
  }
}

class StoreOpen : public ::testing::Test {
 protected:
  // A store with one evaluation and one winner.
  void make_store() {
    auto store = ResultStore::open(path, Mode::create);
    const auto record = sample_evaluation();
    store.commit({&record, 1}, {});
    kerntune::testing::record_winner(store, sample_final());
  }
  void change_with_sqlite(const std::string& sql) {
    auto db = sqlite::Connection::open(path, sqlite::Connection::Access::read_write, std::chrono::seconds(1));
    db.exec(sql);
  }
  void expect_refused_untouched(Mode mode, const std::string& why) {
    const std::string before = read_file(path);
    EXPECT_THAT(refusal(path, mode), AllOf(HasSubstr("'" + path + "'"), HasSubstr(why)));
    EXPECT_EQ(read_file(path), before);
    EXPECT_THAT(names_in(dir.path()), ElementsAre("a.db"));
  }

  TempDir dir;
  std::string path = dir.file("a.db");
};

TEST_F(StoreOpen, CreatesTheFileAndItsFolders) {
  path = dir.file("deep/er/a.db");
  {
    const auto store = ResultStore::open(path, Mode::create);
  }
  EXPECT_THAT(names_in(dir.path() / "deep/er"), ElementsAre("a.db"));
  EXPECT_NO_THROW(ResultStore::open(path, Mode::read_write));
}

TEST_F(StoreOpen, CreatesOverAnEmptyFile) {
  write_file(path, "");
  make_store();
  EXPECT_EQ(ResultStore::open(path, Mode::read_only).finals().size(), 1u);
}

TEST_F(StoreOpen, KeepsWhatAnExistingFileHolds) {
  make_store();
  EXPECT_TRUE(ResultStore::open(path, Mode::create).find(sample_key()));
}

TEST_F(StoreOpen, LeavesNothingBesideTheFileOnceClosed) {
  make_store();
  EXPECT_THAT(names_in(dir.path()), ElementsAre("a.db"));
}

TEST_F(StoreOpen, CreatesOnlyWhenAskedTo) {
  EXPECT_THAT(refusal(path, Mode::read_write), HasSubstr("'" + path + "': no such file"));
  EXPECT_THAT(refusal(path, Mode::read_only), HasSubstr("no such file"));
  EXPECT_THAT(names_in(dir.path()), IsEmpty());
}

TEST_F(StoreOpen, TakesAnEmptyFileOnlyToCreate) {
  write_file(path, "");
  expect_refused_untouched(Mode::read_write, "empty");
  expect_refused_untouched(Mode::read_only, "empty");
}

TEST_F(StoreOpen, TakesNamesThatSqliteReadsOtherwise) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(dir.path());
  for (const char* name : {":memory:", "file:x.db?mode=memory", "a b%20'.db"}) {
    {
      const auto store = ResultStore::open(name, Mode::create);
    }
    EXPECT_TRUE(std::filesystem::is_regular_file(dir.file(name))) << name;
  }
  std::filesystem::current_path(before);
}

TEST_F(StoreOpen, RefusesAFolderAndAPipe) {
  std::filesystem::create_directory(path);
  EXPECT_THAT(refusal(path, Mode::create), HasSubstr("not a regular file"));
  ASSERT_EQ(::mkfifo(dir.file("pipe").c_str(), 0600), 0);
  EXPECT_THAT(refusal(dir.file("pipe"), Mode::create), HasSubstr("not a regular file"));
}

TEST_F(StoreOpen, RefusesAFileThatIsNoDatabase) {
  write_file(path, "to whom it may concern\n" + std::string(4096, '.'));
  for (const Mode mode : {Mode::create, Mode::read_write, Mode::read_only}) {
    expect_refused_untouched(mode, "not an SQLite database");
  }
}

TEST_F(StoreOpen, RefusesAFileCutInsideItsHeader) {
  make_store();
  write_file(path, read_file(path).substr(0, 50));
  expect_refused_untouched(Mode::create, "not an SQLite database");
}

TEST_F(StoreOpen, RefusesTheDatabaseOfAnotherProgram) {
  auto db = sqlite::Connection::in_memory();
  db.exec("CREATE TABLE notes (body TEXT)");
  const auto image = db.image();
  write_file(path, {reinterpret_cast<const char*>(image.data()), image.size()});
  for (const Mode mode : {Mode::create, Mode::read_write, Mode::read_only}) {
    expect_refused_untouched(mode, "of another program");
  }
}

TEST_F(StoreOpen, RefusesANewerSchema) {
  make_store();
  change_with_sqlite("PRAGMA user_version = 999");
  for (const Mode mode : {Mode::create, Mode::read_write, Mode::read_only}) {
    expect_refused_untouched(mode, "schema 999 is newer than 1");
  }
}

TEST_F(StoreOpen, RefusesAStoreInWalMode) {
  make_store();
  change_with_sqlite("PRAGMA journal_mode = WAL");
  expect_refused_untouched(Mode::read_write, "PRAGMA journal_mode = DELETE");
}

TEST_F(StoreOpen, NamesADamagedFile) {
  make_store();
  std::string content = read_file(path);
  content.replace(4096, 12288, std::string(12288, '\xff'));  // pages 2 to 4
  write_file(path, content);
  EXPECT_THAT(in_child([&]() -> std::string {
                const auto store = ResultStore::open(path, Mode::read_only);
                return "read " + std::to_string(store.recent("", 10).size() + store.runs().size());
              }),
              AllOf(HasSubstr("'" + path + "'"), HasSubstr("damaged"), HasSubstr(".recover")));
}

TEST_F(StoreOpen, NamesAFileWhoseTextsWereChanged) {
  make_store();
  change_with_sqlite("UPDATE evaluation SET median_ns = 1");
  EXPECT_THROW(ResultStore::open(path, Mode::read_only).find(sample_key()), StorageError);
  change_with_sqlite("UPDATE final SET details = '{}'");
  EXPECT_THROW(ResultStore::open(path, Mode::read_only).finals(), StorageError);
}

TEST_F(StoreOpen, AReaderDoesNotWrite) {
  make_store();
  const std::string before = read_file(path);
  auto store = ResultStore::open(path, Mode::read_only);
  EXPECT_THROW(kerntune::testing::record_winner(store, sample_final(8)), StorageError);
  EXPECT_THROW(store.begin_run(sample_run()), StorageError);
  EXPECT_EQ(read_file(path), before);
}

TEST_F(StoreOpen, AReaderUndoesWhatAKilledWriterLeft) {
  make_store();
  ASSERT_EQ(interrupt_a_commit(path, kRewriteEverything), "");
  EXPECT_EQ(ResultStore::open(path, Mode::read_only).finals()[0].config, sample_final().config);
}

TEST_F(StoreOpen, SaysWhatAKilledWriterLeftIfItMayNotUndoIt) {
  make_store();
  ASSERT_EQ(interrupt_a_commit(path, kRewriteEverything), "");
  EXPECT_THAT(in_unprivileged_child([&] { return refusal(path, Mode::read_only); }),
              AllOf(HasSubstr("'" + path + "'"), HasSubstr("not writable")));
}

TEST_F(StoreOpen, SaysThatAFileIsReadOnly) {
  make_store();
  std::filesystem::permissions(path, std::filesystem::perms(0444));
  EXPECT_THAT(in_unprivileged_child([&] { return refusal(path, Mode::read_write); }),
              AllOf(StartsWith("open store '" + path + "'"), HasSubstr("not writable")));
  EXPECT_EQ(in_unprivileged_child([&] { return refusal(path, Mode::read_only); }), "opened");
}

TEST_F(StoreOpen, SaysThatAFolderIsReadOnly) {
  make_store();
  std::filesystem::permissions(path, std::filesystem::perms(0666));
  std::filesystem::permissions(dir.path(), std::filesystem::perms(0555));
  const auto commit = [&]() -> std::string {
    auto store = ResultStore::open(path, Mode::read_write);
    kerntune::testing::record_winner(store, sample_final(8));
    return "stored";
  };
  EXPECT_THAT(in_unprivileged_child(commit), AllOf(HasSubstr("'" + path + "'"), HasSubstr("folder")));
  EXPECT_EQ(in_unprivileged_child([&] { return refusal(path, Mode::read_only); }), "opened");
  EXPECT_EQ(ResultStore::open(path, Mode::read_only).finals().size(), 1u);
}

TEST_F(StoreOpen, SaysThatAFileMayNotBeRead) {
  make_store();
  std::filesystem::permissions(path, std::filesystem::perms(0));
  EXPECT_THAT(in_unprivileged_child([&] { return refusal(path, Mode::read_only); }),
              AllOf(HasSubstr("'" + path + "'"), HasSubstr("Permission denied")));
}

TEST_F(StoreOpen, LeavesNothingWhereItMayNotCreate) {
  std::filesystem::permissions(dir.path(), std::filesystem::perms(0555));
  EXPECT_THAT(in_unprivileged_child([&] { return refusal(path, Mode::create); }),
              AllOf(StartsWith("create store '" + path + "'"), HasSubstr("Permission denied")));
  EXPECT_THAT(in_unprivileged_child([&] { return refusal(dir.file("x/y/a.db"), Mode::create); }),
              HasSubstr("Permission denied"));
  EXPECT_THAT(names_in(dir.path()), IsEmpty());
}

}  // namespace
}  // namespace kerntune::storage
