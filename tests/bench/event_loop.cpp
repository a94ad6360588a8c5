// SPDX-License-Identifier: Apache-2.0
// Times one kernel as anybody would: two CUDA events around a loop of launches. It shares no code with the tuner, whose
// times it is to be compared with, and it is what Nsight Compute is put in front of.
//
//   event_loop --source steady.cu --entry 'steady<128,8>' --arch sm_90 --grid 132 --block 128
//              --arg f32:16896 --arg f32:16896 --arg i32:16896 --arg i32:1600 [--launches 200] [--batches 21]
//
// --arg f32:N is a buffer of N floats, --arg i32:V a value. Needs no CUDA to build: libcuda and libnvrtc are loaded at
// run time. Prints one JSON object: microseconds per launch in each loop, and of launches with two events each.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "shared_library.hpp"

namespace {

using DevicePointer = unsigned long long;  // CUdeviceptr
using Opaque = void*;                      // CUcontext, CUmodule, CUfunction, CUevent, nvrtcProgram

using Library = kerntune::bench::SharedLibrary;

struct Options {
  std::string source, entry, arch = "sm_90";
  std::vector<std::string> compile_options{"--std=c++17"};
  unsigned grid[3] = {1, 1, 1}, block[3] = {1, 1, 1}, shared_bytes = 0;
  std::vector<std::string> arguments;
  int launches = 200, batches = 21;
  std::size_t flush_bytes = 0;
};

void read_three(const std::string& text, unsigned (&values)[3]) {
  std::sscanf(text.c_str(), "%u,%u,%u", &values[0], &values[1], &values[2]);
}

Options parse(const std::vector<std::string>& words) {
  Options options;
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    const std::string &name = words[i], &value = words[i + 1];
    if (name == "--source")
      options.source = value;
    else if (name == "--entry")
      options.entry = value;
    else if (name == "--arch")
      options.arch = value;
    else if (name == "--option")
      options.compile_options.push_back(value);
    else if (name == "--grid")
      read_three(value, options.grid);
    else if (name == "--block")
      read_three(value, options.block);
    else if (name == "--shared")
      options.shared_bytes = static_cast<unsigned>(std::stoul(value));
    else if (name == "--arg")
      options.arguments.push_back(value);
    else if (name == "--launches")
      options.launches = std::stoi(value);
    else if (name == "--batches")
      options.batches = std::stoi(value);
    else if (name == "--flush")
      options.flush_bytes = std::stoull(value);
    else
      throw std::runtime_error("unknown option " + name);
  }
  if (words.size() % 2 != 0 || options.source.empty() || options.entry.empty())
    throw std::runtime_error("--source, --entry and a value for every option are needed");
  return options;
}

struct Compiled {
  std::string cubin, name;
};

Compiled compile(const Options& options) {
  const Library nvrtc("libnvrtc", {std::getenv("KERNTUNE_NVRTC"), "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so",
                                   "/usr/local/cuda/lib64/libnvrtc.so"});
  std::ifstream file(options.source);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  if (text.empty()) throw std::runtime_error("cannot read '" + options.source + "'");
  Opaque program = nullptr;
  nvrtc.call("nvrtcCreateProgram", &program, text.c_str(), options.source.c_str(), 0,
             static_cast<const char**>(nullptr), static_cast<const char**>(nullptr));
  nvrtc.call("nvrtcAddNameExpression", program, options.entry.c_str());
  std::vector<std::string> words = options.compile_options;
  words.push_back("--gpu-architecture=" + options.arch);
  std::vector<const char*> pointers;
  for (const std::string& word : words) pointers.push_back(word.c_str());
  if (nvrtc.status("nvrtcCompileProgram", program, static_cast<int>(pointers.size()), pointers.data()) != 0) {
    std::size_t bytes = 0;
    nvrtc.call("nvrtcGetProgramLogSize", program, &bytes);
    std::string log(bytes, '\0');
    nvrtc.call("nvrtcGetProgramLog", program, log.data());
    throw std::runtime_error("compile '" + options.entry + "': " + log);
  }
  const char* lowered = nullptr;
  nvrtc.call("nvrtcGetLoweredName", program, options.entry.c_str(), &lowered);
  Compiled compiled{{}, lowered};
  std::size_t bytes = 0;
  nvrtc.call("nvrtcGetCUBINSize", program, &bytes);
  compiled.cubin.resize(bytes);
  nvrtc.call("nvrtcGetCUBIN", program, compiled.cubin.data());
  return compiled;
}

