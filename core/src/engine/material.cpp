// SPDX-License-Identifier: Apache-2.0
#include "engine/material.hpp"

#include <fmt/format.h>

#include <kerntune/core/errors.hpp>

#include "engine/edge_code.hpp"
#include "engine/final.hpp"
#include "engine/static_filter.hpp"

namespace kerntune {

tl::expected<Material, Rejection> Entrance::admit(const search::Config& config) {
  auto material = prepare_material(shop_.context, config, dims_, compile_in(shop_.pool.get()));
  if (!material || open_) return material;
  const auto opened = shop_.lane->start_session(std::move(material->session));
  if (!opened) return tl::unexpected(opened.error());
  open_ = true;
  return material;
}

Dims complete_dims(const RunRequest& request, const SpecProgram& program) {
  Dims dims = request.dims;
  const Dim& batch = program.spec().batch_dim();
  dims[batch.name] = request.batch > 0 ? request.batch : batch.default_value;
  return program.complete_dims(dims);
}

search::Config config_named(const std::string& text, const SpecProgram& program) {
  search::Config config = program.space().parse(text, program.default_config());
  if (!program.space().contains(config)) {
    throw UsageError(fmt::format("run kernel '{}': configuration {} violates a constraint", program.spec().name,
                                 program.space().text(config)));
  }
  return config;
}

CompileOne compile_in(CompilePool* pool) {
  return [pool](const CompileJob& job) { return std::move(pool->compile_all({job}).front()); };
}

tl::expected<Material, Rejection> prepare_material(const TuningContext& context, const search::Config& config,
                                                   const Dims& dims, const CompileOne& compile) {
  const SpecProgram& program = *context.program;
  Material material;
  material.session = {dims, context.policy, {}, {}, verification_seeds(), {}, 0, 0};
  const auto view = static_filter(context, config, dims);
  if (!view) return tl::unexpected(view.error());
  if (!context.compiles()) return material;
  const auto& code = std::get<SourceCode>(program.spec().code);
  auto own = compile(compile_job(code, view->compile, context.device.arch));
  if (!own) return tl::unexpected(own.error());
  if (auto ok = check_compiled(context, *view, *own); !ok) return tl::unexpected(ok.error());
  material.modules.push_back(std::move(*own));
  if (const auto job = job_for(context, program.default_config(), dims)) {
    if (auto module = compile(*job)) material.session.default_modules.push_back(std::move(*module));
  }
  if (const auto& reference = program.spec().reference.kernel) {
    const auto plan = program.reference_compile_plan(program.bind_dims(dims, context.device.properties));
    if (!plan) return tl::unexpected(plan.error());
    auto module = compile(compile_job(reference->code, *plan, context.device.arch));
    if (!module) return tl::unexpected(module.error());
    material.session.reference_modules.push_back(std::move(*module));
  }
  auto edges = compile_edges(context, {config}, dims, [&](const std::vector<CompileJob>& jobs) {
    std::vector<tl::expected<CompiledModule, Rejection>> compiled;
    for (const CompileJob& job : jobs) compiled.push_back(compile(job));
    return compiled;
  });
  if (!edges.front()) return tl::unexpected(edges.front().error());
  material.edge_code = std::move(*edges.front());
  return material;
}

}  // namespace kerntune
