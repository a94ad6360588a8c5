// SPDX-License-Identifier: Apache-2.0
// No way into the store for a winner without a proven evaluation: not through the library, not through SQL, and not
// past the readers if the file was edited.
#include <gmock/gmock.h>

#include <sqlite3.h>

#include <kerntune/query/tuned_configs.hpp>
#include <kerntune/storage/result_store.hpp>

#include "content_digest.hpp"
#include "support/sample_records.hpp"
#include "support/temp_dir.hpp"

namespace kerntune::storage {
namespace {

using kerntune::testing::proof_of;
using kerntune::testing::record_winner;
using kerntune::testing::sample_final;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class StoreProof : public ::testing::Test {
 protected:
  std::string refusal(const FinalRecord& winner) {
    try {
      store.record_final(winner);
    } catch (const StorageError& error) {
      return error.what();
    }
    return "it was stored";
  }
  void commit(const EvaluationRecord& record) { store.commit({&record, 1}, {}); }
  /// Runs SQL as any other program could. What SQLite says if it refuses.
  static std::string edit(const std::string& file, const std::string& sql) {
    sqlite3* db = nullptr;
    std::string problem;
    char* message = nullptr;
    if (sqlite3_open(file.c_str(), &db) != SQLITE_OK ||
        sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &message) != SQLITE_OK)
      problem = message != nullptr ? message : sqlite3_errmsg(db);
    sqlite3_free(message);
    sqlite3_close(db);
    return problem;
  }
  std::string edit(const std::string& sql) const { return edit(path, sql); }
  std::vector<std::string> winners() const {
    std::vector<std::string> configs;
    for (const FinalRecord& record : store.finals()) configs.push_back(record.config);
    return configs;
  }
  std::string served_error() const { return query::TunedConfigs::open(path).error(); }
  std::string served() const {
    const auto configs = query::TunedConfigs::open(path);
    return std::string(configs.resolve({"gemm", "k=4096,n=4096", "cc90-sm132", ""}).pick(64).config);
  }

  kerntune::testing::TempDir dir;
  std::string path = dir.file("a.db");
  ResultStore store = ResultStore::open(path, ResultStore::Mode::create);
};

TEST_F(StoreProof, RefusesAWinnerThatWasNeverEvaluated) {
  EXPECT_THAT(refusal(sample_final()), HasSubstr("is not in the store"));
  EXPECT_THAT(winners(), IsEmpty());
}

TEST_F(StoreProof, RefusesAWinnerThatDidNotPassTheWholeVerification) {
  EvaluationRecord screened = proof_of(sample_final());
  screened.proven = false;
  commit(screened);
  EXPECT_THAT(refusal(sample_final()), HasSubstr("has not passed the whole verification"));
  EXPECT_THAT(winners(), IsEmpty());
}

TEST_F(StoreProof, RefusesAWinnerThatIsNotVerified) {
  commit(proof_of(sample_final()));
  for (const char* verified : {"no", "", "yes"}) {
    FinalRecord winner = sample_final();
    winner.verified = verified;
    EXPECT_THAT(refusal(winner), HasSubstr("was not verified"));
  }
}

TEST_F(StoreProof, RefusesAProofByAnotherReference) {
  EvaluationRecord proof = proof_of(sample_final());
  proof.reference_digest = std::string(64, 'f');
  commit(proof);
  EXPECT_THAT(refusal(sample_final()), HasSubstr("verified with another reference"));
  proof = proof_of(sample_final());
  proof.verified = "against_default";
  commit(proof);
  EXPECT_THAT(refusal(sample_final()), HasSubstr("verified with another reference"));
}

TEST_F(StoreProof, RefusesAProofOfAnotherContext) {
  commit(proof_of(sample_final()));
  for (std::string FinalRecord::* field : {&FinalRecord::code_digest, &FinalRecord::toolchain, &FinalRecord::policy,
                                           &FinalRecord::device_class, &FinalRecord::dims, &FinalRecord::kernel}) {
    FinalRecord winner = sample_final();
    winner.*field = "other";
    EXPECT_THAT(refusal(winner), HasSubstr("is not in the store"));
  }
}

TEST_F(StoreProof, RefusesEvaluationsThatContradictThemselves) {
  EvaluationRecord record = proof_of(sample_final());
  record.verified = "no";
  EXPECT_THROW(commit(record), StorageError) << "proven without a verification";
  record = proof_of(sample_final());
  record.status = Status::rejected;
  EXPECT_THROW(commit(record), StorageError) << "proven and rejected";
}

TEST_F(StoreProof, GivesBackWhatTheVerificationMeasured) {
  record_winner(store, sample_final());
  EXPECT_EQ(store.finals()[0].verification_json, sample_final().verification_json);
  const auto found = store.find(proof_of(sample_final()).key);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->proven);
  EXPECT_EQ(found->verification_json, proof_of(sample_final()).verification_json);
}

TEST_F(StoreProof, WithdrawsAWinnerThatIsFoundWrongLater) {
  FinalRecord older = sample_final();
  older.config = "older";
  older.finished_unix_us -= 1;
  record_winner(store, older);
  record_winner(store, sample_final());
  ASSERT_EQ(served(), sample_final().config);
  EvaluationRecord wrong = proof_of(sample_final());
  wrong.status = Status::rejected;
  wrong.reason = "wrong_result";
  wrong.verified = "no";
  wrong.proven = false;
  commit(wrong);
  EXPECT_THAT(winners(), ElementsAre("older"));
  EXPECT_EQ(served(), "older");
}

