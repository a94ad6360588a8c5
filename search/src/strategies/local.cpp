// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "ask_tell.hpp"
#include "makers.hpp"

namespace kerntune::search::detail {
namespace {

// Chosen on recorded spaces of four kernels (docs/strategies.md); the scores change little around these values.
constexpr std::size_t kRandomStart = 20;
constexpr int kKickMoves = 3;
constexpr double kRestartChance = 0.3;
constexpr int kKicksInARow = 50;

constexpr double kNoTime = std::numeric_limits<double>::infinity();

std::size_t changes(const Config& a, const Config& b) {
  std::size_t count = 0;
  for (std::size_t p = 0; p < a.size(); ++p) {
    count += a[p] == b[p] ? 0 : 1;
  }
  return count;
}

/// Iterated local search (Lourenço, Martin, Stützle, "Iterated Local Search", 2003): from the best of a random start,
/// try one-parameter changes of the centre in random order and move to the first that is faster; when none is left, go
/// on from the best after a kick of a few random moves, or from a random place.
///
/// Several in flight: the neighbours proposed ahead belong to the centre of then. A late result still moves the centre
/// if it is near, and the neighbourhood of the best is always tried before a kick.
class Local final : public AskTell {
 public:
  Local(ParamSpace space, std::uint64_t seed) : AskTell("local", std::move(space), seed) {}

 private:
  struct Point {
    Config config;
    double time_ns = kNoTime;
  };

  Config choose() override {
    if (known_count() < kRandomStart || best_.time_ns == kNoTime) {
      return draw_unknown();
    }
    for (int kicks = 0; kicks < kKicksInARow; ++kicks) {
      while (!untried_.empty()) {
        Config config = std::move(untried_.back());
        untried_.pop_back();
        if (!is_known(config)) {
          return config;
        }
      }
      move_on();
      if (!is_known(centre_.config)) {
        return centre_.config;
      }
    }
    return draw_unknown();
  }

  void learn(const Config& config, const Feedback& feedback) override {
    if (feedback.status != Feedback::Status::measured) {
      return;  // a lower bound says only that it is not better than what stopped it
    }
    times_[config] = feedback.time_ns;
    if (feedback.time_ns < best_.time_ns) {
      best_ = {config, feedback.time_ns};
      best_was_centre_ = false;
    }
    if (config == centre_.config) {
      centre_.time_ns = feedback.time_ns;
    } else if (feedback.time_ns < centre_.time_ns && is_near_centre(config)) {
      set_centre(config);
    }
  }

  bool is_near_centre(const Config& config) const {
    return !centre_.config.empty() && changes(config, centre_.config) <= 2;
  }

  void move_on() {
    if (!best_was_centre_) {
      set_centre(best_.config);
    } else if (rng().unit() < kRestartChance) {
      set_centre(space().sample(rng()));
    } else {
      set_centre(kicked(best_.config));
    }
  }

  Config kicked(Config config) {
    for (int move = 0; move < kKickMoves; ++move) {
      std::vector<Config> around = space().neighbours(config, ParamSpace::Neighbourhood::hamming);
      if (around.empty()) {
        break;
      }
      config = std::move(around[rng().below(around.size())]);
    }
    return config;
  }

  void set_centre(const Config& config) {
    const auto known = times_.find(config);
    centre_ = {config, known == times_.end() ? kNoTime : known->second};
    best_was_centre_ = best_was_centre_ || config == best_.config;
    untried_ = space().neighbours(config, ParamSpace::Neighbourhood::hamming);
    for (std::size_t left = untried_.size(); left > 1; --left) {
      std::swap(untried_[left - 1], untried_[rng().below(left)]);
    }
  }

  std::unordered_map<Config, double, ConfigHash> times_;
  Point best_;
  bool best_was_centre_ = true;
  Point centre_;
  std::vector<Config> untried_;  // neighbours of the centre, taken from the back
};

}  // namespace

std::unique_ptr<Strategy> make_local(ParamSpace space, std::uint64_t seed) {
  return std::make_unique<Local>(std::move(space), seed);
}

}  // namespace kerntune::search::detail
