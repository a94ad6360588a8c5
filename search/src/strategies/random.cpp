// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "ask_tell.hpp"
#include "makers.hpp"

namespace kerntune::search::detail {
namespace {

class Random final : public AskTell {
 public:
  Random(ParamSpace space, std::uint64_t seed) : AskTell("random", std::move(space), seed) {}

 private:
  Config choose() override { return draw_unknown(); }
  void learn(const Config& /*config*/, const Feedback& /*feedback*/) override {}
};

}  // namespace

std::unique_ptr<Strategy> make_random(ParamSpace space, std::uint64_t seed) {
  return std::make_unique<Random>(std::move(space), seed);
}

}  // namespace kerntune::search::detail
