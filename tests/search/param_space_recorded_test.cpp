// SPDX-License-Identifier: Apache-2.0
// Definitions of real kernels: tests/data/spaces.
#include <kerntune/search/param_space.hpp>

#include <gtest/gtest.h>

#include "param_space_loader.hpp"

namespace kerntune::search {
namespace {

struct Recorded {
  const char* name;
  const char* valid;
};

class RecordedSpace : public testing::TestWithParam<Recorded> {};

TEST_P(RecordedSpace, HasExactlyTheKnownConfigurations) {
  const SpaceDefinition definition = load_space_definition(GetParam().name);
  const ParamSpace space = ParamSpace::build(definition.params, definition.constraints);
  EXPECT_EQ(to_string(space.count()), GetParam().valid);
  EXPECT_EQ(space.evaluation_errors().count, 0U) << space.evaluation_errors().first;
}

TEST_P(RecordedSpace, FindsItsConfigurationsAgain) {
  const SpaceDefinition definition = load_space_definition(GetParam().name);
  const ParamSpace space = ParamSpace::build(definition.params, definition.constraints);
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

}  // namespace
}  // namespace kerntune::search
