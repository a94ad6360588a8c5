// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <utility>

#include <kerntune/core/kernel_spec.hpp>
#include <kerntune/core/rejection.hpp>

namespace kerntune {
namespace {

template <class Enum, std::size_t N>
using Names = std::array<std::pair<Enum, std::string_view>, N>;

template <class Enum, std::size_t N>
std::string_view find_name(const Names<Enum, N>& names, Enum value) noexcept {
  for (const auto& [known, name] : names)
    if (known == value) return name;
  return "unknown";
}

template <class Enum, std::size_t N>
std::optional<Enum> find_value(const Names<Enum, N>& names, std::string_view text) noexcept {
  for (const auto& [value, name] : names)
    if (name == text) return value;
  return std::nullopt;
}

constexpr Names<DType, 10> kDTypes{{{DType::f32, "f32"},
                                    {DType::f64, "f64"},
                                    {DType::f16, "f16"},
                                    {DType::bf16, "bf16"},
                                    {DType::i8, "i8"},
                                    {DType::u8, "u8"},
                                    {DType::i32, "i32"},
                                    {DType::u32, "u32"},
                                    {DType::i64, "i64"},
                                    {DType::u64, "u64"}}};

constexpr Names<Role, 16> kRoles{{{Role::none, "none"},
                                  {Role::block_x, "block_x"},
                                  {Role::block_y, "block_y"},
                                  {Role::block_z, "block_z"},
                                  {Role::grid_x, "grid_x"},
                                  {Role::grid_y, "grid_y"},
                                  {Role::grid_z, "grid_z"},
                                  {Role::register_cap, "register_cap"},
                                  {Role::min_blocks_per_sm, "min_blocks_per_sm"},
                                  {Role::dynamic_shared, "dynamic_shared"},
                                  {Role::carveout, "carveout"},
                                  {Role::cluster_x, "cluster_x"},
                                  {Role::cluster_y, "cluster_y"},
                                  {Role::cluster_z, "cluster_z"},
                                  {Role::cooperative, "cooperative"},
                                  {Role::precision, "precision"}}};

constexpr Names<BufferRole, 4> kBufferRoles{{{BufferRole::in, "in"},
                                             {BufferRole::out, "out"},
                                             {BufferRole::inout, "inout"},
                                             {BufferRole::workspace, "workspace"}}};

constexpr Names<Fill::Kind, 5> kFillKinds{{{Fill::Kind::zero, "zero"},
                                           {Fill::Kind::constant, "constant"},
                                           {Fill::Kind::uniform, "uniform"},
                                           {Fill::Kind::normal, "normal"},
                                           {Fill::Kind::iota, "iota"}}};

constexpr Names<Reason, 18> kReasons{{{Reason::not_applicable, "not_applicable"},
                                      {Reason::device_limit, "device_limit"},
                                      {Reason::compile_error, "compile_error"},
                                      {Reason::compile_timeout, "compile_timeout"},
                                      {Reason::compile_crash, "compile_crash"},
                                      {Reason::cap_not_effective, "cap_not_effective"},
                                      {Reason::unsupported, "unsupported"},
                                      {Reason::launch_error, "launch_error"},
                                      {Reason::out_of_memory, "out_of_memory"},
                                      {Reason::fault, "fault"},
                                      {Reason::crash, "crash"},
                                      {Reason::timeout, "timeout"},
                                      {Reason::wrong_result, "wrong_result"},
                                      {Reason::out_of_bounds, "out_of_bounds"},
                                      {Reason::unwritten_output, "unwritten_output"},
                                      {Reason::internal_error, "internal_error"},
                                      {Reason::bad_expression, "bad_expression"},
                                      {Reason::device_lost, "device_lost"}}};

}  // namespace

std::size_t size_of(DType type) noexcept {
  switch (type) {
    case DType::i8:
    case DType::u8:
      return 1;
    case DType::f16:
    case DType::bf16:
      return 2;
    case DType::f32:
    case DType::i32:
    case DType::u32:
      return 4;
    case DType::f64:
    case DType::i64:
    case DType::u64:
      return 8;
  }
  return 0;
}

bool is_real(DType type) noexcept {
  return type == DType::f32 || type == DType::f64 || type == DType::f16 || type == DType::bf16;
}

bool is_signed(DType type) noexcept { return type != DType::u8 && type != DType::u32 && type != DType::u64; }

std::string_view name_of(DType type) noexcept { return find_name(kDTypes, type); }
std::optional<DType> dtype_from(std::string_view name) noexcept { return find_value(kDTypes, name); }

std::string_view name_of(Role role) noexcept { return find_name(kRoles, role); }
std::optional<Role> role_from(std::string_view name) noexcept { return find_value(kRoles, name); }

std::string_view name_of(BufferRole role) noexcept { return find_name(kBufferRoles, role); }
std::optional<BufferRole> buffer_role_from(std::string_view name) noexcept { return find_value(kBufferRoles, name); }

std::string_view name_of(Fill::Kind kind) noexcept { return find_name(kFillKinds, kind); }
std::optional<Fill::Kind> fill_kind_from(std::string_view name) noexcept { return find_value(kFillKinds, name); }

Fill default_fill(DType type) noexcept {
  if (is_real(type)) return {Fill::Kind::uniform, -1, 1};
  if (is_signed(type)) return {Fill::Kind::uniform, -8, 8};
  return {Fill::Kind::uniform, 0, 15};
}

std::string_view name_of(Reason reason) noexcept { return find_name(kReasons, reason); }
Reason reason_from(std::string_view name) noexcept {
  return find_value(kReasons, name).value_or(Reason::internal_error);
}

}  // namespace kerntune
