// SPDX-License-Identifier: Apache-2.0
#include "engine_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include <kerntune/core/errors.hpp>

#include "embedded_text.hpp"
#include "measure/compare.hpp"

namespace kerntune::cuda {
namespace {

constexpr unsigned kThreads = 256;
constexpr std::uint64_t kBlocksPerSm = 8;

/// Long enough to overlap a launch and its beginning, short enough to cost nothing.
constexpr std::uint64_t kDisturbanceNs = 200'000;

compare::Tally tally_of(const CompareResult& result) {
  compare::Tally tally;
  tally.wrong = result.wrong.count;
  tally.first_wrong = result.wrong.first;
  tally.unwritten = result.unwritten.count;
  tally.first_unwritten = result.unwritten.first;
  tally.worst = result.worst;
  tally.max_abs = std::bit_cast<double>(static_cast<std::uint64_t>(result.max_abs_bits));
  tally.max_rel = std::bit_cast<double>(static_cast<std::uint64_t>(result.max_rel_bits));
  for (const CompareSums& sums : result.sums) {
    tally.error_squares += sums.error_squares;
    tally.expected_squares += sums.expected_squares;
    tally.got_squares += sums.got_squares;
    tally.products += sums.products;
  }
  return tally;
}

}  // namespace

CompileJob engine_kernels_job(const std::string& arch) {
  CompileJob job;
  job.file = "engine_kernels.cu";
  job.source = embedded_text("engine_kernels.cu");
  for (const char* header : {"measure/fill_params.hpp", "measure/fill_element.cuh", "measure/compare_params.hpp",
                             "measure/compare_element.cuh", "cuda/engine_results.hpp"})
    job.headers.emplace_back(header, embedded_text(header));
  job.options = {"--fmad=false"};
  job.entries = {"kerntune_fill",    "kerntune_check_fill",  "kerntune_fill_guard", "kerntune_check_guard",
                 "kerntune_compare", "kerntune_digest",      "kerntune_block",      "kerntune_empty",
                 "kerntune_disturb", "kerntune_count_equal", "kerntune_stamp",      "kerntune_spin"};
  job.arch = arch;
  return job;
}

CompiledModule compile_engine_kernels(const std::string& arch) {
  const CompileJob job = engine_kernels_job(arch);
  std::string why_not;
  const std::string version = nvrtc::version(&why_not);
  if (version.empty()) throw DeviceError(fmt::format("prepare the engine's kernels for {}: {}", arch, why_not));
  CubinCache cache(CubinCache::default_folder());
  CompiledModule module;
  if (cache.load(compile_key(job, version), module)) return module;
  auto compiled = nvrtc::compile(job);
  if (!compiled)
    throw DeviceError(fmt::format("prepare the engine's kernels for {}: {}", arch, compiled.error().message));
  cache.store(*compiled);
  return std::move(*compiled);
}

EngineKernels::EngineKernels(Context& context, const CompiledModule& module)
    : context_(context), result_(context, sizeof(CompareResult), "the engine's results") {
  const DriverApi& api = context_.api();
  require(api, api.module_load(&module_, module.cubin.data()), "load the engine's kernels");
  fill_ = function("kerntune_fill");
  check_fill_ = function("kerntune_check_fill");
  fill_guard_ = function("kerntune_fill_guard");
  check_guard_ = function("kerntune_check_guard");
  compare_ = function("kerntune_compare");
  digest_ = function("kerntune_digest");
  block_ = function("kerntune_block");
  empty_ = function("kerntune_empty");
  disturb_ = function("kerntune_disturb");
  count_ = function("kerntune_count_equal");
  stamp_ = function("kerntune_stamp");
  spin_ = function("kerntune_spin");
  sm_count_ = static_cast<unsigned>(std::max(1, context_.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)));
  max_blocks_ = kBlocksPerSm * sm_count_;
  require(api, api.stream_create(&aside_, CU_STREAM_NON_BLOCKING), "make a stream for disturbances");
}

EngineKernels::~EngineKernels() {
  if (aside_ != nullptr) context_.api().stream_destroy(aside_);
  context_.api().module_unload(module_);
}

CUfunction EngineKernels::function(const char* name) {
  CUfunction found = nullptr;
  require(context_.api(), context_.api().module_function(&found, module_, name),
          fmt::format("find the engine's kernel '{}'", name));
  return found;
}

void EngineKernels::launch(CUfunction kernel, std::uint64_t elements, void** arguments, const char* doing) {
  const auto blocks =
      static_cast<unsigned>(std::clamp<std::uint64_t>((elements + kThreads - 1) / kThreads, 1, max_blocks_));
  context_.check(context_.api().launch(kernel, blocks, 1, 1, kThreads, 1, 1, 0, context_.stream(), arguments, nullptr),
                 doing);
}

template <typename Result>
void EngineKernels::reset_result() {
  const Result nothing{};
  context_.check(context_.api().copy_to_device(result_.address(), &nothing, sizeof nothing, context_.stream()),
                 "reset a check's result");
}

template <typename Result>
Result EngineKernels::read_result() {
  Result result{};
  context_.check(context_.api().copy_to_host(&result, result_.address(), sizeof result, context_.stream()),
                 "read a check's result");
  context_.synchronize("read a check's result");
  return result;
}

