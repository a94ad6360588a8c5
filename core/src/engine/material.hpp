// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include <kerntune/core/tuner.hpp>

#include "engine/compile_pool.hpp"
#include "engine/context.hpp"
#include "engine/device_lane.hpp"
#include "engine/session_setup.hpp"

namespace kerntune {

/// One configuration's compiled code and everything that verifying it needs.
struct Material {
  SessionStart session;
  std::vector<CompiledModule> modules;
  std::vector<EdgeCode> edge_code;
};
using CompileOne = std::function<tl::expected<CompiledModule, Rejection>(const CompileJob&)>;

/// Compiles in the pool's processes. Borrows the pool, which may be null where nothing compiles.
CompileOne compile_in(CompilePool* pool);

/// Compiles a configuration, the default and the reference. Errors: the Rejection of the configuration, or of the
/// reference.
tl::expected<Material, Rejection> prepare_material(const TuningContext& context, const search::Config& config,
                                                   const Dims& dims, const CompileOne& compile);

/// Gets configurations of one size ready in a workshop: compiles each, and opens the lane's session with the first that
/// compiles. Borrows the workshop.
class Entrance {
 public:
  Entrance(Workshop& shop, Dims dims) : shop_(shop), dims_(std::move(dims)) {}
  /// The material without its session, which the lane has. Errors: the Rejection of the configuration, the reference
  /// or the session.
  tl::expected<Material, Rejection> admit(const search::Config& config);

 private:
  Workshop& shop_;
  Dims dims_;
  bool open_ = false;
};

/// A request's sizes, complete. Errors: UsageError, SpecError.
Dims complete_dims(const RunRequest& request, const SpecProgram& program);

/// A configuration by its text; parameters that are left out take the default's value. Errors: UsageError, SpaceError.
search::Config config_named(const std::string& text, const SpecProgram& program);

}  // namespace kerntune
