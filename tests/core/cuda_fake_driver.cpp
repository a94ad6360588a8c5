// SPDX-License-Identifier: Apache-2.0
#include "cuda_fake_driver.hpp"

#include <fmt/format.h>

#include <cstring>

#include "cuda_engine_emulation.hpp"

namespace kerntune::cuda {
namespace {

FakeDriver* fake = nullptr;

#define KERNTUNE_UNLESS_LOST \
  if (fake->sticky != CUDA_SUCCESS) return fake->sticky

struct FakeEvent {
  double at_ns = -1;
};
struct FakeGraph {
  std::vector<FakeDriver::Operation> operations;
};

template <typename Handle>
Handle handle(void* object) {
  return static_cast<Handle>(object);
}

CUresult error_name(CUresult code, const char** text) {
  *text = code == CUDA_ERROR_ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : code == CUDA_ERROR_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY"
                                             : "CUDA_ERROR";
  return CUDA_SUCCESS;
}
CUresult error_text(CUresult, const char** text) { return *text = "as the fake was told", CUDA_SUCCESS; }

CUresult device_attribute(int* value, CUdevice_attribute which, CUdevice) {
  const auto at = fake->attributes.find(which);
  *value = at != fake->attributes.end() ? at->second : 0;
  return CUDA_SUCCESS;
}

CUresult memory_alloc(CUdeviceptr* address, std::size_t bytes) {
  KERNTUNE_UNLESS_LOST;
  if (fake->allocated_bytes() + bytes > fake->memory_limit) return CUDA_ERROR_OUT_OF_MEMORY;
  std::vector<unsigned char> block(bytes + 256, 0xcd);
  *address = (reinterpret_cast<CUdeviceptr>(block.data()) + 255) / 256 * 256;
  fake->memory.emplace(*address, std::move(block));
  return CUDA_SUCCESS;
}
CUresult memory_free(CUdeviceptr address) {
  return fake->memory.erase(address) == 1 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult host_alloc(void** host, std::size_t bytes, unsigned) {
  *host = std::calloc(bytes, 1);
  ++fake->host_allocations;
  return CUDA_SUCCESS;
}
CUresult host_free(void* host) {
  std::free(host);
  --fake->host_allocations;
  return CUDA_SUCCESS;
}

CUresult copy_to_device(CUdeviceptr target, const void* source, std::size_t bytes, CUstream) {
  KERNTUNE_UNLESS_LOST;
  std::memcpy(reinterpret_cast<void*>(target), source, bytes);
  return CUDA_SUCCESS;
}
CUresult copy_to_host(void* target, CUdeviceptr source, std::size_t bytes, CUstream) {
  KERNTUNE_UNLESS_LOST;
  std::memcpy(target, reinterpret_cast<const void*>(source), bytes);
  return CUDA_SUCCESS;
}
CUresult copy_on_device(CUdeviceptr target, CUdeviceptr source, std::size_t bytes, CUstream) {
  KERNTUNE_UNLESS_LOST;
  fake->pass(static_cast<double>(bytes) / 100);
  std::memmove(reinterpret_cast<void*>(target), reinterpret_cast<const void*>(source), bytes);
  return CUDA_SUCCESS;
}
CUresult memset_bytes(CUdeviceptr target, unsigned char byte, std::size_t bytes, CUstream) {
  KERNTUNE_UNLESS_LOST;
  return fake->submit([=] {
    fake->log.push_back(fmt::format("memset {}", bytes));
    std::memset(reinterpret_cast<void*>(target), byte, bytes);
    fake->pass(100);
    return CUDA_SUCCESS;
  });
}

CUresult module_load(CUmodule* module, const void*) {
  KERNTUNE_UNLESS_LOST;
  *module = handle<CUmodule>(fake);
  ++fake->module_loads;
  fake->most_loaded_modules = std::max(fake->most_loaded_modules, ++fake->loaded_modules);
  return CUDA_SUCCESS;
}
CUresult module_function(CUfunction* function, CUmodule, const char* name) {
  KERNTUNE_UNLESS_LOST;
  const bool is_engine = std::string_view(name).starts_with("kerntune_");
  if (!is_engine && !fake->kernels.contains(name)) return CUDA_ERROR_NOT_FOUND;
  *function = reinterpret_cast<CUfunction>(&fake->function(name));
  return CUDA_SUCCESS;
}
CUresult module_global(CUdeviceptr* address, std::size_t* bytes, CUmodule, const char* name) {
  const auto at = fake->globals.find(name);
  if (at == fake->globals.end()) return CUDA_ERROR_NOT_FOUND;
  *address = reinterpret_cast<CUdeviceptr>(at->second.data());
  *bytes = at->second.size();
  return CUDA_SUCCESS;
}

FakeDriver::Function& function_of(CUfunction function) { return *reinterpret_cast<FakeDriver::Function*>(function); }

CUresult function_attribute(int* value, CUfunction_attribute which, CUfunction function) {
  KERNTUNE_UNLESS_LOST;
  const FakeKernel& kernel = *function_of(function).kernel;
  *value = which == CU_FUNC_ATTRIBUTE_NUM_REGS                ? kernel.regs
           : which == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? kernel.max_threads
           : which == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES     ? kernel.static_shared
           : which == CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES      ? kernel.local_bytes
                                                              : 0;
  return CUDA_SUCCESS;
}
CUresult function_set_attribute(CUfunction function, CUfunction_attribute which, int value) {
  KERNTUNE_UNLESS_LOST;
  function_of(function).attributes[which] = value;
  fake->log.push_back(fmt::format("attribute {} {}={}", function_of(function).name, static_cast<int>(which), value));
  return CUDA_SUCCESS;
}
CUresult function_parameter(CUfunction function, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  const std::vector<std::size_t>& sizes = function_of(function).kernel->parameter_bytes;
  if (index >= sizes.size()) return CUDA_ERROR_INVALID_VALUE;
  *offset = 0;
  *bytes = sizes[index];
  return CUDA_SUCCESS;
}
CUresult max_active_blocks(int* blocks, CUfunction function, int, std::size_t) {
  KERNTUNE_UNLESS_LOST;
  *blocks = function_of(function).kernel->blocks_per_sm;
  return CUDA_SUCCESS;
}

/// Arguments are read when a launch is made, also one that is captured for later.
CUresult launch_with_copies(FakeDriver::Function& function, FakeLaunch launch) {
  // Of the engine's kernels only those of the calibration are captured, and they read no argument here.
  if (function.kernel == nullptr)
    return fake->submit([&function, launch] { return fake->run_kernel(function, launch); });
  std::vector<std::vector<unsigned char>> values;
  for (std::size_t i = 0; i < function.kernel->parameter_bytes.size(); ++i) {
    const auto* bytes = static_cast<unsigned char*>(launch.arguments[i]);
    values.emplace_back(bytes, bytes + function.kernel->parameter_bytes[i]);
  }
  return fake->submit([&function, launch, values]() mutable {
    std::vector<void*> pointers;
    for (auto& value : values) pointers.push_back(value.data());
    launch.arguments = pointers.data();
    return fake->run_kernel(function, launch);
  });
}

CUresult launch(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                unsigned shared, CUstream, void** arguments, void**) {
  KERNTUNE_UNLESS_LOST;
  return launch_with_copies(function_of(function), {{gx, gy, gz}, {bx, by, bz}, shared, arguments});
}
CUresult launch_ex(const CUlaunchConfig* config, CUfunction function, void** arguments, void**) {
  KERNTUNE_UNLESS_LOST;
  for (unsigned i = 0; i < config->numAttrs; ++i)
    fake->log.push_back(fmt::format("launch attribute {}", static_cast<int>(config->attrs[i].id)));
  return launch_with_copies(function_of(function), {{config->gridDimX, config->gridDimY, config->gridDimZ},
                                                    {config->blockDimX, config->blockDimY, config->blockDimZ},
                                                    config->sharedMemBytes,
                                                    arguments});
}

CUresult stream_synchronize(CUstream) {
  KERNTUNE_UNLESS_LOST;
  fake->log.emplace_back("synchronize");
  if (fake->pending != CUDA_SUCCESS) fake->sticky = fake->pending;
  return fake->sticky;
}
CUresult begin_capture(CUstream, CUstreamCaptureMode) {
  fake->capturing = true;
  fake->captured.clear();
  return CUDA_SUCCESS;
}
CUresult end_capture(CUstream, CUgraph* graph) {
  fake->capturing = false;
  *graph = reinterpret_cast<CUgraph>(new FakeGraph{fake->captured});
  ++fake->live_graphs;
  return CUDA_SUCCESS;
}
CUresult instantiate(CUgraphExec* executable, CUgraph graph, unsigned long long) {
  *executable = reinterpret_cast<CUgraphExec>(new FakeGraph(*reinterpret_cast<FakeGraph*>(graph)));
  ++fake->live_graphs;
  fake->log.emplace_back("instantiate");
  return CUDA_SUCCESS;
}
CUresult graph_launch(CUgraphExec executable, CUstream) {
  KERNTUNE_UNLESS_LOST;
  fake->log.emplace_back("graph");
  for (auto& operation : reinterpret_cast<FakeGraph*>(executable)->operations)
    if (const CUresult result = operation(); result != CUDA_SUCCESS) return result;
  return CUDA_SUCCESS;
}
void destroy_graph(void* graph) {
  delete static_cast<FakeGraph*>(graph);
  --fake->live_graphs;
}

CUresult event_create(CUevent* event, unsigned) {
  *event = reinterpret_cast<CUevent>(new FakeEvent);
  ++fake->live_events;
  return CUDA_SUCCESS;
}
CUresult event_destroy(CUevent event) {
  delete reinterpret_cast<FakeEvent*>(event);
  --fake->live_events;
  return CUDA_SUCCESS;
}
CUresult event_record(CUevent event, CUstream) {
  KERNTUNE_UNLESS_LOST;
  fake->log.emplace_back("event");
  fake->pass(fake->event_ns);
  reinterpret_cast<FakeEvent*>(event)->at_ns = fake->clock_ns;
  return CUDA_SUCCESS;
}
CUresult event_elapsed(float* milliseconds, CUevent from, CUevent to) {
  KERNTUNE_UNLESS_LOST;
  *milliseconds =
      static_cast<float>((reinterpret_cast<FakeEvent*>(to)->at_ns - reinterpret_cast<FakeEvent*>(from)->at_ns) / 1e6);
  return CUDA_SUCCESS;
}

void fill_device_functions(DriverApi& api) {
  api.init = [](unsigned) { return fake->init_result; };
  api.driver_version = [](int* version) { return *version = 13000, CUDA_SUCCESS; };
  api.error_name = error_name;
  api.error_text = error_text;
  api.device_count = [](int* count) { return *count = fake->devices, CUDA_SUCCESS; };
  api.device_get = [](CUdevice* device, int ordinal) { return *device = ordinal, CUDA_SUCCESS; };
  api.device_name = [](char* name, int size, CUdevice) {
    std::snprintf(name, static_cast<std::size_t>(size), "Fake H200");
    return CUDA_SUCCESS;
  };
  api.device_uuid = [](CUuuid* uuid, CUdevice) {
    return std::memset(uuid->bytes, 0x1f, sizeof uuid->bytes), CUDA_SUCCESS;
  };
  api.device_memory = [](std::size_t* bytes, CUdevice) { return *bytes = fake->memory_limit, CUDA_SUCCESS; };
  api.device_attribute = device_attribute;
  api.primary_retain = [](CUcontext* context, CUdevice) {
    ++fake->contexts;
    return *context = handle<CUcontext>(fake), CUDA_SUCCESS;
  };
  api.primary_release = [](CUdevice) { return --fake->contexts, CUDA_SUCCESS; };
  api.context_set = [](CUcontext) { return fake->sticky; };
  api.context_synchronize = [] { return fake->sticky; };
}

void fill_memory_functions(DriverApi& api) {
  api.memory_info = [](std::size_t* free, std::size_t* total) {
    *total = fake->memory_limit;
    *free = fake->memory_limit - fake->allocated_bytes();
    return CUDA_SUCCESS;
  };
  api.memory_alloc = memory_alloc;
  api.memory_free = memory_free;
  api.host_alloc = host_alloc;
  api.host_free = host_free;
  api.host_device_pointer = [](CUdeviceptr* device, void* host, unsigned) {
    return *device = reinterpret_cast<CUdeviceptr>(host), CUDA_SUCCESS;
  };
  api.copy_to_device = copy_to_device;
  api.copy_to_host = copy_to_host;
  api.copy_on_device = copy_on_device;
  api.memset_bytes = memset_bytes;
}

void fill_code_functions(DriverApi& api) {
  api.module_load = module_load;
  api.module_unload = [](CUmodule) { return --fake->loaded_modules, CUDA_SUCCESS; };
  api.module_function = module_function;
  api.module_global = module_global;
  api.function_attribute = function_attribute;
  api.function_set_attribute = function_set_attribute;
  api.function_parameter = function_parameter;
  api.max_active_blocks = max_active_blocks;
  api.max_active_clusters = [](int* clusters, CUfunction, const CUlaunchConfig*) {
    return *clusters = 1, CUDA_SUCCESS;
  };
  api.launch = launch;
  api.launch_ex = launch_ex;
}

void fill_stream_functions(DriverApi& api) {
  api.stream_create = [](CUstream* stream, unsigned) {
    ++fake->streams;
    return *stream = handle<CUstream>(fake), CUDA_SUCCESS;
  };
  api.stream_destroy = [](CUstream) { return --fake->streams, CUDA_SUCCESS; };
  api.stream_synchronize = stream_synchronize;
  api.stream_begin_capture = begin_capture;
  api.stream_end_capture = end_capture;
  api.graph_instantiate = instantiate;
  api.graph_launch = graph_launch;
  api.graph_destroy = [](CUgraph graph) { return destroy_graph(graph), CUDA_SUCCESS; };
  api.graph_exec_destroy = [](CUgraphExec graph) { return destroy_graph(graph), CUDA_SUCCESS; };
  api.event_create = event_create;
  api.event_destroy = event_destroy;
  api.event_record = event_record;
  api.event_elapsed = event_elapsed;
}

}  // namespace

FakeDriver::FakeDriver() {
  fake = this;
  fill_device_functions(api_);
  fill_memory_functions(api_);
  fill_code_functions(api_);
  fill_stream_functions(api_);
  use_h200_attributes();
}

FakeDriver::~FakeDriver() { fake = nullptr; }

/// An H200's limits, but two SMs, so that the engine's grids stay small.
void FakeDriver::use_h200_attributes() {
  attributes = {{CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 2},
                {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
                {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64},
                {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 2147483647},
                {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535},
                {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535},
                {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
                {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 32},
                {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 49152},
                {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 232448},
                {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 233472},
                {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 65536},
                {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536},
                {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 4096},
                {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
                {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9},
                {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0},
                {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 6144},
                {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 3201000},
                {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1980000}};
}

void FakeDriver::pass(double ns) {
  clock_ns += ns;
  cycles += ns * cycles_per_ns;
}

std::uint64_t FakeDriver::allocated_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& [address, block] : memory) bytes += block.size() - 256;
  return bytes;
}

CUresult FakeDriver::submit(Operation operation) {
  if (!capturing) return operation();
  captured.push_back(std::move(operation));
  return CUDA_SUCCESS;
}

FakeDriver::Function& FakeDriver::function(const std::string& name) {
  auto& known = functions_[name];
  if (!known)
    known = std::make_unique<Function>(Function{name, kernels.contains(name) ? &kernels.at(name) : nullptr, {}});
  return *known;
}

CUresult FakeDriver::run_kernel(Function& called, const FakeLaunch& launched) {
  log.push_back("launch " + called.name);
  if (called.kernel == nullptr) {
    pass(500);
    emulation::cycles = static_cast<unsigned long long>(cycles);
    if (called.name == "kerntune_block" && blocker_gives_up) **static_cast<unsigned**>(launched.arguments[1]) = 1;
    emulation::run(called.name, launched.grid[0], launched.block[0], launched.arguments);
    return CUDA_SUCCESS;
  }
  pass(called.kernel->duration_ns);
  const CUresult result = called.kernel->body(launched);
  if (!is_sticky(result)) return result;
  pending = result;  // seen when the stream is waited for
  return CUDA_SUCCESS;
}

}  // namespace kerntune::cuda
