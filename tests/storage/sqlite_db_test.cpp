// SPDX-License-Identifier: Apache-2.0
#include "sqlite_db.hpp"

#include <gmock/gmock.h>

#include "support/temp_dir.hpp"

namespace kerntune::sqlite {
namespace {

using ::testing::ElementsAre;

constexpr char kInsert[] = "INSERT INTO t (i, r, x, b) VALUES (?1, ?2, ?3, ?4)";

class SqliteDb : public ::testing::Test {
 protected:
  void SetUp() override { db.exec("CREATE TABLE t (i INTEGER, r REAL, x TEXT, b BLOB) STRICT"); }
  std::int64_t rows() { return db.integer("SELECT count(*) FROM t"); }
  void insert() { db.query(kInsert, std::int64_t{1}, 1.0, std::string_view(), std::span<const std::byte>()).run(); }
  Connection db = Connection::in_memory();
};

TEST_F(SqliteDb, GivesBackWhatWasBound) {
  const std::vector<std::byte> bytes = {std::byte{0}, std::byte{7}};
  db.query(kInsert, std::int64_t{-5}, 2.5, std::string("text"), bytes).run();
  auto row = db.query("SELECT i, r, x, b FROM t");
  ASSERT_TRUE(row.step());
  EXPECT_EQ(row.integer(0), -5);
  EXPECT_EQ(row.real(1), 2.5);
  EXPECT_EQ(row.text(2), "text");
  EXPECT_THAT(row.blob(3), ElementsAre(std::byte{0}, std::byte{7}));
  EXPECT_FALSE(row.step());
}

TEST_F(SqliteDb, KeepsEmptyTextsAndBlobsApartFromNull) {
  insert();
  auto row = db.query("SELECT x, b FROM t");
  ASSERT_TRUE(row.step());
  EXPECT_EQ(row.text(0), "");
  EXPECT_TRUE(row.blob(1).empty());
}

TEST_F(SqliteDb, RefusesAColumnOfAnotherType) {
  insert();
  auto row = db.query("SELECT i, NULL FROM t");
  ASSERT_TRUE(row.step());
  EXPECT_THROW(row.text(0), SqliteError);
  EXPECT_THROW(row.integer(1), SqliteError);
  EXPECT_FALSE(row.optional_integer(1));
}

TEST_F(SqliteDb, ForgetsATransactionThatWasNotCommitted) {
  {
    const Transaction transaction(db);
    insert();
  }
  EXPECT_EQ(rows(), 0);
  EXPECT_FALSE(db.in_transaction());
}

TEST_F(SqliteDb, KeepsATransactionThatWas) {
  {
    Transaction transaction(db);
    insert();
    transaction.commit();
  }
  EXPECT_EQ(rows(), 1);
}

TEST_F(SqliteDb, UsesAStatementAgainAfterItFailed) {
  db.exec("CREATE TABLE u (i INTEGER PRIMARY KEY) STRICT");
  constexpr char kOne[] = "INSERT INTO u (i) VALUES (?1)";
  db.query(kOne, std::int64_t{1}).run();
  try {
    db.query(kOne, std::int64_t{1}).run();
    FAIL() << "stored a primary key twice";
  } catch (const SqliteError& error) {
    EXPECT_EQ(error.cause(), Cause::constraint);
  }
  EXPECT_NO_THROW(db.query(kOne, std::int64_t{2}).run());
}

TEST_F(SqliteDb, RunsNoTriggerThatAFileBrings) {
  db.exec(
      "CREATE TABLE log (i INTEGER) STRICT; CREATE TRIGGER spy AFTER INSERT ON t BEGIN INSERT INTO log VALUES (1); "
      "END");
  insert();
  EXPECT_EQ(db.integer("SELECT count(*) FROM log"), 0);
}

TEST_F(SqliteDb, ReadsACopyOfItsOwnImageButDoesNotWriteIt) {
  insert();
  auto image = db.image();
  Connection copy = Connection::over(image);
  EXPECT_EQ(copy.integer("SELECT count(*) FROM t"), 1);
  try {
    copy.exec("DELETE FROM t");
    FAIL() << "wrote to a copy";
  } catch (const SqliteError& error) {
    EXPECT_EQ(error.cause(), Cause::read_only);
  }
}

TEST(SqliteConnection, CreatesNoFile) {
  const kerntune::testing::TempDir dir;
  EXPECT_THROW(Connection::open(dir.file("absent"), Connection::Access::read_write, std::chrono::seconds(0)),
               SqliteError);
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

}  // namespace
}  // namespace kerntune::sqlite
