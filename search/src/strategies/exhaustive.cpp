// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "ask_tell.hpp"
#include "makers.hpp"

namespace kerntune::search::detail {
namespace {

class Exhaustive final : public AskTell {
 public:
  Exhaustive(ParamSpace space, std::uint64_t seed) : AskTell("exhaustive", std::move(space), seed) {}

 private:
  Config choose() override {
    for (;;) {
      Config config = space().at(next_++);
      if (!is_known(config)) {
        return config;
      }
    }
  }
  void learn(const Config& /*config*/, const Feedback& /*feedback*/) override {}

  Count next_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_exhaustive(ParamSpace space, std::uint64_t seed) {
  return std::make_unique<Exhaustive>(std::move(space), seed);
}

}  // namespace kerntune::search::detail
