// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <kerntune/core/spec_program.hpp>

#include "buffers.hpp"
#include "context.hpp"
#include "module_cache.hpp"

namespace kerntune::cuda {

/// One kernel launch with its arguments laid out. Borrows the context; keeps module and buffers' addresses, so it must
/// not outlive the BufferSet it was made with.
class KernelLaunch {
 public:
  /// Errors: Rejected, if the arguments do not fit the kernel's parameters or a tensor map is refused.
  KernelLaunch(Context& context, std::shared_ptr<LoadedModule> module, CUfunction function, LaunchPlan plan,
               const BufferSet& buffers);

  const LaunchPlan& plan() const noexcept { return plan_; }
  /// The same launch on other buffers of the same plans. Errors: Rejected, if a tensor map is refused.
  KernelLaunch on(const BufferSet& buffers) const;

  /// Sets every attribute of the function that a plan can ask for, also where it asks for the default: functions are
  /// shared between configurations, and attributes stay set.
  void activate();
  /// Requires: activate() was called and no other configuration since.
  void enqueue();

 private:
  struct alignas(64) Argument {
    std::array<unsigned char, 128> bytes;  // pointer, scalar or CUtensorMap
  };

  struct Unchecked {};  // the parameters were checked before
  KernelLaunch(Context& context, std::shared_ptr<LoadedModule> module, CUfunction function, LaunchPlan plan,
               const BufferSet& buffers, Unchecked);
  void place(const ArgPlan& argument, const BufferSet& buffers);
  void check_parameters() const;

  Context* context_;
  std::shared_ptr<LoadedModule> module_;  // shared with other configurations of the same code
  CUfunction function_;
  LaunchPlan plan_;
  std::vector<Argument> arguments_;
  std::vector<std::size_t> sizes_;
  std::vector<void*> pointers_;
};

/// One memset step.
class MemsetRun {
 public:
  MemsetRun(Context& context, const MemsetPlan& plan, const BufferSet& buffers)
      : context_(&context), plan_(plan), address_(buffers.data(plan.buffer) + plan.offset_bytes) {}
  MemsetRun on(const BufferSet& buffers) const { return {*context_, plan_, buffers}; }
  void activate() {}
  void enqueue();

 private:
  Context* context_;
  MemsetPlan plan_;
  CUdeviceptr address_;
};

/// What one run of a kernel does, in order. Move-only in effect: launches hold addresses of their own arguments.
class StepList {
 public:
  void add(KernelLaunch launch) { steps_.emplace_back(std::move(launch)); }
  void add(MemsetRun memset) { steps_.emplace_back(memset); }
  /// The same steps on other buffers of the same plans.
  StepList on(const BufferSet& buffers) const;
  void activate();
  void enqueue();
  std::size_t size() const noexcept { return steps_.size(); }

 private:
  std::vector<std::variant<KernelLaunch, MemsetRun>> steps_;
};

}  // namespace kerntune::cuda
