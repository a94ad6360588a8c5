// SPDX-License-Identifier: Apache-2.0
#include "comparison.hpp"

#include <fmt/format.h>

#include <bit>

#include "host/compare.hpp"

namespace kerntune::cuda {
namespace {

/// One element, as bits in the low end.
std::uint64_t read_element(Context& context, CUdeviceptr data, std::uint64_t index, std::size_t bytes) {
  std::uint64_t bits = 0;
  context.check(context.api().copy_to_host(&bits, data + index * bytes, bytes, context.stream()),
                "read an output's element");
  context.synchronize("read an output's element");
  return bits;
}

Rejection unwritten(const BufferPlan& plan, const CheckResult& found) {
  return {Reason::unwritten_output, fmt::format("left {} of {} elements of '{}' unwritten, the first is {}[{}]",
                                                found.count, plan.count, plan.name, plan.name, found.first)};
}

}  // namespace

BufferComparison compare(const ReferenceSite& site, const BufferPlan& plan, CUdeviceptr got, CUdeviceptr expected,
                         const SpecProgram::Limits& limits, std::uint64_t seed) {
  const CompareResult result = site.kernels.compare({got, plan.count, plan.dtype}, expected,
                                                    {limits.abs, limits.rel, poison_bits(plan.dtype, seed)});
  BufferComparison comparison;
  comparison.max_abs_error = std::bit_cast<double>(static_cast<std::uint64_t>(result.max_abs_bits));
  comparison.max_rel_error = std::bit_cast<double>(static_cast<std::uint64_t>(result.max_rel_bits));
  if (result.unwritten.count != 0) {
    comparison.rejection = unwritten(plan, result.unwritten);
  } else if (result.wrong.count != 0) {
    const std::size_t bytes = size_of(plan.dtype);
    const std::uint64_t got_bits = read_element(site.context, got, result.wrong.first, bytes);
    const std::uint64_t expected_bits = read_element(site.context, expected, result.wrong.first, bytes);
    Comparison text = compare_host(plan.dtype, &got_bits, &expected_bits, 1, limits);
    text.first = result.wrong.first;
    text.mismatches = result.wrong.count;
    text.elements = plan.count;
    comparison.rejection = {Reason::wrong_result, describe_mismatch(plan.name, text, limits)};
  }
  return comparison;
}

}  // namespace kerntune::cuda
