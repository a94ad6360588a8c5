// SPDX-License-Identifier: Apache-2.0
#include "reference.hpp"

#include <fmt/format.h>

#include "measure/compare.hpp"

namespace kerntune::cuda {
namespace {

class DefaultReference final : public ReferenceSource {
 public:
  DefaultReference(const ReferenceSite& site, std::unique_ptr<CudaPrepared> prepared)
      : site_(site), prepared_(std::move(prepared)) {}

  ExpectedOutputs run(std::uint64_t seed, BufferSet& set) override {
    BufferSet& own = prepared_->buffers;
    require_same_outputs(set, own);
    run_reference(site_, own, seed, "the default configuration", [this] {
      prepared_->activate();
      prepared_->enqueue();
    });
    ExpectedOutputs outputs = make_outputs(site_, own);
    for (std::size_t i = 0; i < own.size(); ++i) {
      const std::uint64_t bytes = own.plans()[i].bytes;
      if (!outputs[i] || bytes == 0) continue;
      site_.context.check(
          site_.context.api().copy_on_device(outputs[i]->data(), own.data(i), bytes, site_.context.stream()),
          "keep the default configuration's outputs");
    }
    return outputs;
  }

 private:
  static void require_same_outputs(const BufferSet& set, const BufferSet& own) {
    for (std::size_t i = 0; i < set.size(); ++i) {
      const BufferPlan &here = set.plans()[i], &there = own.plans()[i];
      if (is_output(here.role) && here.count != there.count)
        throw Rejected(Reason::unsupported, fmt::format("verify: output '{}' has {} elements here and {} in the "
                                                        "default configuration, which is all there is to "
                                                        "compare with; give the kernel a reference",
                                                        here.name, here.count, there.count));
    }
  }

  ReferenceSite site_;
  std::unique_ptr<CudaPrepared> prepared_;
};

}  // namespace

std::unique_ptr<ReferenceSource> reference_by_default(const ReferenceSite& site,
                                                      std::unique_ptr<CudaPrepared> prepared) {
  return std::make_unique<DefaultReference>(site, std::move(prepared));
}

ExpectedOutputs make_outputs(const ReferenceSite& site, const BufferSet& set) {
  ExpectedOutputs outputs(set.size());
  for (std::size_t i = 0; i < set.size(); ++i)
    if (is_output(set.plans()[i].role))
      outputs[i] =
          std::make_shared<GuardedBuffer>(site.context, site.kernels, set.plans()[i], static_cast<unsigned>(i));
  return outputs;
}

std::vector<std::uint64_t> output_digests(const ReferenceSite& site, const BufferSet& set) {
  std::vector<std::uint64_t> digests;
  for (std::size_t i = 0; i < set.size(); ++i)
    digests.push_back(is_output(set.plans()[i].role) ? site.kernels.digest(set.elements(i)) : 0);
  return digests;
}

void run_reference(const ReferenceSite& site, BufferSet& set, std::uint64_t seed, const char* who,
                   const std::function<void()>& enqueue) {
  run_watched(site.context, site.kernels, set, {seed, 0, who}, enqueue);
  bool any_integers = false;
  for (std::size_t i = 0; i < set.size(); ++i) {
    const BufferPlan& plan = set.plans()[i];
    if (plan.role != BufferRole::out) continue;
    any_integers = any_integers || !is_real(plan.dtype);
    if (!is_real(plan.dtype)) continue;
    const CheckResult left = site.kernels.count_equal(set.elements(i), poison_bits(plan.dtype, seed, 0));
    if (left.count != 0)
      throw Rejected(Reason::wrong_result,
                     fmt::format("{} leaves {}[{}] unwritten ({} of {} elements): nothing can be verified against it",
                                 who, plan.name, left.first, left.count, plan.count));
  }
  if (!any_integers) return;
  const std::vector<std::uint64_t> first = output_digests(site, set);
  run_watched(site.context, site.kernels, set, {seed, 1, who}, enqueue);
  const std::vector<std::uint64_t> second = output_digests(site, set);
  for (std::size_t i = 0; i < set.size(); ++i)
    if (!is_real(set.plans()[i].dtype) && first[i] != second[i])
      throw Rejected(Reason::wrong_result,
                     fmt::format("{} leaves elements of '{}' unwritten, or gives other values in a second run: nothing "
                                 "can be verified against it",
                                 who, set.plans()[i].name));
}

}  // namespace kerntune::cuda
