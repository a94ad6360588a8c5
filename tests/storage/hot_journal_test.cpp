// SPDX-License-Identifier: Apache-2.0
#include "hot_journal.hpp"

#include <gtest/gtest.h>

#include <kerntune/storage/result_store.hpp>

#include "support/files.hpp"
#include "support/interrupted_store.hpp"
#include "support/sample_records.hpp"
#include "support/temp_dir.hpp"

namespace kerntune::storage {
namespace {

using namespace kerntune::testing;

class HotJournal : public ::testing::Test {
 protected:
  void SetUp() override {
    {
      auto store = ResultStore::open(path, ResultStore::Mode::create);
      for (int batch = 1; batch <= 40; ++batch) kerntune::testing::record_winner(store, sample_final(batch));
    }
    before = read_file(path);
  }
  void interrupt(const std::string& sql) {
    ASSERT_EQ(interrupt_a_commit(path, sql), "");
    database = bytes_of(read_file(path));
    journal = bytes_of(read_file(path + "-journal"));
    ASSERT_FALSE(journal.empty());
  }

  TempDir dir;
  std::string path = dir.file("a.db");
  std::string before;
  std::vector<std::byte> database, journal;
};

TEST_F(HotJournal, RestoresTheFileByteForByte) {
  interrupt(kRewriteEverything);
  ASSERT_NE(database, bytes_of(before));
  EXPECT_TRUE(roll_back(database, journal));
  EXPECT_EQ(database, bytes_of(before));
}

TEST_F(HotJournal, OfAFileThatShrankRestoresItsEnd) {
  interrupt("DELETE FROM final_tie; DELETE FROM final; DELETE FROM context");
  database.resize(database.size() / 2);
  EXPECT_TRUE(roll_back(database, journal));
  EXPECT_EQ(database.size(), before.size());
}

TEST_F(HotJournal, ThatIsEmptyChangesNothing) {
  database = bytes_of(before);
  EXPECT_TRUE(roll_back(database, {}));
  EXPECT_EQ(database, bytes_of(before));
}

TEST_F(HotJournal, StopsAtARecordThatIsNotWhole) {
  interrupt("UPDATE final SET config = 'x' WHERE batch = 1");
  auto torn = database;
  torn[5000] ^= std::byte{1};
  journal.resize(520);  // the header's sector, and the start of the first record
  EXPECT_TRUE(roll_back(torn, journal));
  database[5000] ^= std::byte{1};
  database.resize(torn.size());
  EXPECT_EQ(torn, database);
}

TEST_F(HotJournal, StopsAtARecordWithAWrongChecksum) {
  interrupt("UPDATE final SET config = 'x' WHERE batch = 1");
  const auto untouched = database;
  journal[512 + 4 + 4096 - 200] ^= std::byte{1};  // in the first record's page, one of the bytes that are summed up
  EXPECT_TRUE(roll_back(database, journal));
  EXPECT_EQ(database, untouched);
}

TEST_F(HotJournal, OfSeveralFilesIsRefused) {
  interrupt(kRewriteEverything);
  const std::byte magic[] = {std::byte{0xd9}, std::byte{0xd5}, std::byte{0x05}, std::byte{0xf9},
                             std::byte{0x20}, std::byte{0xa1}, std::byte{0x63}, std::byte{0xd7}};
  journal.insert(journal.end(), std::begin(magic), std::end(magic));
  EXPECT_FALSE(roll_back(database, journal));
}

TEST_F(HotJournal, ThatClaimsAHugeFileIsRefused) {
  interrupt(kRewriteEverything);
  journal[16] = std::byte{0x7f};
  EXPECT_FALSE(roll_back(database, journal));
}

}  // namespace
}  // namespace kerntune::storage