class Loop {
 public:
  Loop(const Options& options, const Compiled& compiled) : options_(options) {
    cuda_.call("cuInit", 0U);
    int device = 0;
    cuda_.call("cuDeviceGet", &device, 0);
    Opaque context = nullptr, module = nullptr;
    cuda_.call("cuDevicePrimaryCtxRetain", &context, device);
    cuda_.call("cuCtxSetCurrent", context);
    cuda_.call("cuModuleLoadData", &module, static_cast<const void*>(compiled.cubin.data()));
    cuda_.call("cuModuleGetFunction", &function_, module, compiled.name.c_str());
    if (options.shared_bytes > 0) {
      constexpr int kMaxDynamicShared = 8;  // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
      cuda_.call("cuFuncSetAttribute", function_, kMaxDynamicShared, static_cast<int>(options.shared_bytes));
    }
    cuda_.call("cuEventCreate", &start_, 0U);
    cuda_.call("cuEventCreate", &stop_, 0U);
    for (const std::string& argument : options.arguments) add(argument);
    for (auto& value : values_) pointers_.push_back(&value);
    if (options.flush_bytes > 0) cuda_.call("cuMemAlloc_v2", &flush_buffer_, options.flush_bytes);
  }

  double time_us(int launches) {
    if (options_.flush_bytes == 0) return loop_us(launches, [this] { launch(); });
    const double both_us = loop_us(launches, [this] { flush(), launch(); });
    return both_us - loop_us(launches, [this] { flush(); });
  }

 private:
  template <class Work>
  double loop_us(int launches, Work work) {
    cuda_.call("cuEventRecord", start_, stream_);
    for (int i = 0; i < launches; ++i) work();
    cuda_.call("cuEventRecord", stop_, stream_);
    cuda_.call("cuEventSynchronize", stop_);
    float milliseconds = 0;
    cuda_.call("cuEventElapsedTime", &milliseconds, start_, stop_);
    return 1000.0 * static_cast<double>(milliseconds) / launches;
  }

  void flush() {
    const int code = memset_(flush_buffer_, 0, options_.flush_bytes, stream_);
    if (code != 0) throw std::runtime_error("cuMemsetD8Async failed with status " + std::to_string(code));
  }

  void add(const std::string& argument) {
    const std::string kind = argument.substr(0, argument.find(':'));
    const long long number = std::stoll(argument.substr(argument.find(':') + 1));
    unsigned long long value = 0;
    if (kind == "f32") {
      const std::vector<float> content(static_cast<std::size_t>(number), 0.5F);
      cuda_.call("cuMemAlloc_v2", &value, content.size() * sizeof(float));
      cuda_.call("cuMemcpyHtoD_v2", value, static_cast<const void*>(content.data()), content.size() * sizeof(float));
    } else if (kind == "i32") {
      const auto narrow = static_cast<std::int32_t>(number);
      std::memcpy(&value, &narrow, sizeof narrow);
    } else {
      throw std::runtime_error("argument '" + argument + "': expected f32:COUNT or i32:VALUE");
    }
    values_.push_back(value);
  }

  void launch() {
    const unsigned* g = &options_.grid[0];
    const unsigned* b = &options_.block[0];
    const int code = launch_(function_, g[0], g[1], g[2], b[0], b[1], b[2], options_.shared_bytes, stream_,
                             pointers_.data(), nullptr);
    if (code != 0) throw std::runtime_error("cuLaunchKernel failed with status " + std::to_string(code));
  }

  const Options& options_;
  Library cuda_{"libcuda", {"libcuda.so.1"}};
  using Launch = int (*)(Opaque, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Opaque, void**,
                         void**);
  Launch launch_ = cuda_.find<Launch>("cuLaunchKernel");  // looked up once: a look-up takes as long as a launch
  using Memset = int (*)(DevicePointer, unsigned char, std::size_t, Opaque);
  Memset memset_ = cuda_.find<Memset>("cuMemsetD8Async");
  DevicePointer flush_buffer_ = 0;
  Opaque function_ = nullptr, start_ = nullptr, stop_ = nullptr, stream_ = nullptr;
  std::vector<unsigned long long> values_;
  std::vector<void*> pointers_;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void run(const Options& options) {
  Loop loop(options, compile(options));
  std::vector<double> loops, singles;
  loop.time_us(std::min(options.launches, 20));  // loads, and warms up
  for (int i = 0; i < options.batches; ++i) loops.push_back(loop.time_us(options.launches));
  for (int i = 0; i < std::min(options.launches, 50); ++i) singles.push_back(loop.time_us(1));
  std::printf("{\"launches\":%d,\"loop_us\":%.4f,\"loop_min_us\":%.4f,\"single_us\":%.4f,\"loops_us\":[",
              options.launches, median(loops), *std::min_element(loops.begin(), loops.end()), median(singles));
  for (std::size_t i = 0; i < loops.size(); ++i) std::printf("%s%.4f", i == 0 ? "" : ",", loops[i]);
  std::printf("]}\n");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(parse({argv + 1, argv + argc}));
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "event_loop: %s\n", e.what());
    return 3;
  }
}
