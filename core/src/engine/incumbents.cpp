// SPDX-License-Identifier: Apache-2.0
#include "engine/incumbents.hpp"

#include <optional>

namespace kerntune {
namespace {

std::optional<storage::FinalRecord> newest_winner(const storage::ResultStore& store, const TuningContext& context,
                                                  const Dims& dims) {
  std::optional<storage::FinalRecord> newest;
  for (storage::FinalRecord& f : store.finals(context.program->spec().name)) {
    const bool same = f.dims == canonical_dims(dims) && f.device_class == context.device.device_class &&
                      f.policy == context.policy.text();
    if (same && (!newest || f.finished_unix_us > newest->finished_unix_us)) newest = std::move(f);
  }
  return newest;
}

std::optional<Incumbent> winner_of(const storage::ResultStore& store, const TuningContext& context, const Dims& dims,
                                   const char* source) {
  const auto winner = newest_winner(store, context, dims);
  if (!winner) return std::nullopt;
  const search::ParamSpace& space = context.program->space();
  try {
    search::Config config = space.parse(winner->config);
    if (space.contains(config)) return Incumbent{std::move(config), winner->config, source};
  } catch (const search::SpaceError&) {  // the space has lost a value since
  }
  return std::nullopt;
}

}  // namespace

std::vector<Incumbent> incumbents_of(const TuneRequest& request, const TuningContext& context, const Dims& dims,
                                     const storage::ResultStore& store) {
  std::vector<Incumbent> found;
  std::optional<Incumbent> winner;
  if (!request.incumbent_path.empty()) {
    const auto deployed = storage::ResultStore::open(request.incumbent_path, storage::ResultStore::Mode::read_only);
    winner = winner_of(deployed, context, dims, "deployed");
  }
  if (!winner) winner = winner_of(store, context, dims, "stored");
  if (winner) found.push_back(std::move(*winner));
  const search::Config fallback = context.program->default_config();
  found.push_back({fallback, context.program->space().text(fallback), "default"});
  return found;
}

}  // namespace kerntune
