// SPDX-License-Identifier: Apache-2.0
#include "cuda_test_kernels.hpp"

#include <kerntune/plugin/abi.h>

#include <fmt/format.h>

#include "cuda/driver_api.hpp"

#include <string_view>

namespace kerntune::testkernels {
namespace {

const kerntune_buffer* find(const kerntune_call* call, std::string_view name) {
  for (std::uint64_t i = 0; i < call->buffer_count; ++i)
    if (std::string_view(call->buffers[i]->name.data, call->buffers[i]->name.size) == name) return call->buffers[i];
  return nullptr;
}

/// c = a + b; without `b` a copy; with a buffer named "x" that is read and written, x = x + b.
kerntune_status add_reference(const kerntune_host*, const kerntune_call* call, kerntune_error*) noexcept {
  const bool in_place = find(call, "x") != nullptr;
  const auto* a = static_cast<const float*>(find(call, in_place ? "x" : "a")->data);
  const kerntune_buffer* b = find(call, "b");
  const kerntune_buffer* out = find(call, in_place ? "x" : "c");
  for (std::uint64_t i = 0; i < out->count; ++i)
    static_cast<float*>(out->data)[i] = a[i] + (b != nullptr ? static_cast<const float*>(b->data)[i] : 0);
  return KERNTUNE_OK;
}

struct Copy {
  CUdeviceptr from, to;
  std::size_t bytes;
  std::int64_t behaviour;  // 0: right, 1: waits for the stream, 2: launches nothing
};

kerntune_status prepare_copy(const kerntune_host*, const kerntune_call* call, void** state, kerntune_error*) noexcept {
  const kerntune_buffer *from = find(call, "a"), *to = find(call, "c");
  *state = new Copy{reinterpret_cast<CUdeviceptr>(from->data), reinterpret_cast<CUdeviceptr>(to->data),
                    from->count * sizeof(float), call->config[0].value.integer};
  return KERNTUNE_OK;
}

kerntune_status launch_copy(void* state, void* stream, kerntune_error*) noexcept {
  const auto& copy = *static_cast<Copy*>(state);
  const cuda::DriverApi& api = *cuda::driver_api();
  const auto on = static_cast<CUstream>(stream);
  if (copy.behaviour == 2) return KERNTUNE_OK;
  if (api.copy_on_device(copy.to, copy.from, copy.bytes, on) != CUDA_SUCCESS) return KERNTUNE_DEVICE_ERROR;
  if (copy.behaviour == 1 && api.stream_synchronize(on) != CUDA_SUCCESS) return KERNTUNE_DEVICE_ERROR;
  return KERNTUNE_OK;
}

void teardown_copy(void* state) noexcept { delete static_cast<Copy*>(state); }

const kerntune_kernel kKernel{KERNTUNE_KERNEL_SIZE, 0, {nullptr, 0}, prepare_copy, launch_copy, teardown_copy,
                              add_reference};

constexpr const char* kAddTolerances = R"([{"buffer": "c", "abs": "0", "rel": "1e-6", "reason": "one addition"}])";
constexpr const char* kAddBuffers = R"([
  {"name": "a", "dtype": "f32", "count": "batch", "role": "in", "fill": {"kind": "uniform", "a": -1, "b": 1}},
  {"name": "b", "dtype": "f32", "count": "batch", "role": "in", "fill": {"kind": "uniform", "a": 0, "b": 1}},
  {"name": "c", "dtype": "f32", "count": "batch", "role": "out"}])";

}  // namespace

std::string add_spec(const std::string& params, const std::string& steps, const std::string& text,
                     const std::string& extra) {
  std::string escaped;
  for (const char c : text.empty() ? std::string(kAddText) : text)
    escaped += c == '\n' ? "\\n" : c == '"' ? "\\\"" : c == '\\' ? "\\\\" : std::string(1, c);
  // What `extra` brings replaces the usual member.
  const auto usual = [&extra](const char* name, const std::string& value) {
    const std::string member = fmt::format("\"{}\"", name);
    return extra.find(member) == std::string::npos ? fmt::format(", {}: {}", member, value) : "";
  };
  return fmt::format(R"({{"kerntune_spec": 1, "name": "add", "revision": "1",
    "dims": [{{"name": "batch", "batch": true, "min": 1, "max": 100000000, "default": 1000}}],
    "params": {}, "code": {{"kind": "source", "file": "add.cu", "text": "{}"}}, "steps": {}{}{}{}}})",
                     params, escaped, steps, usual("tolerances", kAddTolerances), usual("buffers", kAddBuffers), extra);
}

std::string callable_spec() {
  return R"json({"kerntune_spec": 1, "name": "copy", "revision": "1",
    "dims": [{"name": "batch", "batch": true, "min": 1, "max": 100000000, "default": 1000}],
    "params": [{"name": "sync", "values": [0, 1, 2], "default": 0}],
    "code": {"kind": "callable", "runs": "cuda", "revision": "1"},
    "buffers": [{"name": "a", "dtype": "f32", "count": "batch", "role": "in"}, {"name": "c", "dtype": "f32", "count": "batch", "role": "out"}],
    "reference": {"host": true}})json";
}

Kernel kernel_of(const std::string& json) {
  KernelSpec spec = parse_spec(json, "test");
  auto plugin = std::make_unique<PluginKernel>(&kKernel, spec);
  return {std::make_shared<const SpecProgram>(std::move(spec)), std::move(plugin)};
}

SessionRequest request_for(const Kernel& kernel, std::int64_t batch, MeasurePolicy policy) {
  SessionRequest request;
  request.program = kernel.program;
  request.dims = kernel.program->complete_dims({{"batch", batch}});
  request.policy = policy;
  return request;
}

tl::expected<CompiledModule, Rejection> compile(const Kernel& kernel, const std::string& config, const Dims& dims,
                                                const DeviceInfo& device) {
  const search::Config values = config_of(kernel, config);
  const auto binding = kernel.program->bind(values, dims, device.properties);
  if (!binding) return tl::unexpected(binding.error());
  const auto plan = kernel.program->compile_plan(*binding);
  if (!plan) return tl::unexpected(plan.error());
  const auto& code = std::get<SourceCode>(kernel.program->spec().code);
  CompileJob job;
  job.file = code.file;
  job.source = code.text;
  job.options = plan->options;
  job.entries = plan->entries;
  job.register_cap = plan->register_cap;
  job.arch = device.arch;
  return nvrtc::compile(job);
}

search::Config config_of(const Kernel& kernel, const std::string& text) { return kernel.program->space().parse(text); }

}  // namespace kerntune::testkernels
