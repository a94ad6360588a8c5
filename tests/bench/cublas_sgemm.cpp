// SPDX-License-Identifier: Apache-2.0
// Times cublasSgemm without TF32, row major C[m,n] = A[m,k] * B[k,n], to compare our sgemm with.
//
//   cublas_sgemm 4096,4096,4096 64,4096,4096      prints one JSON object
//
// Needs no CUDA to build: libcuda and libcublas are loaded at run time (KERNTUNE_CUBLAS names another cuBLAS). Timed as
// the tuner does by default: two events around each launch, the L2 cache overwritten before (cold) or left as the same
// product left it (warm), median of 50. Work is queued ahead of every timed launch, so the host's latency is not in it.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "shared_library.hpp"

namespace {

constexpr int kRepetitions = 50;
constexpr int kWarmUps = 5;

using Library = kerntune::bench::SharedLibrary;

using DevicePointer = unsigned long long;  // CUdeviceptr
using Opaque = void*;                      // CUcontext, CUevent, cublasHandle_t

struct Shape {
  int m, n, k;
};

/// Values of cublasMath_t.
enum class Math : int { standard = 0, pedantic = 2 };
enum class L2 { cold, warm };

class Bench {
 public:
  Bench() {
    cuda_.call("cuInit", 0U);
    int device = 0;
    cuda_.call("cuDeviceGet", &device, 0);
    Opaque context = nullptr;
    cuda_.call("cuDevicePrimaryCtxRetain", &context, device);
    cuda_.call("cuCtxSetCurrent", context);
    char name[128] = {};
    cuda_.call("cuDeviceGetName", &name[0], 128, device);
    gpu_ = name;
    int l2_bytes = 0;
    constexpr int kL2CacheSize = 38;  // CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE
    cuda_.call("cuDeviceGetAttribute", &l2_bytes, kL2CacheSize, device);
    flush_bytes_ = 2 * static_cast<std::size_t>(l2_bytes);
    flush_ = allocate(flush_bytes_);
    cuda_.call("cuEventCreate", &start_, 0U);
    cuda_.call("cuEventCreate", &stop_, 0U);
    cublas_.call("cublasCreate_v2", &handle_);
    cublas_.call("cublasGetVersion_v2", handle_, &version_);
  }

  const std::string& gpu() const { return gpu_; }
  int version() const { return version_; }

  void load(const Shape& shape) {
    shape_ = shape;
    a_host_ = random_floats(shape.m, shape.k);
    b_host_ = random_floats(shape.k, shape.n);
    for (const DevicePointer buffer : {a_, b_, c_}) {
      if (buffer != 0) cuda_.call("cuMemFree_v2", buffer);
    }
    a_ = upload(a_host_);
    b_ = upload(b_host_);
    c_ = allocate(sizeof(float) * static_cast<std::size_t>(shape.m) * static_cast<std::size_t>(shape.n));
  }

  /// Median and least duration of a launch, microseconds.
  std::pair<double, double> time_us(Math math, L2 l2) {
    cublas_.call("cublasSetMathMode", handle_, static_cast<int>(math));
    for (int i = 0; i < kWarmUps; ++i) launch();
    std::vector<double> samples;
    for (int i = 0; i < kRepetitions; ++i) {
      if (l2 == L2::cold) {
        cuda_.call("cuMemsetD8_v2", flush_, static_cast<unsigned char>(i), flush_bytes_);
      } else {
        launch();
      }
      samples.push_back(timed_launch_us());
    }
    std::sort(samples.begin(), samples.end());
    return {samples[samples.size() / 2], samples.front()};
  }

  /// Compares a few elements with sums in double. Errors: std::runtime_error.
  void check() const {
    const auto n = static_cast<std::size_t>(shape_.n), k = static_cast<std::size_t>(shape_.k);
    for (const auto& [row, col] :
         {std::pair(0, 0), std::pair(shape_.m - 1, shape_.n - 1), std::pair(shape_.m / 2, 0)}) {
      const auto i = static_cast<std::size_t>(row), j = static_cast<std::size_t>(col);
      double expected = 0;
      for (std::size_t p = 0; p < k; ++p) expected += static_cast<double>(a_host_[i * k + p]) * b_host_[p * n + j];
      float found = 0;
      cuda_.call("cuMemcpyDtoH_v2", static_cast<void*>(&found), c_ + sizeof(float) * (i * n + j), sizeof found);
      if (!(std::fabs(found - expected) <= 2.4e-7 * shape_.k)) throw std::runtime_error("cublasSgemm: wrong result");
    }
  }

