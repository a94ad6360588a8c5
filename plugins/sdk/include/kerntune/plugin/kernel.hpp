// SPDX-License-Identifier: Apache-2.0
// The builder of a kernel. Authors include <kerntune/plugin/plugin.hpp>.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kerntune/plugin/callbacks.hpp>
#include <kerntune/plugin/json.hpp>
#include <kerntune/plugin/spec.hpp>

#pragma GCC visibility push(hidden)
namespace kerntune::plugin {

namespace detail {

inline std::string to_json(const Source& source) {
  JsonObject object;
  object.text("kind", "source").text_if("file", source.file).text("text", source.text);
  std::vector<std::string> headers, options, defines;
  for (const auto& [name, text] : source.headers)
    headers.push_back(JsonObject().text("name", name).text("text", text).json());
  for (const auto& option : source.options) options.push_back(json_string(option));
  for (const auto& [name, value] : source.defines) {
    defines.push_back(JsonObject().text("name", name).member("value", value.json()).json());
  }
  object.array_if("headers", headers).array_if("options", options).array_if("defines", defines);
  add_if(object, "register_cap", source.register_cap);
  add_if(object, "min_blocks_per_sm", source.min_blocks_per_sm);
  return object.json();
}

inline std::string to_json(const CallableInfo& info) {
  JsonObject object, libraries;
  object.text("kind", "callable")
      .text("runs", info.runs == Runs::host ? "host" : "cuda")
      .text_if("revision", info.revision);
  for (const auto& [name, version] : info.libraries) libraries.text(name, version);
  if (!libraries.empty()) object.member("libraries", libraries.json());
  return object.json();
}

}  // namespace detail

/// One kernel: the spec document, written member by member, and the callbacks that data cannot say. Every member
/// function adds to the spec member of its name; docs/kernel-spec.md is the reference. The host validates the finished
/// document, so a wrong name or expression is reported with its place when the plugin is loaded (run `kerntune
/// check-plugin`).
class Kernel {
 public:
  explicit Kernel(std::string name) : name_(std::move(name)) {}

  /// Changes when results measured before should no longer count.
  Kernel& revision(std::string text) { return revision_ = std::move(text), *this; }
  Kernel& summary(std::string text) { return summary_ = std::move(text), *this; }

  /// The dim that is the batch axis; exactly one.
  Kernel& batch(std::string_view name, const Range& range) { return add_dim(name, range, true); }
  Kernel& dim(std::string_view name, const Range& range) { return add_dim(name, range, false); }
  Kernel& dim(std::string_view name, std::int64_t default_value) {
    return add_dim(name, {.def = default_value}, false);
  }

  /// A tunable; `default_value` is what runs untuned.
  Kernel& param(std::string_view name, const Values& values, const Value& default_value, Role role = Role::none,
                std::string_view summary = {}) {
    detail::JsonObject object;
    object.text("name", name).member("values", detail::json_array(detail::to_json(values.values())));
    object.member("default", default_value.json());
    if (role != Role::none) object.text("role", detail::name_of(role));
    params_.push_back(object.text_if("summary", summary).json());
    return *this;
  }
  Kernel& param(std::string_view name, const Values& values, const Value& default_value, std::string_view summary) {
    return param(name, values, default_value, Role::none, summary);
  }

  /// Reads params only: defines the space.
  Kernel& constraint(const Expr& condition) { return constraints_.push_back(condition.json()), *this; }
  Kernel& derived(std::string_view name, const Expr& value) {
    return derived_.push_back(detail::JsonObject().text("name", name).member("value", value.json()).json()), *this;
  }
  /// May also read dims, derived names and device properties: filters configurations per size and device.
  Kernel& applicability(const Expr& condition) { return applicability_.push_back(condition.json()), *this; }

  Kernel& in(std::string_view name, DType type, const Expr& count, const Fill& fill = {}, const Expr& alignment = {}) {
    return add_buffer(name, type, count, "in", fill, alignment);
  }
  Kernel& inout(std::string_view name, DType type, const Expr& count, const Fill& fill = {},
                const Expr& alignment = {}) {
    return add_buffer(name, type, count, "inout", fill, alignment);
  }
  Kernel& out(std::string_view name, DType type, const Expr& count, const Expr& alignment = {}) {
    return add_buffer(name, type, count, "out", {}, alignment);
  }
  Kernel& workspace(std::string_view name, DType type, const Expr& count, const Expr& alignment = {}) {
    return add_buffer(name, type, count, "workspace", {}, alignment);
  }

  /// The code: CUDA C++ text with steps, or a class with none. Errors: std::logic_error if given twice.
  Kernel& source(const Source& source) { return set_code(detail::to_json(source)); }
  template <Callable T>
  Kernel& callable(const CallableInfo& info) {
    using Thunks = detail::CallableThunks<T>;
    callbacks_.prepare = &Thunks::prepare;
    callbacks_.launch = &Thunks::launch;
    callbacks_.teardown = &Thunks::teardown;
    return set_code(detail::to_json(info));
  }

