// SPDX-License-Identifier: Apache-2.0
#include "launch.hpp"

#include <fmt/format.h>

#include <cstring>

#include "tensor_map.hpp"

namespace kerntune::cuda {
namespace {

// More blocks per cluster than every device of the architecture promises need an opt-in.
constexpr unsigned kPortableClusterSize = 8;

unsigned cluster_size(const LaunchPlan& plan) { return plan.cluster[0] * plan.cluster[1] * plan.cluster[2]; }

}  // namespace

KernelLaunch::KernelLaunch(Context& context, std::shared_ptr<LoadedModule> module, CUfunction function, LaunchPlan plan,
                           const BufferSet& buffers)
    : KernelLaunch(context, std::move(module), function, std::move(plan), buffers, Unchecked{}) {
  check_parameters();
}

KernelLaunch::KernelLaunch(Context& context, std::shared_ptr<LoadedModule> module, CUfunction function, LaunchPlan plan,
                           const BufferSet& buffers, Unchecked)
    : context_(&context),
      module_(std::move(module)),
      function_(function),
      plan_(std::move(plan)),
      arguments_(plan_.args.size()) {
  for (const ArgPlan& argument : plan_.args) place(argument, buffers);
  for (Argument& argument : arguments_) pointers_.push_back(argument.bytes.data());
}

KernelLaunch KernelLaunch::on(const BufferSet& buffers) const {
  return {*context_, module_, function_, plan_, buffers, Unchecked{}};
}

void KernelLaunch::place(const ArgPlan& argument, const BufferSet& buffers) {
  unsigned char* bytes = arguments_[sizes_.size()].bytes.data();
  switch (argument.kind) {
    case ArgPlan::Kind::pointer: {
      const CUdeviceptr address = buffers.data(argument.buffer) + argument.offset_bytes;
      std::memcpy(bytes, &address, sizeof address);
      sizes_.push_back(sizeof address);
      break;
    }
    case ArgPlan::Kind::scalar:
      std::memcpy(bytes, argument.scalar.data(), argument.scalar_bytes);
      sizes_.push_back(argument.scalar_bytes);
      break;
    case ArgPlan::Kind::tensor_map: {
      const CUtensorMap map =
          encode_tensor_map(*context_, argument.tensor_map, buffers.data(argument.buffer), plan_.entry);
      static_assert(sizeof map == sizeof(Argument::bytes));
      std::memcpy(bytes, &map, sizeof map);
      sizes_.push_back(sizeof map);
      break;
    }
  }
}

/// A launch reads as many bytes per argument as the kernel declares, whatever is there: a mismatch would be a plausible
/// wrong number.
void KernelLaunch::check_parameters() const {
  const auto parameter = context_->api().function_parameter;
  if (parameter == nullptr) return;  // drivers before CUDA 12.4 cannot tell
  for (std::size_t i = 0;; ++i) {
    std::size_t offset = 0, size = 0;
    const bool declared = parameter(function_, i, &offset, &size) == CUDA_SUCCESS;
    if (!declared && i == sizes_.size()) return;
    if (!declared)
      throw Rejected(Reason::launch_error,
                     fmt::format("launch '{}': the kernel has {} parameters, the spec gives {} arguments", plan_.entry,
                                 i, sizes_.size()));
    if (i >= sizes_.size())
      throw Rejected(Reason::launch_error,
                     fmt::format("launch '{}': the kernel has a parameter {} ({} bytes), the spec gives {} arguments",
                                 plan_.entry, i + 1, size, sizes_.size()));
    if (size != sizes_[i])
      throw Rejected(Reason::launch_error,
                     fmt::format("launch '{}': parameter {} of the kernel has {} bytes, the spec's argument has {}",
                                 plan_.entry, i + 1, size, sizes_[i]));
  }
}

void KernelLaunch::activate() {
  const auto set = [this](CUfunction_attribute attribute, int value, const char* what) {
    context_->check(context_->api().function_set_attribute(function_, attribute, value),
                    fmt::format("set {} of '{}' to {}", what, plan_.entry, value));
  };
  set(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(plan_.shared_bytes),
      "the dynamic shared memory limit");
  set(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, plan_.carveout, "the shared memory carve-out");
  if (context_->attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) >= 9)
    set(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, cluster_size(plan_) > kPortableClusterSize ? 1 : 0,
        "the permission for large clusters");
}

void KernelLaunch::enqueue() {
  const DriverApi& api = context_->api();
  const std::string doing = "launch '" + plan_.entry + "'";
  const auto& [grid, block] = std::pair(plan_.grid, plan_.block);
  if (cluster_size(plan_) == 0 && !plan_.cooperative) {
    context_->check(api.launch(function_, grid[0], grid[1], grid[2], block[0], block[1], block[2], plan_.shared_bytes,
                               context_->stream(), pointers_.data(), nullptr),
                    doing);
    return;
  }
  if (api.launch_ex == nullptr)
    throw Rejected(Reason::unsupported,
                   doing + ": clusters and cooperative launches need a driver of CUDA 12 or newer");
  std::vector<CUlaunchAttribute> attributes;
  if (cluster_size(plan_) != 0) {
    CUlaunchAttribute& cluster = attributes.emplace_back();
    cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    cluster.value.clusterDim = {plan_.cluster[0], plan_.cluster[1], plan_.cluster[2]};
  }
  if (plan_.cooperative) {
    CUlaunchAttribute& cooperative = attributes.emplace_back();
    cooperative.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    cooperative.value.cooperative = 1;
  }
  const CUlaunchConfig config{grid[0],
                              grid[1],
                              grid[2],
                              block[0],
                              block[1],
                              block[2],
                              plan_.shared_bytes,
                              context_->stream(),
                              attributes.data(),
                              static_cast<unsigned>(attributes.size())};
  context_->check(api.launch_ex(&config, function_, pointers_.data(), nullptr), doing);
}

void MemsetRun::enqueue() {
  if (plan_.bytes == 0) return;
  context_->check(context_->api().memset_bytes(address_, plan_.byte, plan_.bytes, context_->stream()),
                  "run a memset step");
}

StepList StepList::on(const BufferSet& buffers) const {
  StepList moved;
  for (const auto& step : steps_)
    std::visit([&](const auto& run) { moved.steps_.emplace_back(run.on(buffers)); }, step);
  return moved;
}

void StepList::activate() {
  for (auto& step : steps_) std::visit([](auto& run) { run.activate(); }, step);
}

void StepList::enqueue() {
  for (auto& step : steps_) std::visit([](auto& run) { run.enqueue(); }, step);
}

}  // namespace kerntune::cuda
