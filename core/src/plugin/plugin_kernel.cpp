// SPDX-License-Identifier: Apache-2.0
#include <utility>
#include <variant>
#include <vector>

#include <kerntune/plugin/abi.h>
#include <kerntune/core/plugin_host.hpp>

#include "error_sink.hpp"

namespace kerntune {
namespace {

kerntune_str borrow(std::string_view text) noexcept { return {text.data(), text.size()}; }

kerntune_value to_value(const expr::Literal& literal) noexcept {
  kerntune_value out{};
  if (const auto* boolean = std::get_if<bool>(&literal)) {
    out.kind = KERNTUNE_VALUE_BOOLEAN;
    out.integer = *boolean ? 1 : 0;
  } else if (const auto* integer = std::get_if<std::int64_t>(&literal)) {
    out.kind = KERNTUNE_VALUE_INTEGER;
    out.integer = *integer;
  } else if (const auto* real = std::get_if<double>(&literal)) {
    out.kind = KERNTUNE_VALUE_REAL;
    out.real = *real;
  } else {
    out.kind = KERNTUNE_VALUE_STRING;
    out.string = borrow(std::get<std::string>(literal));
  }
  return out;
}

/// A call in the ABI's terms; borrows everything that the PluginCall borrows.
class CallTables {
 public:
  explicit CallTables(const PluginCall& call) {
    for (const Dim& dim : call.spec->dims) dims_.push_back({borrow(dim.name), call.dims->at(dim.name)});
    if (call.config != nullptr) add_config(*call.spec, *call.config);
    for (const BoundBuffer& buffer : call.buffers) {
      buffers_.push_back({KERNTUNE_BUFFER_SIZE, static_cast<std::int32_t>(buffer.dtype), borrow(buffer.name),
                          buffer.data, buffer.count});
    }
    for (const kerntune_buffer& buffer : buffers_) pointers_.push_back(&buffer);
    call_ = {.struct_size = KERNTUNE_CALL_SIZE,
             .device_kind = call.device_kind == DeviceKind::cuda ? KERNTUNE_DEVICE_CUDA : KERNTUNE_DEVICE_HOST,
             .device_ordinal = call.device_ordinal,
             .reserved = 0,
             .dims = dims_.data(),
             .dim_count = dims_.size(),
             .config = config_.data(),
             .config_count = config_.size(),
             .buffers = pointers_.data(),
             .buffer_count = pointers_.size()};
  }
  CallTables(const CallTables&) = delete;
  CallTables& operator=(const CallTables&) = delete;
  const kerntune_call* get() const noexcept { return &call_; }

 private:
  void add_config(const KernelSpec& spec, const search::Config& config) {
    for (std::size_t i = 0; i < spec.params.size(); ++i) {
      config_.push_back({borrow(spec.params[i].name), to_value(spec.params[i].values.at(config.at(i)))});
    }
  }

  std::vector<kerntune_dim> dims_;
  std::vector<kerntune_named_value> config_;
  std::vector<kerntune_buffer> buffers_;
  std::vector<const kerntune_buffer*> pointers_;
  kerntune_call call_{};
};

// The ABI's element types are the spec's, in the spec's order.
static_assert(static_cast<int>(DType::f32) == KERNTUNE_F32 && static_cast<int>(DType::f64) == KERNTUNE_F64 &&
              static_cast<int>(DType::f16) == KERNTUNE_F16 && static_cast<int>(DType::bf16) == KERNTUNE_BF16 &&
              static_cast<int>(DType::i8) == KERNTUNE_I8 && static_cast<int>(DType::u8) == KERNTUNE_U8 &&
              static_cast<int>(DType::i32) == KERNTUNE_I32 && static_cast<int>(DType::u32) == KERNTUNE_U32 &&
              static_cast<int>(DType::i64) == KERNTUNE_I64 && static_cast<int>(DType::u64) == KERNTUNE_U64);

}  // namespace

PreparedCallable::PreparedCallable(PreparedCallable&& other) noexcept
    : kernel_(std::exchange(other.kernel_, nullptr)), state_(std::exchange(other.state_, nullptr)) {}

PreparedCallable::~PreparedCallable() {
  if (kernel_ != nullptr) kernel_->teardown(state_);
}

tl::expected<void, Rejection> PreparedCallable::launch(void* stream) {
  kerntune_error error;
  const kerntune_status status = kernel_->launch(state_, stream, &error);
  if (status == KERNTUNE_OK) return {};
  return tl::unexpected(rejection_from(status, error, "launch"));
}

bool PluginKernel::has_reference() const noexcept { return kernel_->reference != nullptr; }

tl::expected<PreparedCallable, Rejection> PluginKernel::prepare(const PluginCall& call) const {
  if (kernel_->prepare == nullptr) {
    return tl::unexpected(
        Rejection{Reason::internal_error, "prepare: kernel '" + spec_.name + "' is source code, not a callable"});
  }
  const CallTables tables(call);
  kerntune_error error;
  void* state = nullptr;
  const kerntune_status status = kernel_->prepare(&plugin_host_services(), tables.get(), &state, &error);
  if (status != KERNTUNE_OK) return tl::unexpected(rejection_from(status, error, "prepare"));
  return PreparedCallable(kernel_, state);
}

tl::expected<void, Rejection> PluginKernel::reference(const PluginCall& call) const {
  if (kernel_->reference == nullptr) {
    return tl::unexpected(
        Rejection{Reason::internal_error, "reference: kernel '" + spec_.name + "' has no reference function"});
  }
  PluginCall without_config = call;
  without_config.config = nullptr;
  const CallTables tables(without_config);
  kerntune_error error;
  const kerntune_status status = kernel_->reference(&plugin_host_services(), tables.get(), &error);
  if (status == KERNTUNE_OK) return {};
  return tl::unexpected(rejection_from(status, error, "reference"));
}

}  // namespace kerntune