 private:
  static std::vector<float> random_floats(int rows, int cols) {
    std::mt19937 bits(1);
    std::vector<float> values(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols));
    for (float& value : values) value = static_cast<float>(bits() >> 8U) * 0x1p-23F - 1.0F;  // uniform in [-1, 1)
    return values;
  }
  DevicePointer allocate(std::size_t bytes) const {
    DevicePointer pointer = 0;
    cuda_.call("cuMemAlloc_v2", &pointer, bytes);
    return pointer;
  }
  DevicePointer upload(const std::vector<float>& values) const {
    const DevicePointer pointer = allocate(sizeof(float) * values.size());
    cuda_.call("cuMemcpyHtoD_v2", pointer, static_cast<const void*>(values.data()), sizeof(float) * values.size());
    return pointer;
  }
  // cuBLAS is column major: the transposed product of the swapped operands.
  void launch() const {
    constexpr int kNoTranspose = 0;
    const float one = 1, zero = 0;
    cublas_.call("cublasSgemm_v2", handle_, kNoTranspose, kNoTranspose, shape_.n, shape_.m, shape_.k, &one, b_,
                 shape_.n, a_, shape_.k, &zero, c_, shape_.n);
  }
  double timed_launch_us() const {
    const Opaque default_stream = nullptr;
    cuda_.call("cuEventRecord", start_, default_stream);
    launch();
    cuda_.call("cuEventRecord", stop_, default_stream);
    cuda_.call("cuEventSynchronize", stop_);
    float elapsed_ms = 0;
    cuda_.call("cuEventElapsedTime", &elapsed_ms, start_, stop_);
    return 1000.0 * static_cast<double>(elapsed_ms);
  }

  Library cuda_{"libcuda", {"libcuda.so.1"}};
  Library cublas_{"libcublas", {std::getenv("KERNTUNE_CUBLAS"), "libcublas.so.13", "libcublas.so.12", "libcublas.so"}};
  std::string gpu_;
  int version_ = 0;
  Opaque handle_ = nullptr, start_ = nullptr, stop_ = nullptr;
  std::size_t flush_bytes_ = 0;
  DevicePointer flush_ = 0, a_ = 0, b_ = 0, c_ = 0;
  Shape shape_{};
  std::vector<float> a_host_, b_host_;
};

Shape parse(const char* text) {
  Shape shape{};
  int used = 0;
  const bool complete = std::sscanf(text, "%d,%d,%d%n", &shape.m, &shape.n, &shape.k, &used) == 3;
  if (!complete || text[used] != '\0' || std::min({shape.m, shape.n, shape.k}) < 1) {
    throw std::runtime_error(std::string("expected a size m,n,k such as 4096,4096,4096; got '") + text + "'");
  }
  return shape;
}

void report(Bench& bench, const Shape& shape, bool first) {
  bench.load(shape);
  const double flop = 2.0 * shape.m * shape.n * shape.k;
  for (const Math math : {Math::standard, Math::pedantic}) {
    for (const L2 l2 : {L2::cold, L2::warm}) {
      const auto [median_us, min_us] = bench.time_us(math, l2);
      bench.check();
      std::printf(
          "%s\n  {\"m\":%d,\"n\":%d,\"k\":%d,\"math\":\"%s\",\"l2\":\"%s\",\"median_us\":%.2f,\"min_us\":%.2f,"
          "\"tflop_per_s\":%.2f}",
          first ? "" : ",", shape.m, shape.n, shape.k, math == Math::standard ? "default" : "pedantic",
          l2 == L2::cold ? "cold" : "warm", median_us, min_us, flop / median_us * 1e-6);
      first = false;
    }
  }
}

void run(const std::vector<Shape>& shapes) {
  Bench bench;
  std::printf("{\"gpu\":\"%s\",\"cublas\":%d,\"repetitions\":%d,\"results\":[", bench.gpu().c_str(), bench.version(),
              kRepetitions);
  for (std::size_t i = 0; i < shapes.size(); ++i) report(bench, shapes[i], i == 0);
  std::printf("\n]}\n");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    std::vector<Shape> shapes;
    for (int i = 1; i < argc; ++i) shapes.push_back(parse(argv[i]));
    if (shapes.empty()) shapes = {{64, 4096, 4096}, {4096, 4096, 4096}};
    run(shapes);
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "cublas_sgemm: %s\n", e.what());
    return 3;
  }
}