  Kernel& step(const Step& step) { return steps_.push_back(step.json()), *this; }
  Kernel& launch(std::string_view entry, const Launch& launch) { return step(Step::launch(entry, launch)); }
  Kernel& memset(std::string_view buffer, const Memset& memset = {}) { return step(Step::memset(buffer, memset)); }
  /// Copied into a __constant__ or __device__ symbol before the steps run.
  Kernel& symbol(std::string_view name, const Arg& value) {
    const std::string& json = value.json();
    symbols_.push_back("{\"symbol\":" + detail::json_string(name) + "," + json.substr(1));
    return *this;
  }

  /// A function void(const Call&) that computes the expected outputs on the host: .reference<sgemm_reference>()
  template <auto Function>
    requires std::invocable<decltype(Function), const Call&>
  Kernel& reference() {
    callbacks_.reference = &detail::reference_thunk<Function>;
    return *this;
  }
  Kernel& reference_kernel(const ReferenceKernel& kernel) {
    detail::JsonObject object;
    object.member("code", detail::to_json(kernel.source)).array_if("steps", detail::to_json(kernel.steps));
    return reference_kernel_ = object.json(), *this;
  }
  /// Sizes at which the reference kernel is checked against the reference function.
  Kernel& check_dims(const std::map<std::string, std::int64_t>& dims) {
    detail::JsonObject object;
    for (const auto& [name, value] : dims) object.member(name, std::to_string(value));
    return check_dims_ = object.json(), *this;
  }
  Kernel& tolerance(std::string_view buffer, const Tolerance& tolerance) {
    detail::JsonObject object;
    object.text("buffer", buffer);
    detail::add_if(object, "abs", tolerance.abs);
    detail::add_if(object, "rel", tolerance.rel);
    detail::add_if(object, "reduction", tolerance.reduction);
    detail::add_if(object, "magnitude", tolerance.magnitude);
    if (tolerance.accumulator) object.text("accumulator", detail::name_of(*tolerance.accumulator));
    return tolerances_.push_back(object.text_if("reason", tolerance.reason).json()), *this;
  }
  Kernel& work(const Work& work) {
    detail::JsonObject object;
    detail::add_if(object, "flop", work.flop);
    detail::add_if(object, "bytes", work.bytes);
    return work_ = object.json(), *this;
  }

  /// The spec document.
  std::string json() const {
    detail::JsonObject object;
    object.member("kerntune_spec", "1").text("name", name_).text_if("revision", revision_).text_if("summary", summary_);
    object.array_if("dims", dims_).array_if("params", params_).array_if("constraints", constraints_);
    object.array_if("derived", derived_).array_if("applicability", applicability_).array_if("buffers", buffers_);
    if (!code_.empty()) object.member("code", code_);
    object.array_if("steps", steps_).array_if("symbols", symbols_);
    const std::string reference = reference_json();
    if (!reference.empty()) object.member("reference", reference);
    object.array_if("tolerances", tolerances_);
    if (!work_.empty()) object.member("work", work_);
    return object.json();
  }
  const std::string& name() const noexcept { return name_; }
  const detail::Callbacks& callbacks() const noexcept { return callbacks_; }

 private:
  Kernel& add_dim(std::string_view name, const Range& range, bool batch) {
    detail::JsonObject object;
    object.text("name", name);
    if (batch) object.member("batch", "true");
    object.member("min", std::to_string(range.min)).member("max", std::to_string(range.max));
    return dims_.push_back(object.member("default", std::to_string(range.def)).json()), *this;
  }
  Kernel& add_buffer(std::string_view name, DType type, const Expr& count, std::string_view role, const Fill& fill,
                     const Expr& alignment) {
    detail::JsonObject object;
    object.text("name", name).text("dtype", detail::name_of(type)).member("count", count.json());
    detail::add_if(object, "alignment", alignment);
    object.text("role", role);
    if (!fill.json().empty()) object.member("fill", fill.json());
    return buffers_.push_back(object.json()), *this;
  }
  Kernel& set_code(std::string json) {
    if (!code_.empty()) throw std::logic_error("kernel '" + name_ + "' has its code given twice");
    return code_ = std::move(json), *this;
  }
  std::string reference_json() const {
    detail::JsonObject object;
    if (callbacks_.reference != nullptr) object.member("host", "true");
    if (!reference_kernel_.empty()) object.member("kernel", reference_kernel_);
    if (!check_dims_.empty()) object.member("check_dims", check_dims_);
    return object.empty() ? std::string() : object.json();
  }

  std::string name_, revision_, summary_, code_, reference_kernel_, check_dims_, work_;
  std::vector<std::string> dims_, params_, constraints_, derived_, applicability_, buffers_, steps_, symbols_,
      tolerances_;
  detail::Callbacks callbacks_;
};

inline Kernel kernel(std::string name) { return Kernel(std::move(name)); }

}  // namespace kerntune::plugin
#pragma GCC visibility pop