TEST_F(StoreProof, SqlCannotInsertAWinnerWithoutProof) {
  record_winner(store, sample_final());
  const std::string copy =
      "INSERT INTO final SELECT zeroblob(32), context, space_digest, reference_digest, finished_unix_us + 1, "
      "other_dims, "
      "batch_dim, batch, 'unproven', default_config, time_ns, default_time_ns, speedup, speedup_low, speedup_high, "
      "verified, unresolved, run_id, served_check, verification, details FROM final";
  EXPECT_THAT(edit(copy), HasSubstr("needs an evaluation of its configuration that passed the whole verification"));
  EXPECT_EQ(edit("UPDATE evaluation SET proven = 0"), "");
  EXPECT_EQ(served(), "") << "the winner went with its proof";
}

TEST_F(StoreProof, SqlCannotMakeAnUnverifiedWinner) {
  record_winner(store, sample_final());
  EXPECT_THAT(edit("UPDATE final SET config = 'unproven'"), HasSubstr("never changed"));
  EXPECT_THAT(edit("UPDATE evaluation SET verified = 'no'"), HasSubstr("CHECK constraint failed"));
  EXPECT_THAT(edit("UPDATE evaluation SET verified = 'surely'"), HasSubstr("CHECK constraint failed"));
  EXPECT_THAT(edit("DROP TRIGGER final_never_changes; UPDATE final SET verified = 'no'"),
              HasSubstr("CHECK constraint failed"));
  EXPECT_EQ(served(), sample_final().config);
}

TEST_F(StoreProof, LosingTheProofWithdrawsTheWinnerWhoeverDoesIt) {
  record_winner(store, sample_final());
  EXPECT_EQ(edit("DELETE FROM evaluation"), "");
  EXPECT_THAT(winners(), IsEmpty());
  EXPECT_EQ(served(), "");
}

/// Every guard of the file taken away first, as someone could who has an editor and time.
class EditedStore : public StoreProof, public ::testing::WithParamInterface<const char*> {};

TEST_P(EditedStore, IsNotBelievedByAnyReader) {
  record_winner(store, sample_final());
  ASSERT_EQ(served(), sample_final().config);
  ASSERT_EQ(edit(std::string("PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF; DROP TRIGGER "
                             "final_needs_proof; DROP TRIGGER final_never_changes; DROP TRIGGER "
                             "evaluation_withdraws_winner; DROP TRIGGER evaluation_takes_winner; ") +
                 GetParam()),
            "");
  EXPECT_NE(served_error(), "");
  EXPECT_EQ(served(), "") << "nothing of a file that was tampered with is served";
  try {
    EXPECT_THAT(store.finals(), IsEmpty());
  } catch (const StorageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("does not match its digest"));
  }
}

INSTANTIATE_TEST_SUITE_P(
    ByHand, EditedStore,
    ::testing::Values("UPDATE final SET verified = 'no'", "UPDATE final SET config = 'unproven'",
                      "DELETE FROM evaluation", "UPDATE evaluation SET proven = 0",
                      "UPDATE evaluation SET proven = 0, verified = 'no', status = 'rejected'",
                      "UPDATE evaluation SET config = 'another'",
                      "UPDATE evaluation SET proven = 0; INSERT INTO final SELECT zeroblob(32), context, space_digest, "
                      "reference_digest, finished_unix_us + 1, other_dims, batch_dim, batch, 'unproven', "
                      "default_config, time_ns, default_time_ns, speedup, speedup_low, speedup_high, verified, "
                      "unresolved, run_id, served_check, verification, details FROM final"));

/// A row with the right digest and the right check, which only lacks the evaluation behind it: what a merge that copies
/// winners alone would make.
TEST_F(StoreProof, AWinnerCopiedWithoutItsEvaluationIsNotBelieved) {
  record_winner(store, sample_final());
  const std::string other_path = dir.file("b.db");
  const auto other = ResultStore::open(other_path, ResultStore::Mode::create);
  const std::string attach = "ATTACH '" + path + "' AS source; ";
  ASSERT_EQ(edit(other_path, attach + "INSERT INTO main.context SELECT * FROM source.context"), "");
  const std::string copy = "INSERT INTO main.final SELECT * FROM source.final";
  EXPECT_THAT(edit(other_path, attach + copy), HasSubstr("passed the whole verification"));
  ASSERT_EQ(edit(other_path, attach + "DROP TRIGGER main.final_needs_proof; " + copy), "");
  EXPECT_THAT(other.finals(), IsEmpty());
  EXPECT_THAT(query::TunedConfigs::open(other_path).error(), HasSubstr("no proven evaluation behind it"));
}

/// The same with it: this is how a merge has to do it.
TEST_F(StoreProof, AWinnerCopiedWithItsEvaluationIsOne) {
  record_winner(store, sample_final());
  const auto other = ResultStore::open(dir.file("b.db"), ResultStore::Mode::create);
  ASSERT_EQ(edit(dir.file("b.db"),
                 "ATTACH '" + path +
                     "' AS source; INSERT INTO main.context SELECT * FROM source.context; INSERT INTO main.evaluation "
                     "SELECT * FROM source.evaluation; INSERT INTO main.final SELECT * FROM source.final; INSERT INTO "
                     "main.final_tie SELECT * FROM source.final_tie"),
            "");
  ASSERT_EQ(other.finals().size(), 1U);
  EXPECT_EQ(final_digest(other.finals()[0]), final_digest(sample_final()));
}

}  // namespace
}  // namespace kerntune::storage
