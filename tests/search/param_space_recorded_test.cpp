// SPDX-License-Identifier: Apache-2.0
// Definitions of real kernels: tests/data/spaces.
#include <kerntune/search/param_space.hpp>

#include <algorithm>
#include <array>
#include <cctype>

#include <gtest/gtest.h>

#include "param_space_loader.hpp"

namespace kerntune::search {
namespace {

struct Recorded {
  const char* name;
  const char* valid;
};

ParamSpace build(const std::string& name) {
  const SpaceDefinition definition = load_space_definition(name);
  return ParamSpace::build(definition.params, definition.constraints);
}

class RecordedSpace : public testing::TestWithParam<Recorded> {};

TEST_P(RecordedSpace, HasExactlyTheKnownConfigurations) {
  const ParamSpace space = build(GetParam().name);
  EXPECT_EQ(to_string(space.count()), GetParam().valid);
  EXPECT_EQ(space.evaluation_errors().count, 0U) << space.evaluation_errors().first;
}

TEST_P(RecordedSpace, FindsItsConfigurationsAgain) {
  const ParamSpace space = build(GetParam().name);
  for (Count index = 0; index < space.count(); index += 97) {
    ASSERT_EQ(space.index_of(space.at(index)), std::optional<Count>(index));
  }
}

INSTANTIATE_TEST_SUITE_P(Spaces, RecordedSpace,
                         testing::Values(Recorded{"atf_prl", "48720"}, Recorded{"atf_prl2", "1200"},
                                         Recorded{"atf_prl4", "10800"}, Recorded{"convolution_milo", "4362"},
                                         Recorded{"dedispersion", "11130"}, Recorded{"dedispersion_milo", "11130"},
                                         Recorded{"expdist", "504000"}, Recorded{"gemm", "116928"},
                                         Recorded{"gemm_milo", "116928"}, Recorded{"hotspot_milo", "82984"}),
                         [](const auto& tested) { return std::string(tested.param.name); });

constexpr int kCopies = 6;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string renamed(const std::string& name, int k) {
  if (name == "or" || std::isdigit(static_cast<unsigned char>(name.front())) != 0) {
    return name;
  }
  return name == "NWG" ? "MWG_" + std::to_string(k + 1) : name + "_" + std::to_string(k);
}

/// `text` with the names of copy `k`. NWG of a copy is MWG of the next.
std::string in_copy(const std::string& text, int k) {
  std::string out;
  for (auto at = text.begin(); at != text.end();) {
    const auto end = std::find_if_not(at, text.end(), is_word);
    if (end == at) {
      out += *at++;
    } else {
      out += renamed(std::string(at, end), k);
      at = end;
    }
  }
  return out;
}

// Six gemm kernels in a chain, declared in a random order: 7e27 configurations, which no tree could hold.
SpaceDefinition chained_gemm() {
  const SpaceDefinition gemm = load_space_definition("gemm");
  SpaceDefinition chained;
  for (int k = 0; k < kCopies; ++k) {
    for (const Param& param : gemm.params) {
      if (k == 0 || param.name != "MWG") {
        chained.params.push_back({in_copy(param.name, k), param.values});
      }
    }
    for (const std::string& constraint : gemm.constraints) {
      chained.constraints.push_back(in_copy(constraint, k));
    }
  }
  Rng rng(1);
  for (std::size_t left = chained.params.size(); left > 1; --left) {
    std::swap(chained.params[left - 1], chained.params[rng.below(left)]);
  }
  return chained;
}

TEST(RecordedSpaces, ChainIntoGiantOnes) {
  const ParamSpace gemm = build("gemm");
  Count ways[4][4] = {};  // configurations by the indices of MWG and NWG
  for (Count index = 0; index < gemm.count(); ++index) {
    const Config config = gemm.at(index);
    ways[config[1]][config[2]] += 1;
  }
  std::array<Count, 4> ending_in = {1, 1, 1, 1};
  for (int k = 0; k < kCopies; ++k) {
    std::array<Count, 4> next = {};
    for (std::size_t i = 0; i < 16; ++i) {
      next[i % 4] += ending_in[i / 4] * ways[i / 4][i % 4];
    }
    ending_in = next;
  }
  const SpaceDefinition definition = chained_gemm();
  const ParamSpace space = ParamSpace::build(definition.params, definition.constraints);
  EXPECT_EQ(to_string(space.count()), to_string(ending_in[0] + ending_in[1] + ending_in[2] + ending_in[3]));
  EXPECT_LT(space.memory_bytes(), 1'000'000U);
  EXPECT_EQ(space.index_of(space.at(space.count() / 3)), std::optional<Count>(space.count() / 3));
}

}  // namespace
}  // namespace kerntune::search
