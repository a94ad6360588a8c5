// SPDX-License-Identifier: Apache-2.0
// Verification over the fake driver: what every way of being wrong is called.
#include <cmath>
#include <limits>

#include "cuda_fake_fixture.hpp"
#include "measure/compare.hpp"
#include "measure/fill.hpp"

namespace kerntune::cuda {
namespace {

using testing::HasSubstr;

/// Adds, then does something else.
std::function<CUresult(const FakeLaunch&)> add_then(std::function<void(const FakeLaunch&)> more) {
  return [more = std::move(more)](const FakeLaunch& launch) {
    const auto *a = launch.argument<float*>(0), *b = launch.argument<float*>(1);
    auto* c = launch.argument<float*>(2);
    for (int i = 0; i < launch.argument<int>(3); ++i) c[i] = a[i] + b[i];
    more(launch);
    return CUDA_SUCCESS;
  };
}

TEST_F(FakeDeviceTest, VerifiesARightKernelOnSeveralSeeds) {
  open();
  auto prepared = prepare();
  for (const std::uint64_t seed : {1U, 2U, 3U, 2U}) {
    const auto verified = session_->verify(*prepared, seed);
    ASSERT_TRUE(verified) << verified.error().message;
    EXPECT_EQ(verified->seeds, std::vector<std::uint64_t>{seed});
    EXPECT_EQ(verified->runs, 2u);
    EXPECT_EQ(verified->elements, 2000u);
    EXPECT_EQ(verified->max_abs_error, 0);
  }
  EXPECT_EQ(session_->verified_by(), "reference");
}

TEST_F(FakeDeviceTest, ReportsErrorsWithinTheTolerance) {
  driver.kernels["add"].body = add_then([](const FakeLaunch& launch) {
    float* c = launch.argument<float*>(2);
    c[5] = std::nextafter(c[5], 10.0f);
  });
  open();
  auto prepared = prepare();
  const auto verified = session_->verify(*prepared, 1);
  ASSERT_TRUE(verified) << verified.error().message;
  EXPECT_GT(verified->max_abs_error, 0);
  EXPECT_LT(verified->max_rel_error, 1e-6);
}

TEST_F(FakeDeviceTest, NamesTheFirstWrongElement) {
  driver.kernels["add"].body = add_then([](const FakeLaunch& launch) {
    for (int i : {700, 123, 999}) launch.argument<float*>(2)[i] = 100;
  });
  open();
  auto prepared = prepare();
  const Rejection rejection = rejected_verify(*prepared);
  EXPECT_EQ(rejection.reason, Reason::wrong_result);
  EXPECT_THAT(rejection.message, HasSubstr("c[123]: got 100, expected "));
  EXPECT_THAT(rejection.message, HasSubstr("(limit 0 + 1e-06*|expected|); 3 of 1000 elements differ"));
}

TEST_F(FakeDeviceTest, NanNeverPasses) {
  driver.kernels["add"].body = add_then(
      [](const FakeLaunch& launch) { launch.argument<float*>(2)[3] = std::numeric_limits<float>::quiet_NaN(); });
  open();
  auto prepared = prepare();
  const Rejection rejection = rejected_verify(*prepared);
  EXPECT_EQ(rejection.reason, Reason::wrong_result);
  EXPECT_THAT(rejection.message, HasSubstr("c[3]: got nan"));
}

TEST_F(FakeDeviceTest, SeesUnwrittenOutputs) {
  driver.kernels["add"].body = [](const FakeLaunch& launch) {
    for (int i = 0; i < 990; ++i)
      launch.argument<float*>(2)[i] = launch.argument<float*>(0)[i] + launch.argument<float*>(1)[i];
    return CUDA_SUCCESS;
  };
  open();
  auto prepared = prepare();
  const Rejection rejection = rejected_verify(*prepared);
  EXPECT_EQ(rejection.reason, Reason::unwritten_output);
  EXPECT_EQ(rejection.message, "left 10 of 1000 elements of 'c' unwritten, the first is c[990]");
}

TEST_F(FakeDeviceTest, SeesAWriteBehindTheEnd) {
  driver.kernels["add"].body = add_then([](const FakeLaunch& launch) { launch.argument<float*>(2)[1000] = 1; });
  open();
  auto prepared = prepare();
  const Rejection rejection = rejected_verify(*prepared);
  EXPECT_EQ(rejection.reason, Reason::out_of_bounds);
  EXPECT_THAT(rejection.message, HasSubstr("the kernel wrote after the end of 'c'"));
  EXPECT_THAT(rejection.message, HasSubstr("from byte 0 after it to byte 3"));
}

TEST_F(FakeDeviceTest, SeesAWriteBeforeTheStart) {
  driver.kernels["add"].body = add_then([](const FakeLaunch& launch) { launch.argument<float*>(2)[-2] = 1; });
  open();
  auto prepared = prepare();
  const Rejection rejection = rejected_verify(*prepared);
  EXPECT_EQ(rejection.reason, Reason::out_of_bounds);
  EXPECT_THAT(rejection.message, HasSubstr("wrote before the start of 'c'"));
  EXPECT_THAT(rejection.message, HasSubstr("from 8 bytes before it to 5"));
}

TEST_F(FakeDeviceTest, SeesAChangedInputAndRepairsIt) {
  driver.kernels["add"].body = add_then([](const FakeLaunch& launch) { launch.argument<float*>(1)[17] = 9; });
  open();
  auto prepared = prepare();
  const Rejection rejection = rejected_verify(*prepared);
  EXPECT_EQ(rejection.reason, Reason::out_of_bounds);
  EXPECT_THAT(rejection.message, HasSubstr("the kernel changed its input 'b': 1 of 1000 elements, the first is b[17]"));
  driver.kernels["add"].body = add_body();
  const auto verified = session_->verify(*prepared, 1);
  EXPECT_TRUE(verified) << verified.error().message;
}

TEST_F(FakeDeviceTest, DoesNotBlameAConfigurationForOverwrittenExpectations) {
  open();
  auto prepared = prepare();
  ASSERT_TRUE(session_->verify(*prepared, 1));
  // A configuration that writes anywhere, timed before anyone verified it: every block of device memory gets a hit, but
  // for what the engine itself launches with.
  for (auto& [address, block] : driver.memory)
    if (block.size() > 130000) reinterpret_cast<float*>(address + 65536)[40] += 1;
  const auto verified = session_->verify(*prepared, 1);
  EXPECT_TRUE(verified) << verified.error().message;
}

TEST_F(FakeDeviceTest, StillBlamesAWrongConfigurationTheSecondTime) {
  driver.kernels["add"].body = add_then([](const FakeLaunch& launch) { launch.argument<float*>(2)[0] = 100; });
  open();
  auto prepared = prepare();
  EXPECT_EQ(rejected_verify(*prepared).reason, Reason::wrong_result);
  EXPECT_EQ(rejected_verify(*prepared).reason, Reason::wrong_result);
}

class WithoutReference : public FakeDeviceTest {
 protected:
  WithoutReference() {
    kernel = testkernels::kernel_of(testkernels::add_spec(testkernels::kAddParams, testkernels::kAddSteps, ""));
    with_plugin = false;
  }
  SessionRequest request() {
    SessionRequest request = testkernels::request_for(kernel, 1000);
    request.default_modules = {module_of()};
    return request;
  }
};

TEST_F(WithoutReference, ComparesWithTheDefaultConfiguration) {
  open(request());
  EXPECT_EQ(session_->verified_by(), "against_default");
  auto same = prepare("block=128");
  const auto verified = session_->verify(*same, 1);
  EXPECT_TRUE(verified) << verified.error().message;
  driver.kernels["other"] = {add_then([](const FakeLaunch& launch) { launch.argument<float*>(2)[8] = 100; }),
                             {8, 8, 8, 4}};
  CompiledModule other = module_of("other");
  other.entries["add"].lowered_name = "other";
  auto different = prepare("block=128", other);
  const Rejection rejection = rejected_verify(*different);
  EXPECT_EQ(rejection.reason, Reason::wrong_result);
  EXPECT_THAT(rejection.message, HasSubstr("c[8]"));
}

TEST_F(WithoutReference, RejectsADefaultThatCannotRun) {
  driver.kernels["add"].blocks_per_sm = 0;
  const auto opened = device().open(request(), nullptr);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().reason, Reason::device_limit);
}

class WithReferenceKernel : public FakeDeviceTest {
 protected:
  WithReferenceKernel() {
    kernel = testkernels::kernel_of(testkernels::add_spec(testkernels::kAddParams, testkernels::kAddSteps, "", R"(,
      "reference": {"host": true, "check_dims": {"batch": 100}, "kernel": {
        "code": {"kind": "source", "file": "reference.cu", "text": "x"},
        "steps": [{"kind": "launch", "entry": "naive", "grid": [1], "args": [
          {"buffer": "a"}, {"buffer": "b"}, {"buffer": "c"}, {"scalar": "i32", "value": "batch"}]}]}})"));
    driver.kernels["naive"] = {add_body(), {8, 8, 8, 4}};
  }
  SessionRequest request() {
    SessionRequest request = testkernels::request_for(kernel, 1000);
    request.reference_modules = {module_of("reference", "naive")};
    return request;
  }
};

TEST_F(WithReferenceKernel, ComparesWithItAfterCheckingItAgainstTheHost) {
  open(request());
  EXPECT_EQ(std::ranges::count(driver.log, "launch naive"), 1) << "the check at 100 elements";
  auto prepared = prepare();
  ASSERT_TRUE(session_->verify(*prepared, 1));
  ASSERT_TRUE(session_->verify(*prepared, 1));
  EXPECT_EQ(std::ranges::count(driver.log, "launch naive"), 2) << "expected outputs are kept per seed";
  EXPECT_EQ(session_->verified_by(), "reference");
}

TEST_F(WithReferenceKernel, RefusesOneThatDisagreesWithTheHost) {
  driver.kernels["naive"].body = add_then([](const FakeLaunch& launch) { launch.argument<float*>(2)[7] = 100; });
  const auto opened = device().open(request(), kernel.plugin.get());
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().reason, Reason::wrong_result);
  EXPECT_THAT(opened.error().message,
              HasSubstr("the reference kernel disagrees with the host reference at check_dims: c[7]: got 100"));
}

TEST_F(WithReferenceKernel, RefusesOneThatLeavesElementsUnwritten) {
  driver.kernels["naive"].body = [](const FakeLaunch&) { return CUDA_SUCCESS; };
  const auto opened = device().open(request(), kernel.plugin.get());
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, HasSubstr("the reference kernel leaves c[0] unwritten (100 of 100 elements)"));
}

