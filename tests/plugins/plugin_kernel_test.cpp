// SPDX-License-Identifier: Apache-2.0
// Callbacks through the host's eyes: statuses become rejections, twins keep their own.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kerntune/core/plugin_host.hpp>

#include "fixtures.hpp"

namespace {

using kerntune::BoundBuffer;
using kerntune::Dims;
using kerntune::DType;
using kerntune::PluginCall;
using kerntune::PluginKernel;
using kerntune::PluginLibrary;
using kerntune::Reason;
using kerntune::Rejection;
using kerntune::search::Config;
using testing::HasSubstr;

/// Memory and sizes for kernels with one i32 output "y" and batch 4.
class PluginKernelTest : public testing::Test {
 protected:
  PluginCall call(const PluginKernel& kernel, const Config& config) {
    return {.device_kind = kerntune::DeviceKind::host,
            .device_ordinal = 0,
            .spec = &kernel.spec(),
            .dims = &dims_,
            .config = &config,
            .buffers = buffers_};
  }
  std::array<std::int32_t, 4> y_{};
  std::array<BoundBuffer, 1> buffers_{BoundBuffer{"y", DType::i32, y_.data(), y_.size()}};
  Dims dims_{{"batch", 4}};
};

TEST_F(PluginKernelTest, RunsACallableWrittenInC) {
  const PluginLibrary library = PluginLibrary::open(fixture("correct.so"));
  const Config config{0};
  auto prepared = library.kernels()[0].prepare(call(library.kernels()[0], config));
  ASSERT_TRUE(prepared.has_value());
  ASSERT_TRUE(prepared->launch(nullptr).has_value());
  EXPECT_THAT(y_, testing::Each(7));
}

TEST_F(PluginKernelTest, KeepsTwinsApart) {
  const PluginLibrary first = PluginLibrary::open(fixture("twin_1.so"));
  const PluginLibrary second = PluginLibrary::open(fixture("twin_2.so"));
  const Config config{0};
  for (const auto& [library, answer] : {std::pair(&first, 1), std::pair(&second, 2), std::pair(&first, 1)}) {
    auto prepared = library->kernels()[0].prepare(call(library->kernels()[0], config));
    ASSERT_TRUE(prepared.has_value());
    ASSERT_TRUE(prepared->launch(nullptr).has_value());
    EXPECT_THAT(y_, testing::Each(answer));
  }
}

/// The rejection of the thrower for what[index], thrown in prepare (0) or launch (1).
class ThrowerTest : public PluginKernelTest {
 protected:
  Rejection rejection(std::uint32_t what, std::uint32_t where) {
    const PluginKernel& kernel = library_.kernels()[0];
    const Config config{what, where};
    testing::internal::CaptureStderr();
    auto prepared = kernel.prepare(call(kernel, config));
    log_ = testing::internal::GetCapturedStderr();
    if (!prepared) return prepared.error();
    const auto launched = prepared->launch(nullptr);
    return launched ? Rejection{Reason::crash, "nothing was thrown"} : launched.error();
  }
  PluginLibrary library_ = PluginLibrary::open(fixture("throws.so"));
  std::string log_;
};

TEST_F(ThrowerTest, MapsEachStatusToItsReasonInPrepare) {
  EXPECT_EQ(rejection(1, 0).reason, Reason::unsupported);
  EXPECT_EQ(rejection(2, 0).reason, Reason::launch_error);
  EXPECT_EQ(rejection(3, 0).reason, Reason::out_of_memory);
  EXPECT_EQ(rejection(4, 0).reason, Reason::internal_error);
  EXPECT_EQ(rejection(5, 0).reason, Reason::internal_error);
  EXPECT_EQ(rejection(7, 0).reason, Reason::internal_error);
}

TEST_F(ThrowerTest, MapsEachStatusToItsReasonInLaunch) {
  EXPECT_EQ(rejection(1, 1).reason, Reason::unsupported);
  EXPECT_EQ(rejection(2, 1).reason, Reason::launch_error);
  EXPECT_EQ(rejection(3, 1).reason, Reason::out_of_memory);
  EXPECT_EQ(rejection(7, 1).reason, Reason::internal_error);
}

TEST_F(ThrowerTest, KeepsThePluginsText) {
  EXPECT_EQ(rejection(1, 0).message, "prepare: not this one");
  EXPECT_EQ(rejection(2, 1).message, "launch: cublasCreate: not initialised");
}

TEST_F(ThrowerTest, ReplacesBytesThatAreNotUtf8) { EXPECT_EQ(rejection(6, 0).message, "prepare: bad ? byte"); }

TEST_F(ThrowerTest, WritesThePluginsLogLines) {
  rejection(5, 1);
  EXPECT_EQ(log_, "plugin [info] preparing runtime_error\n");
}

TEST_F(ThrowerTest, ReportsAReferenceThatThrows) {
  const PluginKernel& kernel = library_.kernels()[0];
  const auto done = kernel.reference(call(kernel, Config{0, 0}));
  ASSERT_FALSE(done.has_value());
  EXPECT_THAT(done.error().message, HasSubstr("another element type"));
}

TEST_F(PluginKernelTest, EndsTheProcessIfAnExceptionEscapes) {
  const PluginLibrary library = PluginLibrary::open(fixture("escapes.so"));
  const Config config{0};
  auto prepared = library.kernels()[0].prepare(call(library.kernels()[0], config));
  ASSERT_TRUE(prepared.has_value());
  EXPECT_DEATH((void)prepared->launch(nullptr), "escaped");
}

TEST_F(PluginKernelTest, RefusesToPrepareSourceCode) {
  const PluginLibrary library = PluginLibrary::open(fixture("../../../examples/example_axpy.so"));
  const Config config{0, 0};
  const auto prepared = library.kernels()[0].prepare(call(library.kernels()[0], config));
  ASSERT_FALSE(prepared.has_value());
  EXPECT_THAT(prepared.error().message, HasSubstr("not a callable"));
}

}  // namespace
