// SPDX-License-Identifier: Apache-2.0
#include "guarded_buffer.hpp"

#include <fmt/format.h>

namespace kerntune::cuda {
namespace {

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t step) { return (value + step - 1) / step * step; }

/// Front zone, data at any alignment, rear zone.
std::uint64_t bytes_for(const BufferPlan& plan) { return 2 * GuardedBuffer::kGuardBytes + plan.bytes + plan.alignment; }

}  // namespace

GuardedBuffer::GuardedBuffer(Context& context, EngineKernels& kernels, const BufferPlan& plan, unsigned index)
    : kernels_(kernels),
      name_(plan.name),
      index_(index),
      bytes_(plan.bytes),
      memory_(context, bytes_for(plan), fmt::format("buffer '{}'", plan.name)),
      data_(rounded_up(memory_.address() + kGuardBytes, plan.alignment)) {
  write_guards();
}

void GuardedBuffer::write_guards() {
  const CUdeviceptr begin = memory_.address(), rear = data_ + bytes_;
  kernels_.fill_guard(begin, data_ - begin, guard_key(1));
  kernels_.fill_guard(rear, begin + memory_.bytes() - rear, guard_key(2));
}

std::optional<std::string> GuardedBuffer::guard_damage() {
  const CUdeviceptr begin = memory_.address(), rear = data_ + bytes_;
  const CheckResult after = kernels_.check_guard(rear, begin + memory_.bytes() - rear, guard_key(2));
  if (after.count != 0)
    return fmt::format("wrote after the end of '{}': {} bytes changed, from byte {} after it to byte {}", name_,
                       after.count, after.first, after.end - 1);
  const std::uint64_t front_bytes = data_ - begin;
  const CheckResult before = kernels_.check_guard(begin, front_bytes, guard_key(1));
  if (before.count != 0)
    return fmt::format("wrote before the start of '{}': {} bytes changed, from {} bytes before it to {}", name_,
                       before.count, front_bytes - before.first, front_bytes - before.end + 1);
  return std::nullopt;
}

}  // namespace kerntune::cuda
