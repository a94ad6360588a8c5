// SPDX-License-Identifier: Apache-2.0
#include "content_digest.hpp"

#include <gtest/gtest.h>

#include <set>

#include "support/sample_records.hpp"

namespace kerntune::storage {
namespace {

using kerntune::testing::sample_final;
using kerntune::testing::sample_key;

// Made with Python's hashlib from the description in docs/cache-format.md.
TEST(ContentDigest, MatchesAnIndependentImplementation) {
  EXPECT_EQ(evaluation_id({.kernel = "gemm",
                           .code_digest = "c0de",
                           .config = "tile=4",
                           .dims = "batch=64",
                           .device_class = "cc90",
                           .toolchain = "nvrtc 13.0",
                           .policy = "l2=cold"}),
            "61240776f0f18a36c85940ebf12bc6076a72216e377ebf3a1024feed56153d69");
  EXPECT_EQ(to_hex(final_digest(sample_final())), "b45ec1dc184ece469677fa91ebc9aef46a351025b0d775cd45c9911941b95ce5");
}

TEST(ContentDigest, ChangesWithEveryFieldOfAKey) {
  std::set<std::string> ids = {evaluation_id(sample_key())};
  for (std::string EvaluationKey::* field :
       {&EvaluationKey::kernel, &EvaluationKey::code_digest, &EvaluationKey::config, &EvaluationKey::dims,
        &EvaluationKey::device_class, &EvaluationKey::toolchain, &EvaluationKey::policy}) {
    EvaluationKey key = sample_key();
    (key.*field) += "x";
    ids.insert(evaluation_id(key));
  }
  EXPECT_EQ(ids.size(), 8u);
}

TEST(ContentDigest, TellsFieldsApartWhoseTextsJoinToTheSame) {
  EvaluationKey a, b;
  a.kernel = "ab";
  a.code_digest = "c";
  b.kernel = "a";
  b.code_digest = "bc";
  EXPECT_NE(evaluation_id(a), evaluation_id(b));
}

TEST(ContentDigest, OfAFinalCoversItsTies) {
  FinalRecord record = sample_final();
  record.ties.pop_back();
  EXPECT_NE(final_digest(record), final_digest(sample_final()));
}

TEST(ContentDigest, DoesNotTellZeroFromMinusZero) {
  FinalRecord plus = sample_final(), minus = sample_final();
  plus.speedup = 0.0;
  minus.speedup = -0.0;
  EXPECT_EQ(final_digest(plus), final_digest(minus));
}

}  // namespace
}  // namespace kerntune::storage
