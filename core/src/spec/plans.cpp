// SPDX-License-Identifier: Apache-2.0
#include "spec/plans.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace kerntune {
namespace {

constexpr std::int64_t kLargestBuffer = INT64_C(1) << 40;  // 1 TiB: above that a size is a mistake
constexpr std::int64_t kLargestAlignment = 65536;
constexpr std::int64_t kMostGridX = INT32_MAX;  // CUDA, all compute capabilities
constexpr std::int64_t kMostGridYZ = 65535;
constexpr std::int64_t kMostRegisters = 255;
constexpr std::int64_t kMostCluster = 1024;  // more is nonsense; what the device allows is looked at later
constexpr std::array<std::uint32_t, 3> kNoCluster{1, 1, 1};
constexpr std::int64_t kMostSharedBytes = INT64_C(1) << 30;
// cuTensorMapEncodeTiled: dims up to 2^32, strides below 2^40, boxes up to 256, element strides up to 8
constexpr std::int64_t kMostTensorDim = INT64_C(1) << 32;
constexpr std::int64_t kMostTensorStride = (INT64_C(1) << 40) - 16;
constexpr std::int64_t kMostTensorBox = 256;
constexpr std::int64_t kMostElementStride = 8;

std::uint32_t narrow(std::int64_t value) { return static_cast<std::uint32_t>(value); }

std::array<std::uint32_t, 3> triple(const ExpressionTriple& expressions, const std::array<std::int64_t, 3>& most,
                                    const Evaluator& evaluator) {
  std::array<std::uint32_t, 3> values{1, 1, 1};
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = narrow(evaluator.integer_or(expressions[i], 1, 1, most[i]));
  return values;
}

// All 1, or not given: no cluster launch, which is the same to the kernel and works on every device.
std::array<std::uint32_t, 3> cluster_of(const CompiledLaunch& step, const std::array<std::uint32_t, 3>& grid,
                                        const Evaluator& evaluator) {
  const auto cluster = triple(step.cluster, {kMostCluster, kMostCluster, kMostCluster}, evaluator);
  if (cluster == kNoCluster) return {0, 0, 0};
  for (std::size_t i = 0; i < grid.size(); ++i)
    if (grid[i] % cluster[i] != 0)
      evaluator.reject(*step.cluster[i],
                       fmt::format("is {}, which does not divide the grid's {} blocks", cluster[i], grid[i]));
  return cluster;
}

std::string entry_of(const CompiledLaunch& step, const Evaluator& evaluator) {
  std::string entry;
  for (const EntryTemplate::Piece& piece : step.entry.pieces) {
    entry += piece.text;
    if (piece.slot) entry += evaluator.text(*piece.slot);
  }
  return entry;
}

std::int64_t block_threads(const CompiledLaunch& step, const Evaluator& evaluator) {
  std::int64_t threads = 1;
  for (const std::uint32_t extent : triple(step.block, {kMostGridX, kMostGridX, kMostGridX}, evaluator))
    if (__builtin_mul_overflow(threads, std::int64_t{extent}, &threads)) return INT64_MAX;
  return threads;
}

std::uint64_t offset_in(const OptionalExpression& offset, const BufferPlan& buffer, const Evaluator& evaluator) {
  const auto last = static_cast<std::int64_t>(buffer.count == 0 ? 0 : buffer.count - 1);
  const auto elements = static_cast<std::uint64_t>(evaluator.integer_or(offset, 0, 0, INT64_MAX));
  if (elements > static_cast<std::uint64_t>(last))
    evaluator.reject(*offset,
                     fmt::format("is {}, beyond the {} elements of '{}'", elements, buffer.count, buffer.name));
  return elements * size_of(buffer.dtype);
}

ArgPlan plan(const CompiledBufferArg& arg, std::span<const BufferPlan> buffers, const Evaluator& evaluator) {
  ArgPlan out;
  out.kind = ArgPlan::Kind::pointer;
  out.buffer = arg.buffer;
  out.offset_bytes = offset_in(arg.offset, buffers[arg.buffer], evaluator);
  return out;
}

ArgPlan plan(const CompiledScalarArg& arg, std::span<const BufferPlan>, const Evaluator& evaluator) {
  ArgPlan out;
  out.kind = ArgPlan::Kind::scalar;
  out.scalar = evaluator.scalar(arg.value, arg.dtype);
  out.scalar_bytes = size_of(arg.dtype);
  return out;
}

template <class T>
std::vector<T> integers(const std::vector<PlacedExpression>& expressions, std::int64_t most,
                        const Evaluator& evaluator) {
  std::vector<T> values;
  for (const PlacedExpression& expression : expressions)
    values.push_back(static_cast<T>(evaluator.integer(expression, 1, most)));
  return values;
}

ArgPlan plan(const CompiledTensorMap& arg, std::span<const BufferPlan> buffers, const Evaluator& evaluator) {
  ArgPlan out;
  out.kind = ArgPlan::Kind::tensor_map;
  out.buffer = arg.buffer;
  ArgPlan::TensorMap& map = out.tensor_map;
  map.dtype = buffers[arg.buffer].dtype;
  map.dims = integers<std::uint64_t>(arg.dims, kMostTensorDim, evaluator);
  map.strides = integers<std::uint64_t>(arg.strides, kMostTensorStride, evaluator);
  map.box = integers<std::uint32_t>(arg.box, kMostTensorBox, evaluator);
  map.element_strides = integers<std::uint32_t>(arg.element_strides, kMostElementStride, evaluator);
  if (map.element_strides.empty()) map.element_strides.assign(map.dims.size(), 1);
  for (std::size_t i = 0; i < map.strides.size(); ++i)
    if (map.strides[i] % 16 != 0)
      evaluator.reject(arg.strides[i], fmt::format("is {}, expected a multiple of 16 bytes", map.strides[i]));
  map.swizzle = arg.source->swizzle;
  map.interleave = arg.source->interleave;
  map.l2_promotion = arg.source->l2_promotion;
  map.oob_fill = arg.source->oob_fill;
  return out;
}

StepPlan plan(const CompiledLaunch& step, std::span<const BufferPlan> buffers, const Evaluator& evaluator) {
  LaunchPlan out;
  out.entry = entry_of(step, evaluator);
  out.grid = triple(step.grid, {kMostGridX, kMostGridYZ, kMostGridYZ}, evaluator);
  out.block = triple(step.block, {kMostGridX, kMostGridX, kMostGridX}, evaluator);
  out.cluster = cluster_of(step, out.grid, evaluator);
  out.shared_bytes = narrow(evaluator.integer_or(step.shared_bytes, 0, 0, kMostSharedBytes));
  out.carveout = static_cast<std::int32_t>(evaluator.integer_or(step.carveout, -1, -1, 100));
  out.cooperative = evaluator.truth_or(step.cooperative, false);
  for (const CompiledArg& arg : step.args) out.args.push_back(plan_arg(arg, buffers, evaluator));
  return out;
}

StepPlan plan(const CompiledMemset& step, std::span<const BufferPlan> buffers, const Evaluator& evaluator) {
  const BufferPlan& buffer = buffers[step.buffer];
  MemsetPlan out;
  out.buffer = step.buffer;
  out.byte = step.byte;
  out.offset_bytes = offset_in(step.offset, buffer, evaluator);
  const std::uint64_t left = (buffer.bytes - out.offset_bytes) / size_of(buffer.dtype);
  const auto count =
      static_cast<std::uint64_t>(evaluator.integer_or(step.count, static_cast<std::int64_t>(left), 0, INT64_MAX));
  if (count > left)
    evaluator.reject(*step.count, fmt::format("is {}, beyond the {} elements left of '{}'", count, left, buffer.name));
  out.bytes = count * size_of(buffer.dtype);
  return out;
}

}  // namespace

