// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kerntune/plugin/plugin.hpp>

// The sink is opaque to a plugin; the test plays the host.
struct kerntune_error {
  std::string text;
};

namespace {

using namespace kerntune::plugin;
using detail::borrow;

void set_error(kerntune_error* error, kerntune_str text) noexcept { error->text = std::string(detail::view(text)); }
void log_nothing(std::int32_t, kerntune_str) noexcept {}
constexpr kerntune_host kHost{KERNTUNE_HOST_SIZE, KERNTUNE_ABI_MAJOR, KERNTUNE_ABI_MINOR, 0, &set_error, &log_nothing};

/// A call with one of everything.
class CallTest : public testing::Test {
 protected:
  std::array<float, 3> x_{1, 2, 3};
  std::array<std::uint16_t, 2> half_{};
  std::array<kerntune_dim, 2> dims_{{{borrow("batch"), 64}, {borrow("n"), -5}}};
  std::array<kerntune_named_value, 4> config_{{{borrow("tile"), {KERNTUNE_VALUE_INTEGER, 0, 300, 0, {}}},
                                               {borrow("ratio"), {KERNTUNE_VALUE_REAL, 0, 0, 0.25, {}}},
                                               {borrow("fast"), {KERNTUNE_VALUE_BOOLEAN, 0, 1, 0, {}}},
                                               {borrow("math"), {KERNTUNE_VALUE_STRING, 0, 0, 0, borrow("fp16")}}}};
  std::array<kerntune_buffer, 2> buffers_{{{KERNTUNE_BUFFER_SIZE, KERNTUNE_F32, borrow("x"), x_.data(), 3},
                                           {KERNTUNE_BUFFER_SIZE, KERNTUNE_BF16, borrow("h"), half_.data(), 2}}};
  std::array<const kerntune_buffer*, 2> pointers_{&buffers_[0], &buffers_[1]};
  kerntune_call raw_{.struct_size = KERNTUNE_CALL_SIZE,
                     .device_kind = KERNTUNE_DEVICE_CUDA,
                     .device_ordinal = 3,
                     .reserved = 0,
                     .dims = dims_.data(),
                     .dim_count = 2,
                     .config = config_.data(),
                     .config_count = 4,
                     .buffers = pointers_.data(),
                     .buffer_count = 2};
  Call call_{&kHost, &raw_};
};

TEST_F(CallTest, GivesDims) {
  EXPECT_EQ(call_.dim("batch"), 64);
  EXPECT_EQ(call_.dim("n"), -5);
  EXPECT_THROW(call_.dim("m"), std::invalid_argument);
}

TEST_F(CallTest, GivesParametersInTheTypeAskedFor) {
  EXPECT_EQ(call_.param("tile"), 300);
  EXPECT_EQ(call_.param<std::uint16_t>("tile"), 300);
  EXPECT_EQ(call_.param<double>("tile"), 300.0);
  EXPECT_EQ(call_.param<float>("ratio"), 0.25F);
  EXPECT_TRUE(call_.param<bool>("fast"));
  EXPECT_EQ(call_.param<int>("fast"), 1);
  EXPECT_EQ(call_.param<std::string_view>("math"), "fp16");
}

TEST_F(CallTest, RefusesAParameterThatDoesNotFitTheTypeAskedFor) {
  EXPECT_THROW(call_.param<std::uint8_t>("tile"), std::invalid_argument);
  EXPECT_THROW(call_.param<bool>("tile"), std::invalid_argument);
  EXPECT_THROW(call_.param<int>("ratio"), std::invalid_argument);
  EXPECT_THROW(call_.param<int>("math"), std::invalid_argument);
  EXPECT_THROW(call_.param<std::string>("tile"), std::invalid_argument);
  EXPECT_THROW(call_.param("nothing"), std::invalid_argument);
}

TEST_F(CallTest, GivesBuffersOfTheirElementType) {
  EXPECT_THAT(call_.buffer<const float>("x"), testing::ElementsAre(1, 2, 3));
  call_.buffer<float>("x")[1] = 9;
  EXPECT_EQ(x_[1], 9);
  EXPECT_EQ(call_.buffer<std::uint16_t>("h").size(), 2U);
  EXPECT_THROW(call_.buffer<double>("x"), std::invalid_argument);
  EXPECT_THROW(call_.buffer<float>("z"), std::invalid_argument);
}

TEST_F(CallTest, KnowsTheDevice) {
  EXPECT_TRUE(call_.on_cuda());
  EXPECT_EQ(call_.device(), 3);
}

template <class Exception>
kerntune_status status_of(const Exception& exception, kerntune_error& error) {
  return detail::guarded(&kHost, &error, [&] { throw exception; });
}

TEST(ExceptionGuard, MapsEachExceptionToItsStatusAndKeepsTheText) {
  kerntune_error error;
  EXPECT_EQ(status_of(Unsupported("too small"), error), KERNTUNE_UNSUPPORTED);
  EXPECT_EQ(error.text, "too small");
  EXPECT_EQ(status_of(DeviceFailure("cublasLtMatmul: 13"), error), KERNTUNE_DEVICE_ERROR);
  EXPECT_EQ(error.text, "cublasLtMatmul: 13");
  EXPECT_EQ(status_of(std::invalid_argument("odd"), error), KERNTUNE_INVALID_ARGUMENT);
  EXPECT_EQ(error.text, "odd");
  EXPECT_EQ(status_of(std::bad_alloc(), error), KERNTUNE_OUT_OF_MEMORY);
  EXPECT_EQ(status_of(std::logic_error("bug"), error), KERNTUNE_INTERNAL_ERROR);
  EXPECT_EQ(error.text, "bug");
  EXPECT_EQ(status_of(42, error), KERNTUNE_INTERNAL_ERROR);
  EXPECT_THAT(error.text, testing::HasSubstr("not a std::exception"));
}

TEST(ExceptionGuard, SaysNothingWhenNothingIsThrown) {
  kerntune_error error;
  EXPECT_EQ(detail::guarded(&kHost, &error, [] {}), KERNTUNE_OK);
  EXPECT_EQ(error.text, "");
}

struct Recorder {
  explicit Recorder(const Call&) { events.push_back("prepare"); }
  ~Recorder() { events.push_back("teardown"); }
  void launch(CUstream_st* stream) { events.push_back(stream == nullptr ? "launch null" : "launch stream"); }
  static inline std::vector<std::string> events;
};

TEST_F(CallTest, RunsACallableThroughItsCallbacks) {
  Recorder::events.clear();
  const Kernel recorded = kernel("recorded").callable<Recorder>({.runs = Runs::cuda});
  const detail::Callbacks& callbacks = recorded.callbacks();
  kerntune_error error;
  void* state = nullptr;
  int stream = 0;
  ASSERT_EQ(callbacks.prepare(&kHost, &raw_, &state, &error), KERNTUNE_OK);
  EXPECT_EQ(callbacks.launch(state, &stream, &error), KERNTUNE_OK);
  EXPECT_EQ(callbacks.launch(state, nullptr, &error), KERNTUNE_OK);
  callbacks.teardown(state);
  EXPECT_THAT(Recorder::events, testing::ElementsAre("prepare", "launch stream", "launch null", "teardown"));
}

}  // namespace
