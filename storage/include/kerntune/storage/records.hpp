// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kerntune::storage {

/// Plain records of text and numbers: storage knows nothing of spaces, specs or devices.
/// Texts named *_json hold one JSON object made by the engine; storage does not look inside.

/// What makes two evaluations the same measurement. All texts canonical.
struct EvaluationKey {
  std::string kernel;
  std::string code_digest;
  std::string config;  // "block_x=128,tile=4"
  std::string dims;    // "batch=64,k=4096,n=4096", sorted by name
  std::string device_class;
  std::string toolchain;  // "nvrtc 13.0", or the plugin's build-id for callables
  std::string policy;     // "l2=cold,mode=eager,method=1"
  bool operator==(const EvaluationKey&) const = default;
};
/// SHA-256 (hex) of the key's fields, each with its length: the id of an evaluation.
std::string evaluation_id(const EvaluationKey& key);

enum class Status { measured, slower, rejected };  // slower: stopped early by racing; median_ns is a lower bound

struct EvaluationRecord {
  EvaluationKey key;
  std::string run_id;
  Status status = Status::rejected;
  std::string reason;              // Reason's name if rejected
  std::string message;             // for a person, if rejected
  double median_ns = 0;            // 0 if rejected
  std::vector<double> samples_ns;  // every launch timed, in order
  std::string verified;            // "reference", "against_default", "recorded", "no"
  bool proven = false;             // passed the whole verification, every seed and size: what a winner needs
  std::string reference_digest;    // of the reference and tolerances it was verified with
  std::string verification_json;   // {"max_abs_error":...}: what the last verification measured; "{}" if none
  std::string facts_json;          // {"regs":64,...}
  std::string compile_json;        // {"cubin":"<digest>","ms":123,...}
  std::int64_t started_unix_us = 0;
  std::int64_t wall_us = 0;  // on the device lane
};

/// A row that says "this evaluation is about to run", so that a killed run names its culprit.
struct StartedRecord {
  EvaluationKey key;
  std::string run_id;
  std::int64_t started_unix_us = 0;
};

struct RunRecord {
  std::string run_id;  // random 128-bit hex
  std::int64_t started_unix_us = 0;
  std::optional<std::int64_t> ended_unix_us;
  std::string kernel, spec_json, device_json, strategy, command, host, version;
  std::uint64_t seed = 0;
  std::string outcome;  // "", "done", "interrupted", "failed: ..."
};

/// The statement "this is the winner": the result of a final at one size.
struct FinalRecord {
  std::string kernel;
  std::string code_digest, space_digest, reference_digest;
  std::string dims;        // complete, canonical, with the batch
  std::string other_dims;  // dims without the batch: "k=4096,n=4096"
  std::string batch_dim;
  std::int64_t batch = 0;
  std::string device_class, toolchain, policy;
  std::string config, default_config;
  double time_ns = 0, default_time_ns = 0;
  double speedup = 0, speedup_low = 0,
         speedup_high = 0;        // paired median ratio default/best with its confidence interval
  std::string verified;           // as in the evaluation; never "no"
  std::string verification_json;  // as in the evaluation
  std::vector<std::string> ties;  // configurations that could not be separated from the winner, winner included
  bool unresolved = false;
  std::string details_json;  // rounds, finalists, facts
  std::string run_id;
  std::int64_t finished_unix_us = 0;
};

}  // namespace kerntune::storage
