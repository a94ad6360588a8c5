// SPDX-License-Identifier: Apache-2.0
#include "schema.hpp"

#include <gtest/gtest.h>

#include "file_probe.hpp"

namespace kerntune::storage {
namespace {

constexpr const char* kSteps[] = {
    "CREATE TABLE a (i INTEGER) STRICT; INSERT INTO a VALUES (1)",
    "ALTER TABLE a ADD COLUMN j INTEGER NOT NULL DEFAULT 7",
    "UPDATE a SET j = 8; CREATE TABLE broken (",
};
constexpr std::span<const char* const> kAll = kSteps;

std::int64_t version(sqlite::Connection& db) { return db.integer("PRAGMA user_version"); }

TEST(Schema, MakesAStoreOfAnEmptyDatabase) {
  auto db = sqlite::Connection::in_memory();
  migrate(db, kAll.first(1));
  EXPECT_EQ(version(db), 1);
  EXPECT_EQ(db.integer("PRAGMA application_id"), kApplicationId);
}

TEST(Schema, BringsAnOlderStoreUpToDateWithItsRows) {
  auto db = sqlite::Connection::in_memory();
  migrate(db, kAll.first(1));
  migrate(db, kAll.first(2));
  EXPECT_EQ(version(db), 2);
  EXPECT_EQ(db.integer("SELECT j FROM a WHERE i = 1"), 7);
}

TEST(Schema, LeavesAnUpToDateStoreAlone) {
  auto db = sqlite::Connection::in_memory();
  migrate(db, kAll.first(2));
  migrate(db, kAll.first(2));
  EXPECT_EQ(db.integer("SELECT count(*) FROM a"), 1);
}

TEST(Schema, ChangesNothingIfAStepFails) {
  auto db = sqlite::Connection::in_memory();
  migrate(db, kAll.first(1));
  EXPECT_THROW(migrate(db, kAll), sqlite::SqliteError);
  EXPECT_EQ(version(db), 1);
  EXPECT_EQ(db.integer("SELECT count(*) FROM pragma_table_info('a')"), 1);
}

TEST(Schema, RefusesToGoBack) {
  auto db = sqlite::Connection::in_memory();
  migrate(db, kAll.first(2));
  EXPECT_THROW(migrate(db, kAll.first(1)), sqlite::SqliteError);
  EXPECT_EQ(version(db), 2);
}

TEST(Schema, RefusesTheTablesOfAnotherProgram) {
  auto db = sqlite::Connection::in_memory();
  db.exec("CREATE TABLE notes (body TEXT)");
  EXPECT_THROW(migrate(db, kAll.first(1)), sqlite::SqliteError);
  EXPECT_EQ(db.integer("SELECT count(*) FROM sqlite_schema"), 1);
}

TEST(Schema, HasOneMigrationPerVersion) { EXPECT_EQ(migrations().size(), static_cast<std::size_t>(kSchemaVersion)); }

}  // namespace
}  // namespace kerntune::storage
