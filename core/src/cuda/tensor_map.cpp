// SPDX-License-Identifier: Apache-2.0
#include "tensor_map.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace kerntune::cuda {
namespace {

CUtensorMapDataType data_type(DType type) {
  switch (type) {
    case DType::f32:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    case DType::f64:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
    case DType::f16:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    case DType::bf16:
      return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    case DType::i8:
    case DType::u8:
      return CU_TENSOR_MAP_DATA_TYPE_UINT8;
    case DType::i32:
      return CU_TENSOR_MAP_DATA_TYPE_INT32;
    case DType::u32:
      return CU_TENSOR_MAP_DATA_TYPE_UINT32;
    case DType::i64:
      return CU_TENSOR_MAP_DATA_TYPE_INT64;
    case DType::u64:
      return CU_TENSOR_MAP_DATA_TYPE_UINT64;
  }
  return CU_TENSOR_MAP_DATA_TYPE_UINT8;
}

template <typename Choice>
using Named = std::pair<std::string_view, Choice>;

constexpr Named<CUtensorMapSwizzle> kSwizzles[] = {{"none", CU_TENSOR_MAP_SWIZZLE_NONE},
                                                   {"32B", CU_TENSOR_MAP_SWIZZLE_32B},
                                                   {"64B", CU_TENSOR_MAP_SWIZZLE_64B},
                                                   {"128B", CU_TENSOR_MAP_SWIZZLE_128B}};
constexpr Named<CUtensorMapInterleave> kInterleaves[] = {{"none", CU_TENSOR_MAP_INTERLEAVE_NONE},
                                                         {"16B", CU_TENSOR_MAP_INTERLEAVE_16B},
                                                         {"32B", CU_TENSOR_MAP_INTERLEAVE_32B}};
constexpr Named<CUtensorMapL2promotion> kPromotions[] = {{"none", CU_TENSOR_MAP_L2_PROMOTION_NONE},
                                                         {"64B", CU_TENSOR_MAP_L2_PROMOTION_L2_64B},
                                                         {"128B", CU_TENSOR_MAP_L2_PROMOTION_L2_128B},
                                                         {"256B", CU_TENSOR_MAP_L2_PROMOTION_L2_256B}};
constexpr Named<CUtensorMapFloatOOBfill> kOutOfBounds[] = {{"zero", CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE},
                                                           {"nan", CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA}};

template <typename Choice, std::size_t N>
Choice chosen(const Named<Choice> (&choices)[N], const std::string& name, const char* what) {
  for (const auto& [known, choice] : choices)
    if (known == name) return choice;
  throw Rejected(Reason::internal_error, fmt::format("encode a tensor map: unknown {} '{}'", what, name));
}

std::string shape_of(const ArgPlan::TensorMap& plan) {
  return fmt::format("{} dims [{}], strides [{}] bytes, box [{}], swizzle {}", name_of(plan.dtype),
                     fmt::join(plan.dims, ", "), fmt::join(plan.strides, ", "), fmt::join(plan.box, ", "),
                     plan.swizzle);
}

}  // namespace

CUtensorMap encode_tensor_map(Context& context, const ArgPlan::TensorMap& plan, CUdeviceptr address,
                              const std::string& entry) {
  const std::string doing = fmt::format("encode a tensor map of '{}' ({})", entry, shape_of(plan));
  if (context.api().encode_tiled == nullptr || context.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) < 9)
    throw Rejected(Reason::unsupported, doing + ": needs compute capability 9.0 and a driver of CUDA 12");
  CUtensorMap map{};
  std::vector<cuuint32_t> element_strides(plan.element_strides.begin(), plan.element_strides.end());
  element_strides.resize(plan.dims.size(), 1);
  std::vector<cuuint64_t> dims(plan.dims.begin(), plan.dims.end()), strides(plan.strides.begin(), plan.strides.end());
  const CUresult made = context.api().encode_tiled(
      &map, data_type(plan.dtype), static_cast<cuuint32_t>(dims.size()), reinterpret_cast<void*>(address), dims.data(),
      strides.data(), plan.box.data(), element_strides.data(), chosen(kInterleaves, plan.interleave, "interleave"),
      chosen(kSwizzles, plan.swizzle, "swizzle"), chosen(kPromotions, plan.l2_promotion, "L2 promotion"),
      chosen(kOutOfBounds, plan.oob_fill, "out-of-bounds fill"));
  context.check(made, doing);
  return map;
}

}  // namespace kerntune::cuda
