// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "reference.hpp"

namespace kerntune::cuda {
namespace {

class HostReference final : public ReferenceSource {
 public:
  explicit HostReference(const ReferenceSite& site) : site_(site) {}

  ExpectedOutputs run(std::uint64_t seed, BufferSet& set) override {
    set.fill_inputs(seed);
    set.reset_inouts(seed);
    HostCopies copies = copies_of(set);
    accepted(site_.plugin->reference({DeviceKind::host, 0, &site_.program.spec(), &site_.dims, nullptr, copies.bound}));
    ExpectedOutputs outputs = make_outputs(site_, set);
    for (std::size_t i = 0; i < set.size(); ++i) {
      const std::uint64_t bytes = set.plans()[i].bytes;
      if (!outputs[i] || bytes == 0) continue;
      site_.context.check(site_.context.api().copy_to_device(outputs[i]->data(), copies.memory[i].data(), bytes,
                                                             site_.context.stream()),
                          "copy the host reference's outputs");
    }
    site_.context.synchronize("copy the host reference's outputs");
    return outputs;
  }

 private:
  struct HostCopies {
    std::vector<std::vector<std::uint64_t>> memory;  // words, so that every element type is aligned
    std::vector<BoundBuffer> bound;
  };

  /// Inputs and inouts as on the device, outputs and workspaces zero.
  HostCopies copies_of(const BufferSet& set) {
    HostCopies copies;
    for (std::size_t i = 0; i < set.size(); ++i) {
      const BufferPlan& plan = set.plans()[i];
      std::vector<std::uint64_t>& memory = copies.memory.emplace_back((plan.bytes + 7) / 8, 0);
      copies.bound.push_back({plan.name, plan.dtype, memory.data(), plan.count});
      const bool has_input = plan.role == BufferRole::in || plan.role == BufferRole::inout;
      if (!has_input || plan.bytes == 0) continue;
      site_.context.check(
          site_.context.api().copy_to_host(memory.data(), set.data(i), plan.bytes, site_.context.stream()),
          fmt::format("copy '{}' for the host reference", plan.name));
    }
    site_.context.synchronize("copy inputs for the host reference");
    return copies;
  }

  ReferenceSite site_;
};

}  // namespace

std::unique_ptr<ReferenceSource> reference_by_host(const ReferenceSite& site) {
  return std::make_unique<HostReference>(site);
}

}  // namespace kerntune::cuda