BufferPlan plan_buffer(const BufferSpec& buffer, const CompiledBuffer& compiled, const Evaluator& evaluator) {
  BufferPlan out;
  out.name = buffer.name;
  out.dtype = buffer.dtype;
  out.role = buffer.role;
  out.fill = buffer.fill;
  const auto size = static_cast<std::int64_t>(size_of(buffer.dtype));
  const std::int64_t fewest = buffer.role == BufferRole::workspace ? 0 : 1;  // a configuration may need no workspace
  const std::int64_t count = evaluator.integer(compiled.count, fewest, INT64_MAX);
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes) || bytes > kLargestBuffer)
    evaluator.reject(compiled.count, fmt::format("is {} elements of {} bytes, above 1 TiB for one buffer", count, size),
                     Reason::out_of_memory);
  out.count = static_cast<std::uint64_t>(count);
  out.bytes = static_cast<std::uint64_t>(bytes);
  out.alignment = static_cast<std::uint64_t>(evaluator.integer_or(compiled.alignment, 256, 1, kLargestAlignment));
  if (!std::has_single_bit(out.alignment))
    evaluator.reject(*compiled.alignment, fmt::format("is {}, expected a power of two", out.alignment));
  return out;
}

CompilePlan plan_compile(const CompiledCode& code, const std::vector<CompiledStep>& steps, const Evaluator& evaluator) {
  CompilePlan out;
  out.options = code.options;
  for (const CompiledDefine& define : code.defines)
    out.options.push_back(
        fmt::format("-D{}={}", define.name, Evaluator::text(evaluator.value(define.value), "1", "0")));
  const auto blocks = evaluator.integer_or(code.min_blocks_per_sm, 0, 0, INT32_MAX);
  bool is_first = true;
  for (const CompiledStep& step : steps) {
    const auto* launch = std::get_if<CompiledLaunch>(&step);
    if (launch == nullptr) continue;
    if (is_first && code.mentions_block_threads && !launch->block_reads_facts)
      out.options.push_back(fmt::format("-DKERNTUNE_BLOCK_THREADS={}", block_threads(*launch, evaluator)));
    const bool runs = plan_runs(step, evaluator);
    if (is_first && runs && blocks > 0 && !launch->block_reads_facts)
      out.bounded_threads = block_threads(*launch, evaluator);
    is_first = false;
    if (!runs) continue;
    std::string entry = entry_of(*launch, evaluator);
    if (std::find(out.entries.begin(), out.entries.end(), entry) == out.entries.end())
      out.entries.push_back(std::move(entry));
  }
  out.min_blocks_per_sm = blocks;
  if (blocks > 0) out.options.push_back(fmt::format("-DKERNTUNE_MIN_BLOCKS_PER_SM={}", blocks));
  out.register_cap = evaluator.integer_or(code.register_cap, 0, 0, kMostRegisters);
  return out;
}

