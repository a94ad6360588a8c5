// SPDX-License-Identifier: Apache-2.0
#include <kerntune/core/errors.hpp>
#include <kerntune/core/replay.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "temp_dir.hpp"

namespace kerntune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const char* const kRecording = R"({"kerntune_recording": 1, "kernel": "k", "policy": "l2=cold,mode=eager,method=1",
  "device": {"name": "NVIDIA H200", "class": "cuda-sm90", "properties": {"sm_count": 132}},
  "spec": {"kerntune_spec": 1, "name": "k", "dims": [{"name": "batch", "batch": true, "max": 64}],
           "params": [{"name": "a", "values": [1, 2, 4]}, {"name": "b", "values": [false, true]}],
           "code": {"kind": "callable", "runs": "host"}},
  "recordings": [
    {"dims": {"batch": 1}, "entries": [
      {"config": "a=1,b=false", "status": "measured", "samples_ns": [10, 20, 30], "facts": {"regs": 40}},
      {"config": "a=2,b=false", "status": "rejected", "reason": "compile_error", "message": "line 3"}]},
    {"dims": {"batch": 8}, "entries": [{"config": "a=1,b=false", "status": "measured", "samples_ns": [80]}]}]})";

class ReplayDevice : public testing::Test {
 protected:
  ReplayDevice() {
    std::ofstream(folder_ / "r.json") << kRecording;
    device_ = open_replay_device(folder_ / "r.json");
  }
  std::unique_ptr<Session> open(const KernelSpec& spec, const Dims& dims) {
    SessionRequest request;
    request.program = std::make_shared<const SpecProgram>(spec);
    request.dims = dims;
    return std::move(device_->open(request, nullptr).value());
  }
  std::unique_ptr<Session> open(const Dims& dims) { return open(load_spec_file(folder_ / "r.json"), dims); }

  test::TempDir folder_;
  std::unique_ptr<Device> device_;
};

TEST_F(ReplayDevice, IsAClassOfItsOwn) {
  EXPECT_EQ(device_->info().kind, DeviceKind::replay);
  EXPECT_EQ(device_->info().id, "replay:" + folder_ / "r.json");
  EXPECT_EQ(device_->info().name, "NVIDIA H200");
  EXPECT_EQ(device_->info().properties.sm_count, 132);
  const std::string digest = read_recording(folder_ / "r.json").digest;
  EXPECT_EQ(device_->info().device_class, "replay-NVIDIA-H200-" + digest.substr(0, 12));
}

TEST_F(ReplayDevice, GivesRecordedSamplesInOrder) {
  const auto session = open({{"batch", 1}});
  const auto prepared = std::move(session->prepare({0, 0}, {}).value());
  EXPECT_EQ(prepared->facts().at("regs"), 40);
  const Timing first = session->time(*prepared, 5, 1).value();
  EXPECT_THAT(first.samples_ns, ElementsAre(10));
  EXPECT_FALSE(first.exhausted);
  EXPECT_THAT(session->time(*prepared, 0, 1).value().samples_ns, ElementsAre(20));
}

TEST_F(ReplayDevice, HoldsTheLastHalfBackAndSaysWhenTheRestIsDrawn) {
  const auto session = open({{"batch", 1}});
  const auto prepared = std::move(session->prepare({0, 0}, {}).value());
  const Timing timing = session->time(*prepared, 0, 5).value();
  EXPECT_THAT(timing.samples_ns, ElementsAre(10, 20)) << "the third of three is the truth's";
  EXPECT_TRUE(timing.exhausted);
}

TEST_F(ReplayDevice, DrawsNoSampleTwiceInASession) {
  const auto session = open({{"batch", 1}});
  EXPECT_THAT(session->time(*session->prepare({0, 0}, {}).value(), 0, 1).value().samples_ns, ElementsAre(10));
  EXPECT_THAT(session->time(*session->prepare({0, 0}, {}).value(), 0, 1).value().samples_ns, ElementsAre(20));
  EXPECT_THAT(open({{"batch", 1}})->time(*session->prepare({0, 0}, {}).value(), 0, 1).value().samples_ns,
              ElementsAre(10));
}

TEST_F(ReplayDevice, RejectsAsRecorded) {
  const auto session = open({{"batch", 1}});
  const auto failed = session->prepare({1, 0}, {});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().reason, Reason::compile_error);
  EXPECT_EQ(failed.error().message, "line 3");
  const auto unlisted = session->prepare({2, 0}, {});
  ASSERT_FALSE(unlisted);
  EXPECT_EQ(unlisted.error().reason, Reason::not_applicable);
  EXPECT_THAT(unlisted.error().message, HasSubstr("constraint: not among the configurations"));
}

TEST_F(ReplayDevice, VerifiesAsRecorded) {
  const auto session = open({{"batch", 8}});
  const auto prepared = std::move(session->prepare({0, 0}, {}).value());
  EXPECT_THAT(session->time(*prepared, 0, 1).value().samples_ns, ElementsAre(80));
  EXPECT_TRUE(session->verify(*prepared, 7));
  EXPECT_EQ(session->verified_by(), "recorded");
  EXPECT_FALSE(session->context_lost());
}

TEST_F(ReplayDevice, MatchesParametersByNameAndValue) {
  KernelSpec spec = load_spec_file(folder_ / "r.json");
  std::swap(spec.params[0], spec.params[1]);
  spec.params[1].values.insert(spec.params[1].values.begin(), std::int64_t{64});
  const auto session = open(spec, {{"batch", 1}});
  EXPECT_TRUE(session->prepare({0, 1}, {}));
  EXPECT_EQ(session->prepare({0, 0}, {}).error().reason, Reason::not_applicable);
  EXPECT_EQ(session->prepare({0, 2}, {}).error().reason, Reason::compile_error);
}

TEST_F(ReplayDevice, RefusesWhatItHasNotRecorded) {
  EXPECT_THAT(
      [&] { open({{"batch", 2}}); },
      testing::ThrowsMessage<DeviceError>(HasSubstr("no size batch=2 is recorded; recorded are batch=1; batch=8")));
  KernelSpec spec = load_spec_file(folder_ / "r.json");
  spec.name = "other";
  EXPECT_THAT([&] { open(spec, {{"batch", 1}}); },
              testing::ThrowsMessage<DeviceError>(HasSubstr("it records kernel 'k', not 'other'")));
  spec.name = "k";
  spec.params[1].name = "c";
  EXPECT_THAT([&] { open(spec, {{"batch", 1}}); },
              testing::ThrowsMessage<DeviceError>(HasSubstr("parameter 'c' is not recorded")));
}

TEST_F(ReplayDevice, OpensOthersRecordings) {
  const std::string path = std::string(KERNTUNE_TEST_RECORDINGS) + "/ktt_coulomb_2080.json.gz";
  device_ = open_replay_device(path);
  const KernelSpec spec = load_spec_file(path);
  const SpecProgram program(spec);
  const auto session = open(spec, program.complete_dims({}));
  const auto prepared = std::move(session->prepare(program.default_config(), {}).value());
  EXPECT_THAT(session->time(*prepared, 0, 1).value().samples_ns, ElementsAre(3037408));
  EXPECT_EQ(prepared->facts().at("regs"), 66);
}

}  // namespace
}  // namespace kerntune
