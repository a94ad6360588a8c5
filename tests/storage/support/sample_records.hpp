// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <kerntune/storage/result_store.hpp>

namespace kerntune::testing {

inline storage::EvaluationKey sample_key(const std::string& config = "block_x=128,tile=4") {
  return {.kernel = "gemm",
          .code_digest = std::string(64, 'c'),
          .config = config,
          .dims = "batch=64,k=4096,n=4096",
          .device_class = "cc90-sm132",
          .toolchain = "nvrtc 13.0",
          .policy = "l2=cold,mode=eager,method=1"};
}

inline storage::EvaluationRecord sample_evaluation(const std::string& config = "block_x=128,tile=4") {
  return {.key = sample_key(config),
          .run_id = "0123456789abcdef0123456789abcdef",
          .status = storage::Status::measured,
          .reason = {},
          .message = {},
          .median_ns = 20.5,
          .samples_ns = {20.25, 20.5, 1e300, 0.0},
          .verified = "reference",
          .proven = true,
          .reference_digest = std::string(64, 'e'),
          .verification_json = R"({"max_abs_error":1e-7})",
          .facts_json = R"({"regs":64})",
          .compile_json = R"({"ms":123})",
          .started_unix_us = 1'700'000'000'000'000,
          .wall_us = 350'000};
}

inline storage::StartedRecord sample_started(const std::string& config = "block_x=128,tile=4",
                                             const std::string& run_id = "run-a") {
  return {.key = sample_key(config), .run_id = run_id, .started_unix_us = 1'700'000'000'000'001};
}

inline storage::RunRecord sample_run(const std::string& run_id = "run-a") {
  return {.run_id = run_id,
          .started_unix_us = 1'700'000'000'000'000,
          .ended_unix_us = {},
          .kernel = "gemm",
          .spec_json = R"({"name":"gemm"})",
          .device_json = R"({"name":"H200"})",
          .strategy = "random",
          .command = "kerntune tune gemm",
          .host = "node7",
          .version = "0.1.0",
          .seed = 0xfedcba9876543210u,
          .outcome = {}};
}

inline storage::FinalRecord sample_final(std::int64_t batch = 64, double time_ns = 20.5) {
  return {.kernel = "gemm",
          .code_digest = std::string(64, 'c'),
          .space_digest = std::string(64, '5'),
          .reference_digest = std::string(64, 'e'),
          .dims = "batch=" + std::to_string(batch) + ",k=4096,n=4096",
          .other_dims = "k=4096,n=4096",
          .batch_dim = "batch",
          .batch = batch,
          .device_class = "cc90-sm132",
          .toolchain = "nvrtc 13.0",
          .policy = "l2=cold,mode=eager,method=1",
          .config = "block_x=128,tile=" + std::to_string(batch),
          .default_config = "block_x=64,tile=1",
          .time_ns = time_ns,
          .default_time_ns = 41,
          .speedup = 2,
          .speedup_low = 1.9,
          .speedup_high = 2.1,
          .verified = "reference",
          .verification_json = R"({"max_abs_error":1e-7})",
          .ties = {"block_x=128,tile=" + std::to_string(batch), "block_x=256,tile=2"},
          .unresolved = false,
          .details_json = R"({"rounds":12})",
          .run_id = "run-a",
          .finished_unix_us = 1'700'000'000'000'000};
}

/// The evaluation that a winner rests on.
inline storage::EvaluationRecord proof_of(const storage::FinalRecord& winner) {
  storage::EvaluationRecord proof = sample_evaluation(winner.config);
  proof.key = {.kernel = winner.kernel,
               .code_digest = winner.code_digest,
               .config = winner.config,
               .dims = winner.dims,
               .device_class = winner.device_class,
               .toolchain = winner.toolchain,
               .policy = winner.policy};
  proof.verified = winner.verified;
  proof.reference_digest = winner.reference_digest;
  return proof;
}

inline void record_winner(storage::ResultStore& store, const storage::FinalRecord& winner) {
  const storage::EvaluationRecord proof = proof_of(winner);
  store.commit({&proof, 1}, {});
  store.record_final(winner);
}

}  // namespace kerntune::testing
