// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include <kerntune/core/device.hpp>
#include <kerntune/core/plugin_host.hpp>

namespace kerntune {

/// What an edge size needs compiled where its code differs from that of the tuned size. No `modules`: the configuration
/// does not run there.
struct EdgeCode {
  Dims dims;
  std::vector<CompiledModule> modules, default_modules, reference_modules;
};

/// A configuration under examination. Borrowed during the call.
struct Examinee {
  Session& session;  // of the tuned size
  Prepared& prepared;
  const search::Config& config;
  const std::vector<CompiledModule>& modules;
  const std::vector<EdgeCode>& edge_code;
};

/// Decides whether outputs are right, in two depths (docs/measuring.md, "Verification"):
///
///   quick   one seed at the tuned size: for what is close to the fastest and may never be heard of again
///   full    every seed at the tuned size, then the edge sizes: before a configuration may push others out of the race,
///           and before it may win. What passed once passes for the life of the sessions.
///
/// Lives in the process that has the device. Used by one thread.
class Examiner {
 public:
  using OpenSession = std::function<tl::expected<std::unique_ptr<Session>, Rejection>(const SessionRequest&)>;

  /// `tuned` describes the session of the tuned size; edge sizes get sessions of their own from `open`, the last few of
  /// which are kept. Borrows `device`.
  Examiner(OpenSession open, const DeviceInfo& device, SessionRequest tuned);
  /// Opens on `device`. Borrows both; `plugin` may be null.
  Examiner(Device& device, const PluginKernel* plugin, SessionRequest tuned);

  tl::expected<Verification, Rejection> quick(const Examinee& examinee);
  /// `complete` says whether all edge sizes could be looked at: those of other code only with their EdgeCode.
  tl::expected<Verification, Rejection> full(const Examinee& examinee);

  /// Frees the sessions of edge sizes: memory that the tuned size may need.
  void release() { sessions_.clear(); }

  /// Time spent in here so far, references included.
  double seconds() const noexcept { return seconds_; }

 private:
  class Stopwatch;
  struct EdgeSession {
    Dims dims;
    std::unique_ptr<Session> session;
  };
  static constexpr std::size_t kKeptSessions = 4;

  tl::expected<Verification, Rejection> examine(const Examinee& examinee);
  tl::expected<Session*, Rejection> session_at(const Dims& dims, const EdgeCode* code);
  tl::expected<Verification, Rejection> try_edge(const Examinee& examinee, const Dims& dims, const EdgeCode* code,
                                                 std::uint64_t seed);
  tl::expected<Verification, Rejection> at_edge(const Examinee& examinee, const Dims& dims, const EdgeCode* code,
                                                std::uint64_t seed);

  OpenSession open_;
  const DeviceInfo& device_;
  SessionRequest tuned_;
  std::list<EdgeSession> sessions_;             // latest first
  std::map<std::string, Verification> passed_;  // complete ones, by configuration
  double seconds_ = 0;
};

/// The edge sizes of a configuration, and whether each runs the tuned size's code (configuration, reference, default).
struct EdgeSize {
  Dims dims;
  bool same_code = true;
};
std::vector<EdgeSize> edges_of(const SpecProgram& program, const search::Config& config, const Dims& tuned,
                               const DeviceInfo& device);

}  // namespace kerntune
