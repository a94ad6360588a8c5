// SPDX-License-Identifier: Apache-2.0
#include "engine/edge_code.hpp"

#include <fmt/format.h>

#include "engine/static_filter.hpp"

namespace kerntune {
namespace {

/// The jobs of one configuration at one edge size.
struct Request {
  std::size_t config = 0;
  Dims dims;
  bool runs = false;
  std::size_t first_job = 0;
  bool has_default = false, has_reference = false;
};

class EdgeCompiler {
 public:
  EdgeCompiler(const TuningContext& context, const std::vector<search::Config>& configs, const Dims& tuned)
      : context_(context), program_(*context.program) {
    for (std::size_t c = 0; c < configs.size(); ++c)
      for (EdgeSize& edge : edges_of(program_, configs[c], tuned, context.device))
        if (!edge.same_code) ask(c, configs[c], std::move(edge.dims));
  }

  const std::vector<CompileJob>& jobs() const noexcept { return jobs_; }

  std::vector<tl::expected<std::vector<EdgeCode>, Rejection>> answers(
      std::size_t configs, std::vector<tl::expected<CompiledModule, Rejection>> compiled) const {
    std::vector<tl::expected<std::vector<EdgeCode>, Rejection>> all(configs, std::vector<EdgeCode>{});
    for (const Request& request : requests_) {
      auto& answer = all[request.config];
      if (!answer) continue;
      auto code = code_for(request, compiled);
      if (code)
        answer->push_back(std::move(*code));
      else
        answer = tl::unexpected(code.error());
    }
    return all;
  }

 private:
  void ask(std::size_t index, const search::Config& config, Dims dims) {
    Request request{index, std::move(dims), false, jobs_.size(), false, false};
    const auto view = static_filter(context_, config, request.dims);
    if (view) {
      request.runs = true;
      jobs_.push_back(job(std::get<SourceCode>(program_.spec().code), view->compile));
      add_reference(request);
      if (!program_.spec().reference.any()) add_default(request);
    }
    requests_.push_back(std::move(request));
  }

  void add_reference(Request& request) {
    const auto& reference = program_.spec().reference.kernel;
    if (!reference) return;
    const auto plan = program_.reference_compile_plan(program_.bind_dims(request.dims, context_.device.properties));
    if (!plan) return;  // opening the session says what is wrong
    jobs_.push_back(job(reference->code, *plan));
    request.has_reference = true;
  }

  void add_default(Request& request) {
    const auto view = static_filter(context_, program_.default_config(), request.dims);
    if (!view) return;
    jobs_.push_back(job(std::get<SourceCode>(program_.spec().code), view->compile));
    request.has_default = true;
  }

  CompileJob job(const SourceCode& code, const CompilePlan& plan) const {
    return compile_job(code, plan, context_.device.arch);
  }

  static tl::expected<EdgeCode, Rejection> code_for(
      const Request& request, const std::vector<tl::expected<CompiledModule, Rejection>>& compiled) {
    EdgeCode code{request.dims, {}, {}, {}};
    if (!request.runs) return code;
    std::size_t at = request.first_job;
    const auto take = [&](std::vector<CompiledModule>& modules) -> tl::expected<void, Rejection> {
      const auto& one = compiled[at++];
      if (!one)
        return tl::unexpected(
            Rejection{one.error().reason,
                      fmt::format("at the edge size {}: {}", canonical_dims(request.dims), one.error().message)});
      modules.push_back(*one);
      return {};
    };
    auto ok = take(code.modules);
    if (ok && request.has_reference) ok = take(code.reference_modules);
    if (ok && request.has_default) ok = take(code.default_modules);
    if (!ok) return tl::unexpected(ok.error());
    return code;
  }

  const TuningContext& context_;
  const SpecProgram& program_;
  std::vector<CompileJob> jobs_;
  std::vector<Request> requests_;
};

}  // namespace

std::vector<tl::expected<std::vector<EdgeCode>, Rejection>> compile_edges(const TuningContext& context,
                                                                          const std::vector<search::Config>& configs,
                                                                          const Dims& tuned,
                                                                          const CompileAll& compile) {
  if (!context.compiles())
    return std::vector<tl::expected<std::vector<EdgeCode>, Rejection>>(configs.size(), std::vector<EdgeCode>{});
  const EdgeCompiler edges(context, configs, tuned);
  return edges.answers(configs.size(), edges.jobs().empty() ? std::vector<tl::expected<CompiledModule, Rejection>>{}
                                                            : compile(edges.jobs()));
}

}  // namespace kerntune
