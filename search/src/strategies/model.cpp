// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "ask_tell.hpp"
#include "makers.hpp"
#include "rank_model.hpp"

namespace kerntune::search::detail {
namespace {

// Chosen on recorded spaces of four kernels (docs/strategies.md); the scores change little around these values.
constexpr std::size_t kRandomStart = 10;
constexpr std::size_t kLeaders = 3;
constexpr int kRandomCandidates = 5;  // new ones per proposal
constexpr double kExploration = 3;    // standard deviations
// Bounds of the work per proposal, above what a few hundred evaluations need.
constexpr std::size_t kPoolLimit = 400;
constexpr std::size_t kNeighbourLimit = 200;
constexpr std::size_t kResultLimit = 512;

/// Bayesian optimisation with a local list of candidates. After a random start, each proposal is the candidate with the
/// lowest lower bound (mean less three deviations) of a RankModel. Candidates are the one-parameter changes of the
/// leaders and some random configurations; they stay until they are proposed or crowded out.
class Model final : public AskTell {
 public:
  Model(ParamSpace space, std::uint64_t seed) : AskTell("model", std::move(space), seed), model_(this->space()) {}

 private:
  using Candidate = RankModel::Candidate;

  struct Scored {
    double promise = 0;  // lower is better
    double mean = 0;
    std::size_t place = 0;  // in the pool
  };

  Config choose() override {
    if (model_.in_flight() >= kResultLimit) {  // that far ahead there is nothing to go by
      Config config = draw_unknown();
      remove_from_pool(config);
      return config;
    }
    if (known_count() >= kRandomStart) {
      grow_pool();
    }
    if (pool_.empty()) {
      Config config = draw_unknown();
      model_.expect(config, 0);
      return config;
    }
    return take_most_promising();
  }

  void learn(const Config& config, const Feedback& feedback) override {
    const bool failed = feedback.status == Feedback::Status::rejected;
    model_.observe(config, failed ? std::numeric_limits<double>::infinity() : feedback.time_ns);
    remove_from_pool(config);
    if (feedback.status == Feedback::Status::measured) {
      leaders_.emplace_back(feedback.time_ns, config);
      std::ranges::sort(leaders_);
      leaders_.resize(std::min(leaders_.size(), kLeaders));
    }
    if (model_.observed() >= kResultLimit) {
      model_.forget(kResultLimit / 4, rng());
      for (Candidate& candidate : pool_) {
        candidate.weights.clear();
      }
    }
  }

  void grow_pool() {
    for (const auto& [time_ns, leader] : leaders_) {
      if (expanded_.insert(leader).second) {
        add_neighbours(leader);
      }
    }
    for (int i = 0; i < kRandomCandidates; ++i) {
      add_candidate(space().sample(rng()));
    }
  }

  void add_neighbours(const Config& config) {
    std::vector<Config> around = space().neighbours(config, ParamSpace::Neighbourhood::hamming);
    for (std::size_t i = 0; i < std::min(around.size(), kNeighbourLimit); ++i) {
      std::swap(around[i], around[i + rng().below(around.size() - i)]);
      add_candidate(std::move(around[i]));
    }
  }

  void add_candidate(Config config) {
    if (!is_known(config) && pooled_.insert(config).second) {
      pool_.push_back({std::move(config), {}});
    }
  }

  void remove_from_pool(const Config& config) {
    if (pooled_.erase(config) != 0) {
      std::erase_if(pool_, [&](const Candidate& candidate) { return candidate.config == config; });
    }
  }

  Config take_most_promising() {
    std::vector<Scored> scored;
    for (std::size_t i = 0; i < pool_.size(); ++i) {
      const RankModel::Prediction prediction = model_.predict(pool_[i]);
      scored.push_back({prediction.mean - kExploration * prediction.deviation, prediction.mean, i});
    }
    const Scored best = *std::ranges::min_element(scored, {}, &Scored::promise);
    Config config = pool_[best.place].config;
    if (pool_.size() > kPoolLimit) {
      keep_better_half(std::move(scored));
    }
    remove_from_pool(config);
    model_.expect(config, best.mean);
    return config;
  }

  void keep_better_half(std::vector<Scored> scored) {
    std::ranges::stable_sort(scored, {}, &Scored::promise);
    scored.resize(scored.size() / 2);
    std::vector<Candidate> kept;
    pooled_.clear();
    for (const Scored& entry : scored) {
      pooled_.insert(pool_[entry.place].config);
      kept.push_back(std::move(pool_[entry.place]));
    }
    pool_ = std::move(kept);
  }

  RankModel model_;
  std::vector<std::pair<double, Config>> leaders_;   // the fastest so far, fastest first
  std::unordered_set<Config, ConfigHash> expanded_;  // leaders whose neighbours have been candidates
  std::vector<Candidate> pool_;
  std::unordered_set<Config, ConfigHash> pooled_;
};

}  // namespace

std::unique_ptr<Strategy> make_model(ParamSpace space, std::uint64_t seed) {
  return std::make_unique<Model>(std::move(space), seed);
}

}  // namespace kerntune::search::detail
