// SPDX-License-Identifier: Apache-2.0
// Files written by every released schema open, migrate and hold what they held.
#include <gmock/gmock.h>

#include <kerntune/query/tuned_configs.hpp>
#include <kerntune/storage/result_store.hpp>

#include "content_digest.hpp"
#include "golden/golden_content.hpp"
#include "support/files.hpp"
#include "support/temp_dir.hpp"

namespace kerntune::storage {
namespace {

using namespace kerntune::testing;

class Golden : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { std::filesystem::copy_file(std::string(KERNTUNE_GOLDEN_DIR) + "/" + GetParam(), path); }
  TempDir dir;
  std::string path = dir.file("golden.db");
};

TEST_P(Golden, HoldsItsEvaluations) {
  const auto store = ResultStore::open(path, ResultStore::Mode::read_write);
  for (const EvaluationRecord& expected : golden_evaluations()) {
    const auto found = store.find(expected.key);
    ASSERT_TRUE(found) << expected.key.config;
    EXPECT_EQ(found->status, expected.status);
    EXPECT_EQ(found->reason, expected.reason);
    EXPECT_EQ(found->message, expected.message);
    EXPECT_EQ(found->median_ns, expected.median_ns);
    EXPECT_EQ(found->samples_ns, expected.samples_ns);
    EXPECT_EQ(found->facts_json, expected.facts_json);
    EXPECT_EQ(found->verified, expected.verified);
    EXPECT_EQ(found->proven, expected.proven);
    EXPECT_EQ(found->verification_json, expected.verification_json);
  }
  const std::size_t proofs = golden_finals().size();  // one behind each winner; that of the history is tile=1
  EXPECT_EQ(store.recent("", 100).size(), golden_evaluations().size() + proofs);
}

TEST_P(Golden, HoldsItsRunAndWhatWasInFlight) {
  const auto store = ResultStore::open(path, ResultStore::Mode::read_write);
  ASSERT_EQ(store.runs().size(), 1u);
  EXPECT_EQ(store.runs()[0].outcome, golden_run().outcome);
  EXPECT_EQ(store.runs()[0].seed, golden_run().seed);
  EXPECT_EQ(store.runs()[0].ended_unix_us, golden_run().ended_unix_us);
  ASSERT_EQ(store.leftovers("").size(), 1u);
  EXPECT_EQ(store.leftovers("")[0].key, golden_started().key);
}

TEST_P(Golden, HoldsItsWinners) {
  const auto store = ResultStore::open(path, ResultStore::Mode::read_write);
  const auto finals = store.finals();
  const auto expected = golden_finals();
  ASSERT_EQ(finals.size(), expected.size());
  for (std::size_t i = 0; i < finals.size(); ++i) EXPECT_EQ(final_digest(finals[i]), final_digest(expected[i]));
}

TEST_P(Golden, AnswersProductionWithoutBeingMigrated) {
  const std::string before = read_file(path);
  const auto configs = query::TunedConfigs::open(path);
  ASSERT_EQ(configs.error(), "");
  const auto family = configs.resolve({"gemm", "k=4096,n=4096", "cc90-sm132", ""});
  EXPECT_EQ(family.pick(64).config, golden_finals()[1].config);
  EXPECT_EQ(family.pick(9).bound, 20.25 / 10.5);
  EXPECT_EQ(read_file(path), before);
}

INSTANTIATE_TEST_SUITE_P(Schemas, Golden, ::testing::Values("v1.db"),
                         [](const auto& schema) { return std::string(schema.param).substr(0, 2); });

}  // namespace
}  // namespace kerntune::storage
