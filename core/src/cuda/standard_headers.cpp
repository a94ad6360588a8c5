// SPDX-License-Identifier: Apache-2.0
#include "standard_headers.hpp"

#include "toolkit.hpp"

namespace kerntune::cuda {
namespace {

// The types that libcu++ gives these names under NVRTC, so that both may be included.
constexpr const char* kStdint = R"(#pragma once
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef int64_t intptr_t;
typedef uint64_t uintptr_t;
#define INT32_MAX 2147483647
#define INT32_MIN (-2147483647 - 1)
#define UINT32_MAX 4294967295u
#define INT64_MAX 9223372036854775807ll
#define INT64_MIN (-9223372036854775807ll - 1)
#define UINT64_MAX 18446744073709551615ull
namespace std {
using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t;
using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t;
}
)";
constexpr const char* kLimits = R"(#pragma once
#define CHAR_BIT 8
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define SHRT_MAX 32767
#define INT_MAX 2147483647
#define INT_MIN (-2147483647 - 1)
#define UINT_MAX 4294967295u
#define LLONG_MAX 9223372036854775807ll
#define LLONG_MIN (-9223372036854775807ll - 1)
#define ULLONG_MAX 18446744073709551615ull
)";
constexpr const char* kFloat = R"(#pragma once
#define FLT_MAX 3.402823466e+38f
#define FLT_MIN 1.175494351e-38f
#define FLT_EPSILON 1.192092896e-07f
#define DBL_MAX 1.7976931348623157e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
)";
constexpr const char* kMath = R"(#pragma once
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif
#ifndef NAN
#define NAN __int_as_float(0x7fffffff)
#endif
#ifndef M_PI
#define M_PI 3.14159265358979323846
#endif
)";
constexpr const char* kKnownToNvrtc = "#pragma once\n";

constexpr std::pair<const char*, const char*> kHeaders[] = {
    {"stdint.h", kStdint},       {"cstdint", kStdint},       {"limits.h", kLimits},       {"climits", kLimits},
    {"float.h", kFloat},         {"cfloat", kFloat},         {"math.h", kMath},           {"cmath", kMath},
    {"stddef.h", kKnownToNvrtc}, {"cstddef", kKnownToNvrtc}, {"string.h", kKnownToNvrtc}, {"cstring", kKnownToNvrtc},
    {"stdio.h", kKnownToNvrtc},  {"cstdio", kKnownToNvrtc},  {"stdlib.h", kKnownToNvrtc}, {"cstdlib", kKnownToNvrtc},
    {"assert.h", kKnownToNvrtc}, {"cassert", kKnownToNvrtc}};

}  // namespace

std::vector<std::pair<std::string, std::string>> standard_headers_for(const CompileJob& job) {
  std::vector<std::pair<std::string, std::string>> headers;
  for (const std::string& name : foreign_headers_of(job))
    for (const auto& [known, text] : kHeaders)
      if (name == known) headers.emplace_back(known, text);
  return headers;
}

}  // namespace kerntune::cuda
