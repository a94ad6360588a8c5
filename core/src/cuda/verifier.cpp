// SPDX-License-Identifier: Apache-2.0
#include "verifier.hpp"

#include <algorithm>

#include "comparison.hpp"

namespace kerntune::cuda {
namespace {

std::vector<std::uint64_t> output_counts(const BufferSet& set) {
  std::vector<std::uint64_t> counts;
  for (const BufferPlan& plan : set.plans())
    if (is_output(plan.role)) counts.push_back(plan.count);
  return counts;
}

}  // namespace

Verification Verifier::verify(CudaPrepared& prepared, std::uint64_t seed) {
  // A configuration that ran before this one may have written anywhere.
  prepared.buffers.distrust_inputs();
  Verification total;
  total.seeds = {seed};
  std::vector<std::uint64_t> first;
  for (unsigned run = 0; run < kRunsPerSeed; ++run) {
    total.add(checked_run(prepared, {seed, run, "the kernel"}));
    ++total.runs;
    std::vector<std::uint64_t> digests = output_digests(site_, prepared.buffers);
    if (run > 0 && digests != first) total.deterministic = false;
    if (run == 0) first = std::move(digests);
  }
  return total;
}

Verification Verifier::checked_run(CudaPrepared& prepared, const WatchedRun& watched) {
  Outcome outcome = run_and_compare(prepared, watched, expected_for(prepared.buffers, watched.seed));
  if (outcome.rejection && !is_intact(kept_.front(), prepared.buffers)) {
    // What was expected has been overwritten: this configuration is not to blame for the difference.
    kept_.pop_front();
    outcome = run_and_compare(prepared, watched, expected_for(prepared.buffers, watched.seed));
  }
  if (outcome.rejection) throw Rejected(watched.run > 0 ? only_when_disturbed(*outcome.rejection) : *outcome.rejection);
  return outcome.verification;
}

const Verifier::Kept& Verifier::expected_for(BufferSet& set, std::uint64_t seed) {
  const std::vector<std::uint64_t> counts = output_counts(set);
  const auto known =
      std::ranges::find_if(kept_, [&](const Kept& kept) { return kept.seed == seed && kept.counts == counts; });
  if (known != kept_.end()) {
    kept_.splice(kept_.begin(), kept_, known);
    return kept_.front();
  }
  ExpectedOutputs outputs;
  try {
    outputs = source_->run(seed, set);
  } catch (const Rejected& rejected) {
    if (rejected.rejection().reason != Reason::out_of_memory || kept_.empty()) throw;
    kept_.clear();
    outputs = source_->run(seed, set);
  }
  std::vector<std::uint64_t> digests = digests_of(outputs, set);
  kept_.push_front({seed, counts, std::move(outputs), std::move(digests)});
  if (kept_.size() > kKept) kept_.pop_back();
  return kept_.front();
}

Verifier::Outcome Verifier::run_and_compare(CudaPrepared& prepared, const WatchedRun& watched, const Kept& expected) {
  BufferSet& set = prepared.buffers;
  run_watched(site_.context, site_.kernels, set, watched, [&] {
    prepared.activate();
    prepared.enqueue();
  });
  Outcome outcome;
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (!expected.outputs[i]) continue;
    const BufferPlan& plan = set.plans()[i];
    const BufferComparison compared =
        compare(site_, plan, set.data(i), expected.outputs[i]->data(), prepared.tolerances[i],
                poison_bits(plan.dtype, watched.seed, watched.run));
    if (compared.rejection) {
      outcome.rejection = compared.rejection;
      return outcome;
    }
    add_to(outcome.verification, plan.name, compared.found, watched.seed);
  }
  return outcome;
}

std::vector<std::uint64_t> Verifier::digests_of(const ExpectedOutputs& outputs, const BufferSet& set) {
  std::vector<std::uint64_t> digests;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    digests.push_back(
        outputs[i] ? site_.kernels.digest({outputs[i]->data(), set.plans()[i].count, set.plans()[i].dtype}) : 0);
  return digests;
}

}  // namespace kerntune::cuda