StepPlan plan_step(const CompiledStep& step, std::span<const BufferPlan> buffers, const Evaluator& evaluator) {
  return std::visit([&](const auto& s) { return plan(s, buffers, evaluator); }, step);
}

LaunchPlan plan_known(const CompiledLaunch& step, const Evaluator& evaluator) {
  LaunchPlan out;
  out.entry = entry_of(step, evaluator);
  if (!step.block_reads_facts) out.block = triple(step.block, {kMostGridX, kMostGridX, kMostGridX}, evaluator);
  out.cluster = triple(step.cluster, {kMostCluster, kMostCluster, kMostCluster}, evaluator);
  if (out.cluster == kNoCluster) out.cluster = {0, 0, 0};
  if (!step.shared_reads_facts)
    out.shared_bytes = narrow(evaluator.integer_or(step.shared_bytes, 0, 0, kMostSharedBytes));
  return out;
}

bool plan_runs(const CompiledStep& step, const Evaluator& evaluator) {
  return std::visit([&](const auto& s) { return evaluator.truth_or(s.when, true); }, step);
}

ArgPlan plan_arg(const CompiledArg& arg, std::span<const BufferPlan> buffers, const Evaluator& evaluator) {
  return std::visit([&](const auto& a) { return plan(a, buffers, evaluator); }, arg);
}

}  // namespace kerntune
