// SPDX-License-Identifier: Apache-2.0
#include "comparison.hpp"

namespace kerntune::cuda {
namespace {

double read_element(Context& context, const BufferPlan& plan, CUdeviceptr data, std::uint64_t index) {
  const std::size_t bytes = size_of(plan.dtype);
  std::uint64_t bits = 0;
  context.check(context.api().copy_to_host(&bits, data + index * bytes, bytes, context.stream()),
                "read an output's element");
  context.synchronize("read an output's element");
  return element_value(plan.dtype, bits);
}

}  // namespace

BufferComparison compare(const ReferenceSite& site, const BufferPlan& plan, CUdeviceptr got, CUdeviceptr expected,
                         const SpecProgram::Limits& limits, std::uint64_t poison) {
  BufferComparison comparison;
  OutputComparison& c = comparison.found;
  c = comparison_of(site.kernels.compare({got, plan.count, plan.dtype}, expected, limits, poison), plan.count);
  const auto value = [&](CUdeviceptr data, std::uint64_t at) { return read_element(site.context, plan, data, at); };
  if (c.unwritten != 0 && plan.role == BufferRole::out) {
    comparison.rejection = {Reason::unwritten_output, describe_unwritten(plan.name, c)};
  } else if (c.mismatches != 0) {
    c.got = value(got, c.first);
    c.expected = value(expected, c.first);
    comparison.rejection = {Reason::wrong_result, describe_mismatch(plan.name, c, limits)};
  } else if (c.max_abs_error > 0) {
    c.worst_got = value(got, c.worst);
    c.worst_expected = value(expected, c.worst);
  }
  return comparison;
}

}  // namespace kerntune::cuda