TEST_F(WithReferenceKernel, NanPassesWhereTheReferenceHasIt) {
  const auto with_nan = [](int at) {
    return add_then([at](const FakeLaunch& launch) {
      if (launch.argument<int>(3) == 1000) launch.argument<float*>(2)[at] = std::numeric_limits<float>::quiet_NaN();
    });
  };
  driver.kernels["naive"].body = with_nan(5);
  driver.kernels["add"].body = with_nan(5);
  open(request());
  auto prepared = prepare();
  const auto verified = session_->verify(*prepared, 1);
  EXPECT_TRUE(verified) << verified.error().message;
  driver.kernels["add"].body = with_nan(6);
  EXPECT_THAT(rejected_verify(*prepared).message, HasSubstr("expected nan"));
}

/// c = a, over bytes, where any value may be a result and the poison too.
class IntegerOutput : public FakeDeviceTest {
 protected:
  IntegerOutput() {
    kernel = testkernels::kernel_of(testkernels::add_spec(testkernels::kAddParams, testkernels::kAddSteps, "", R"(,
      "tolerances": [], "buffers": [{"name": "a", "dtype": "u8", "count": "batch", "role": "in", "fill": {"kind": "uniform", "a": 0, "b": 255}},
        {"name": "b", "dtype": "u8", "count": "batch", "role": "in"}, {"name": "c", "dtype": "u8", "count": "batch", "role": "out"}],
      "reference": {"kernel": {"code": {"kind": "source", "file": "reference.cu", "text": "x"},
        "steps": [{"kind": "launch", "entry": "naive", "grid": [1], "args": [
          {"buffer": "a"}, {"buffer": "b"}, {"buffer": "c"}, {"scalar": "i32", "value": "batch"}]}]}})"));
    driver.kernels["naive"] = {copies_all_but(-1), {8, 8, 8, 4}};
    driver.kernels["add"].body = copies_all_but(-1);
    with_plugin = false;
  }
  static std::function<CUresult(const FakeLaunch&)> copies_all_but(int left_out) {
    return [left_out](const FakeLaunch& launch) {
      const auto* a = launch.argument<unsigned char*>(0);
      auto* c = launch.argument<unsigned char*>(2);
      for (int i = 0; i < launch.argument<int>(3); ++i)
        if (i != left_out) c[i] = a[i];
      return CUDA_SUCCESS;
    };
  }
  SessionRequest request() {
    SessionRequest request = testkernels::request_for(kernel, 4000);
    request.reference_modules = {module_of("reference", "naive")};
    return request;
  }
};

TEST_F(IntegerOutput, PassesThoughThePoisonIsAmongTheResults) {
  open(request());
  auto prepared = prepare();
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const auto verified = session_->verify(*prepared, seed);
    EXPECT_TRUE(verified) << verified.error().message;
  }
}

TEST_F(IntegerOutput, NoElementCanBeLeftOut) {
  open(request());
  auto prepared = prepare();
  std::vector<unsigned char> expected(4000);
  fill_host(DType::u8, expected.data(), expected.size(), Fill{Fill::Kind::uniform, 0, 255}, 1, 0);
  int poisonous = 0;
  for (int i = 0; i < 4000; ++i) {  // those where one run's poison is what is expected
    if (expected[static_cast<std::size_t>(i)] != poison_bits(DType::u8, 1, 0) &&
        expected[static_cast<std::size_t>(i)] != poison_bits(DType::u8, 1, 1))
      continue;
    ++poisonous;
    driver.kernels["add"].body = copies_all_but(i);
    EXPECT_FALSE(session_->verify(*prepared, 1)) << i;
  }
  EXPECT_GT(poisonous, 2);
}

TEST_F(IntegerOutput, RefusesAReferenceThatLeavesOneOut) {
  driver.kernels["naive"].body = copies_all_but(17);
  open(request());
  auto prepared = prepare();
  EXPECT_THAT(rejected_verify(*prepared).message, HasSubstr("the reference kernel leaves elements of 'c' unwritten"));
}

}  // namespace
}  // namespace kerntune::cuda