void EngineKernels::fill(const Elements& elements, const fill::Params& params) {
  CUdeviceptr data = elements.data;
  fill::u64 count = elements.count, bytes = size_of(elements.type);
  fill::Params copy = params;
  void* arguments[] = {&data, &count, &bytes, &copy};
  launch(fill_, count, arguments, "fill a buffer");
}

CheckResult EngineKernels::check_fill(const Elements& elements, const fill::Params& params) {
  reset_result<CheckResult>();
  CUdeviceptr data = elements.data, result = result_.address();
  fill::u64 count = elements.count, bytes = size_of(elements.type);
  fill::Params copy = params;
  void* arguments[] = {&data, &count, &bytes, &copy, &result};
  launch(check_fill_, count, arguments, "check an input");
  return read_result<CheckResult>();
}

void EngineKernels::fill_guard(CUdeviceptr zone, std::uint64_t bytes, std::uint64_t key) {
  fill::u64 count = bytes, own_key = key;
  void* arguments[] = {&zone, &count, &own_key};
  launch(fill_guard_, bytes, arguments, "write a guard zone");
}

CheckResult EngineKernels::check_guard(CUdeviceptr zone, std::uint64_t bytes, std::uint64_t key) {
  reset_result<CheckResult>();
  CUdeviceptr result = result_.address();
  fill::u64 count = bytes, own_key = key;
  void* arguments[] = {&zone, &count, &own_key, &result};
  launch(check_guard_, bytes, arguments, "check a guard zone");
  return read_result<CheckResult>();
}

void EngineKernels::fill_constant(const Elements& elements, std::uint64_t bits) {
  fill::Params constant{};
  constant.type = fill::kU64;  // any integer type: the low bytes are written
  constant.kind = fill::kConstant;
  constant.low = bits;
  fill(elements, constant);
}

CheckResult EngineKernels::count_equal(const Elements& elements, std::uint64_t value) {
  reset_result<CheckResult>();
  CUdeviceptr data = elements.data, result = result_.address();
  fill::u64 count = elements.count, bytes = size_of(elements.type), bits = value;
  void* arguments[] = {&data, &count, &bytes, &bits, &result};
  launch(count_, count, arguments, "count elements");
  return read_result<CheckResult>();
}

compare::Tally EngineKernels::compare(const Elements& got, CUdeviceptr expected, const SpecProgram::Limits& limits,
                                      std::uint64_t poison) {
  reset_result<CompareResult>();
  CUdeviceptr data = got.data, result = result_.address();
  fill::u64 count = got.count;
  compare::Params params = compare_params(got.type, limits, poison);
  void* arguments[] = {&data, &expected, &count, &params, &result};
  launch(compare_, count, arguments, "compare an output");
  return tally_of(read_result<CompareResult>());
}

std::uint64_t EngineKernels::digest(const Elements& elements) {
  context_.check(context_.api().memset_bytes(result_.address(), 0, sizeof(std::uint64_t), context_.stream()),
                 "reset a digest");
  CUdeviceptr data = elements.data, result = result_.address();
  fill::u64 count = elements.count, bytes = size_of(elements.type);
  void* arguments[] = {&data, &count, &bytes, &result};
  launch(digest_, count, arguments, "digest a buffer");
  return read_result<std::uint64_t>();
}

void EngineKernels::block(CUdeviceptr flag, CUdeviceptr gave_up, std::uint64_t timeout_ns) {
  fill::u64 timeout = timeout_ns;
  void* arguments[] = {&flag, &gave_up, &timeout};
  context_.check(context_.api().launch(block_, 1, 1, 1, 1, 1, 1, 0, context_.stream(), arguments, nullptr),
                 "hold the stream");
}

void EngineKernels::stamp(CUdeviceptr cycles) {
  constexpr unsigned kBlocksEach = 2;  // so that the first multiprocessor gets one
  void* arguments[] = {&cycles};
  context_.check(
      context_.api().launch(stamp_, kBlocksEach * sm_count_, 1, 1, 1, 1, 1, 0, context_.stream(), arguments, nullptr),
      "read the multiprocessors' clock");
}

void EngineKernels::spin(std::uint64_t cycles) {
  fill::u64 count = cycles;
  void* arguments[] = {&count};
  context_.check(context_.api().launch(spin_, 1, 1, 1, 1, 1, 1, 0, context_.stream(), arguments, nullptr),
                 "calibrate the timer");
}

void EngineKernels::empty() {
  context_.check(context_.api().launch(empty_, 1, 1, 1, 1, 1, 1, 0, context_.stream(), nullptr, nullptr),
                 "launch the empty kernel");
}

void EngineKernels::disturb(std::uint64_t key) {
  constexpr unsigned kBlocksToDisturb = 2;  // per multiprocessor
  fill::u64 own_key = key, longest = kDisturbanceNs;
  void* arguments[] = {&own_key, &longest};
  context_.check(context_.api().launch(disturb_, kBlocksToDisturb * sm_count_, 1, 1, kThreads, 1, 1, 0, aside_,
                                       arguments, nullptr),
                 "disturb the device");
}

void EngineKernels::end_disturbance() {
  context_.check(context_.api().stream_synchronize(aside_), "end a disturbance of the device");
}

}  // namespace kerntune::cuda
