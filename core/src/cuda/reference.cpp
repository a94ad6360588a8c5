// SPDX-License-Identifier: Apache-2.0
#include "reference.hpp"

#include <fmt/format.h>

namespace kerntune::cuda {
namespace {

class DefaultReference final : public ReferenceSource {
 public:
  DefaultReference(const ReferenceSite& site, std::unique_ptr<CudaPrepared> prepared)
      : site_(site), prepared_(std::move(prepared)) {}

  ExpectedOutputs run(std::uint64_t seed, BufferSet& set) override {
    BufferSet& own = prepared_->buffers;
    require_same_outputs(set, own);
    run_watched(site_.context, own, seed, "the default configuration", [this] {
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
    require_usable(site_, outputs, own, "the default configuration");
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

void require_usable(const ReferenceSite& site, const ExpectedOutputs& outputs, const BufferSet& set, const char* who) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i]) continue;
    const BufferPlan& plan = set.plans()[i];
    const Elements elements{outputs[i]->data(), plan.count, plan.dtype};
    // NaN, which poison is for reals, differs from itself.
    const CheckResult wrong = site.kernels.compare(elements, elements.data, {}).wrong;
    if (wrong.count != 0)
      throw Rejected(
          Reason::wrong_result,
          fmt::format("{} leaves {}[{}] NaN or unwritten ({} of {} elements): nothing can be verified against it", who,
                      plan.name, wrong.first, wrong.count, plan.count));
  }
}

}  // namespace kerntune::cuda
