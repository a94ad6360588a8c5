// SPDX-License-Identifier: Apache-2.0
#include <kerntune/core/errors.hpp>
#include <kerntune/core/replay.hpp>
#include <kerntune/core/spec_program.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "spec_sample.hpp"
#include "temp_dir.hpp"

namespace kerntune {
namespace {

using test::replaced;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::string data(const std::string& name) { return std::string(KERNTUNE_TEST_RECORDINGS) + "/" + name; }

std::string error_of(const std::string& text) {
  try {
    parse_recording(text, "file.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

const RecordedEntry& entry_of(const Recording& recording, const std::string& config) {
  const auto space = search::ParamSpace::build(recording.params, {});
  const auto is_it = [&](const RecordedEntry& entry) { return space.text(entry.config) == config; };
  const auto& entries = recording.sizes.at(0).entries;
  const auto found = std::find_if(entries.begin(), entries.end(), is_it);
  if (found == entries.end()) throw std::out_of_range(config);
  return *found;
}

std::size_t rejected_as(const Recording& recording, Reason reason) {
  const auto& entries = recording.sizes.at(0).entries;
  const auto is_it = [&](const RecordedEntry& e) { return e.rejection && e.rejection->reason == reason; };
  return static_cast<std::size_t>(std::count_if(entries.begin(), entries.end(), is_it));
}

const char* const kKernelTuner = R"({
"device_name": "Some GPU", "kernel_name": "k<float>", "problem_size": [4096, "n", 2],
"tune_params_keys": ["b", "a"], "tune_params": {"a": [1, 2], "b": ["x", "y"]}, "objective": "time",
"cache": {
"x,1": {"b": "x", "a": 1, "time": 1.5, "times": [1.0, 2.0], "compile_time": 10.5, "GB/s": 7.5, "timestamp": "now"},
"y,1": {"b": "y", "a": 1, "time": "CompilationFailedConfig", "times": [1.0]},
"x,2": {"b": "x", "a": 2, "time": "RuntimeFailedConfig"},
"y,2": {"b": "y", "a": 2, "time": 0.25}
}
})";

TEST(KernelTunerCache, ReadsMillisecondsAndMetrics) {
  const Recording recording = parse_recording(kKernelTuner, "file.json");
  EXPECT_EQ(recording.kernel, "k<float>");
  EXPECT_EQ(recording.device.name, "Some GPU");
  EXPECT_EQ(recording.sizes[0].dims, (Dims{{"batch", 1}, {"problem_size_x", 4096}, {"problem_size_z", 2}}));
  EXPECT_EQ(recording.params[0].name, "b");
  const RecordedEntry& entry = entry_of(recording, "b=x,a=1");
  EXPECT_THAT(entry.samples_ns, ElementsAre(1e6, 2e6));
  EXPECT_EQ(entry.time_ns, 1.5e6);
  EXPECT_EQ(entry.facts.at("compile_ms"), 10.5);
  EXPECT_THAT(entry.counters, ElementsAre(testing::Pair("GB/s", 7.5)));
  EXPECT_THAT(entry_of(recording, "b=y,a=2").samples_ns, ElementsAre(250000));
}

TEST(KernelTunerCache, ReadsFailuresByName) {
  const Recording recording = parse_recording(kKernelTuner, "file.json");
  EXPECT_EQ(entry_of(recording, "b=y,a=1").rejection->reason, Reason::compile_error);
  EXPECT_EQ(entry_of(recording, "b=x,a=2").rejection->reason, Reason::launch_error);
  EXPECT_THAT(entry_of(recording, "b=y,a=1").rejection->message, HasSubstr("CompilationFailedConfig"));
}

TEST(KernelTunerCache, ReadsWhatAKilledRunLeft) {
  const std::string text = kKernelTuner;
  const Recording unclosed = parse_recording(text.substr(0, text.rfind("}\n}")), "file.json");
  EXPECT_TRUE(unclosed.truncated);
  EXPECT_EQ(unclosed.sizes[0].entries.size(), 4U);
  const Recording cut = parse_recording(text.substr(0, text.find("\"time\": 0.25")), "file.json");
  EXPECT_TRUE(cut.truncated);
  EXPECT_EQ(cut.sizes[0].entries.size(), 3U);
  const Recording comma = parse_recording(text.substr(0, text.find("\"y,2\"")), "file.json");
  EXPECT_EQ(comma.sizes[0].entries.size(), 3U);
  EXPECT_THAT(error_of(text.substr(0, text.find("\"x,1\""))), HasSubstr("no configuration is recorded"));
}

TEST(KernelTunerCache, TakesNotANumberForAFailure) {
  const Recording recording = parse_recording(replaced(kKernelTuner, "0.25", "NaN, \"note\": \"NaN\""), "file.json");
  EXPECT_EQ(entry_of(recording, "b=y,a=2").rejection->reason, Reason::internal_error);
  EXPECT_THAT(entry_of(parse_recording(replaced(kKernelTuner, "0.25", "-Infinity"), "f"), "b=y,a=2").rejection->message,
              HasSubstr("positive number"));
}

TEST(KernelTunerCache, NamesFilePlaceAndExpectation) {
  EXPECT_EQ(
      error_of(replaced(kKernelTuner, "\"a\": 2, \"time\": 0.25", "\"a\": 3, \"time\": 0.25")),
      "read recording 'file.json' (Kernel Tuner cache): an entry has a=3, which is not among the parameter's values");
  EXPECT_THAT(error_of(replaced(kKernelTuner, "{\"b\": \"y\", \"a\": 2", "{\"b\": \"y\"")),
              HasSubstr("cache.y,2: parameter 'a' has no value here"));
  EXPECT_THAT(error_of(replaced(kKernelTuner, "\"a\": [1, 2]", "\"a\": 1")),
              HasSubstr("tune_params.a: expected an array, found 1"));
}

TEST(KernelTunerCache, ReadsAPublishedFile) {
  const Recording recording = read_recording(data("kernel_tuner_convolution_titan.json.gz"));
  EXPECT_EQ(recording.sizes[0].entries.size(), 6768U);
  EXPECT_EQ(rejected_as(recording, Reason::compile_error), 1426U);
  EXPECT_EQ(rejected_as(recording, Reason::launch_error), 86U);
  EXPECT_EQ(recording.params.size(), 8U);
  const RecordedEntry& entry = recording.sizes[0].entries[0];
  EXPECT_EQ(entry.samples_ns.size(), 3U);
  EXPECT_DOUBLE_EQ(entry.samples_ns[0], 15.125887870788574e6);
}

const char* const kKtt = R"({
"Metadata": {"Device": "GPU 2", "TimeUnit": "Milliseconds", "GlobalSizeType": "OpenCL"},
"Results": [
 {"KernelName": "k", "Status": "Ok", "TotalDuration": 2.0,
  "Configuration": [{"Name": "T", "Value": 8, "ValueType": "UnsignedInt"}, {"Name": "F", "Value": 1, "ValueType": "Double"}],
  "ComputationResults": [{"Duration": 2.0, "GlobalSize": {"X": 64, "Y": 2, "Z": 1}, "LocalSize": {"X": 16, "Y": 1, "Z": 1},
   "CompilationData": {"RegistersCount": 28, "LocalMemorySize": 512, "PrivateMemorySize": 16, "ConstantMemorySize": 4, "MaxWorkGroupSize": 1024},
   "ProfilingData": {"Counters": [{"Name": "dram", "Type": "Double", "Value": 1.25}]}}]},
 {"KernelName": "k", "Status": "Ok", "TotalDuration": 4.0, "ComputationResults": [],
  "Configuration": [{"Name": "T", "Value": 8, "ValueType": "UnsignedInt"}, {"Name": "F", "Value": 1, "ValueType": "Double"}]},
 {"KernelName": "k", "Status": "ValidationFailed", "TotalDuration": 0.0, "ComputationResults": [],
  "Configuration": [{"Name": "T", "Value": 4, "ValueType": "UnsignedInt"}, {"Name": "F", "Value": 1, "ValueType": "Double"}]}
]})";

TEST(KttResults, ReadsUnitsFactsAndCounters) {
  const Recording recording = parse_recording(kKtt, "file.json");
  EXPECT_EQ(recording.kernel, "k");
  EXPECT_THAT(recording.params[0].values, ElementsAre(expr::Literal(std::int64_t{4}), expr::Literal(std::int64_t{8})));
  const RecordedEntry& entry = entry_of(recording, "T=8,F=1.0");
  EXPECT_EQ(entry.facts.at("regs"), 28);
  EXPECT_EQ(entry.facts.at("static_shared_bytes"), 512);
  EXPECT_EQ(entry.facts.at("threads_per_block"), 16);
  EXPECT_EQ(entry.facts.at("blocks"), 8);
  EXPECT_EQ(entry.counters.at("dram"), 1.25);
  EXPECT_EQ(entry_of(recording, "T=4,F=1.0").rejection->reason, Reason::wrong_result);
}

TEST(KttResults, AddsUpRunsOfOneConfiguration) {
  const RecordedEntry entry = entry_of(parse_recording(kKtt, "file.json"), "T=8,F=1.0");
  EXPECT_THAT(entry.samples_ns, ElementsAre(2e6, 4e6));
  EXPECT_EQ(entry.time_ns, 3e6);
}

TEST(KttResults, RejectsUnknownUnits) {
  EXPECT_EQ(error_of(replaced(kKtt, "Milliseconds", "Fortnights")),
            "read recording 'file.json' (KTT results): Metadata.TimeUnit: unknown time unit 'Fortnights'");
}

TEST(KttResults, ReadsPublishedFiles) {
  const Recording coulomb = read_recording(data("ktt_coulomb_2080.json.gz"));
  EXPECT_EQ(coulomb.sizes[0].entries.size(), 210U);
  EXPECT_EQ(coulomb.device.name, "NVIDIA GeForce RTX 2080 Ti");
  EXPECT_EQ(coulomb.sizes[0].entries[0].counters.size(), 33U);
  EXPECT_EQ(coulomb.sizes[0].entries[0].time_ns, 3037408);
  const Recording convolution = read_recording(data("ktt_convolution_2080ti_sample.json.gz"));
  EXPECT_EQ(convolution.sizes[0].entries.size(), 133U);
  EXPECT_GT(rejected_as(convolution, Reason::launch_error), 0U);
}

const char* const kT4 = R"({
"schema_version": "1.0.0", "metadata": {"timeunit": "miliseconds", "device": "GPU 4"},
"results": [
 {"timestamp": "now", "configuration": {"w": "8", "m": "fast"}, "times": {"compilation": 3.0, "runtimes": [2.0, 4.0]},
  "invalidity": "correct", "correctness": 1, "objectives": ["time"],
  "measurements": [{"name": "time", "value": 2.5, "unit": "ms"}, {"name": "power", "value": 70.0, "unit": "W"}]},
 {"configuration": {"w": "16", "m": "1"}, "times": {"runtimes": []}, "invalidity": "correct", "correctness": 1,
  "measurements": [{"name": "time", "value": 5.0, "unit": ""}]},
 {"configuration": {"w": "32", "m": "1"}, "times": {"runtimes": []}, "invalidity": "compile", "correctness": 1,
  "measurements": [{"name": "time", "value": "CompilationFailedConfig", "unit": "ms"}]},
 {"configuration": {"w": "32", "m": "fast"}, "times": {}, "invalidity": "timeout", "correctness": 0}
]})";

TEST(T4Results, ReadsUnitsHoweverTheyAreSpelt) {
  for (const char* unit : {"miliseconds", "milliseconds", "ms", "Milliseconds"}) {
    SCOPED_TRACE(unit);
    const Recording recording = parse_recording(replaced(kT4, "miliseconds", unit), "A100_T4.json.gz");
    EXPECT_THAT(entry_of(recording, "w=8,m=fast").samples_ns, ElementsAre(2e6, 4e6));
    EXPECT_THAT(entry_of(recording, "w=16,m=\"1\"").samples_ns, ElementsAre(5e6));
  }
  EXPECT_THAT(entry_of(parse_recording(replaced(kT4, "miliseconds", "s"), "f"), "w=8,m=fast").samples_ns,
              ElementsAre(2e9, 4e9));
}

TEST(T4Results, ReadsMeasurementsAndFailures) {
  const Recording recording = parse_recording(kT4, "dir/A100_T4.json.gz");
  EXPECT_EQ(recording.kernel, "A100_T4");  // T4 names no kernel
  EXPECT_EQ(recording.device.name, "GPU 4");
  EXPECT_EQ(entry_of(recording, "w=8,m=fast").time_ns, 2.5e6);
  EXPECT_EQ(entry_of(recording, "w=8,m=fast").counters.at("power"), 70);
  EXPECT_EQ(entry_of(recording, "w=32,m=\"1\"").rejection->reason, Reason::compile_error);
  EXPECT_EQ(entry_of(recording, "w=32,m=fast").rejection->reason, Reason::timeout);
}

Recording own_recording() {
  const KernelSpec spec = parse_spec(test::full_spec(), "sample");
  DeviceInfo device;
  device.name = "GPU 5";
  device.device_class = "cuda-sm90";
  device.properties.sm_count = 132;
  Recording recording = new_recording(spec, device, {});
  RecordedEntry fast{{0, 0, 1, 0, 0, 0, 0}, {}, {1000.5, 999.25}, 999.875, {{"regs", 32}}, {{"dram.bytes", 5e9}}};
  RecordedEntry failed{{1, 0, 0, 0, 0, 0, 0}, Rejection{Reason::fault, "illegal \"address\""}, {}, 0, {}, {}};
  recording.sizes.push_back({{{"batch", 1}, {"n", 64}}, {fast, failed}});
  recording.sizes.push_back({{{"batch", 8}, {"n", 64}}, {fast}});
  return recording;
}

TEST(OwnRecording, GivesBackWhatWasWritten) {
  const Recording written = own_recording();
  const Recording read = parse_recording(to_json(written), "file.json");
  EXPECT_EQ(read.spec, written.spec);
  EXPECT_EQ(read.device.properties.sm_count, 132);
  EXPECT_EQ(read.policy, MeasurePolicy().text());
  ASSERT_EQ(read.sizes.size(), 2U);
  EXPECT_EQ(read.sizes[1].dims, (Dims{{"batch", 8}, {"n", 64}}));
  const RecordedEntry& fast = read.sizes[0].entries.at(0);
  EXPECT_EQ(fast.config, written.sizes[0].entries[0].config);
  EXPECT_THAT(fast.samples_ns, ElementsAre(1000.5, 999.25));
  EXPECT_EQ(fast.time_ns, 999.875);
  EXPECT_EQ(fast.facts, written.sizes[0].entries[0].facts);
  EXPECT_EQ(fast.counters, written.sizes[0].entries[0].counters);
  EXPECT_EQ(read.sizes[0].entries.at(1).rejection->message, "illegal \"address\"");
  EXPECT_EQ(to_json(read), to_json(written));
}

TEST(OwnRecording, IsPackedByItsName) {
  test::TempDir folder;
  write_recording(own_recording(), folder / "r.json.gz");
  write_recording(own_recording(), folder / "r.json");
  EXPECT_LT(std::filesystem::file_size(folder / "r.json.gz"), std::filesystem::file_size(folder / "r.json"));
  EXPECT_EQ(read_recording(folder / "r.json.gz").digest, read_recording(folder / "r.json").digest);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 2);  // no temporary file stays
}

TEST(OwnRecording, HoldsOneSizeWithoutAList) {
  const Recording recording = parse_recording(R"({"kerntune_recording": 1, "kernel": "k",
    "params": [{"name": "a", "values": [1, 2]}, {"name": "s", "values": ["x,=\"y"]}], "constraints": ["a < 2"],
    "dims": {"batch": 1}, "entries": [{"config": "s=\"x,=\\\"y\",a=1", "status": "measured", "samples_ns": [5]}]})",
                                              "f");
  EXPECT_THAT(recording.sizes.at(0).entries.at(0).config, ElementsAre(0, 0));
  EXPECT_THAT(*recording.constraints, ElementsAre("a < 2"));
  EXPECT_EQ(recording.sizes[0].entries[0].time_ns, 5);
}

TEST(OwnRecording, NamesPlaceAndExpectation) {
  const std::string text = to_json(own_recording());
  EXPECT_THAT(error_of(replaced(text, "block_x=128", "block_x=99")),
              HasSubstr("entries[1].config: 99 is not a value of 'block_x'"));
  EXPECT_THAT(error_of(replaced(text, "block_x=64", "block=64")), HasSubstr("unknown parameter 'block'"));
  EXPECT_THAT(error_of(replaced(text, "block_x=128,", "")), HasSubstr("'block_x' has no value"));
  EXPECT_THAT(error_of(replaced(text, "999.25", "-1")), HasSubstr("samples_ns: expected positive numbers"));
  EXPECT_THAT(error_of(replaced(text, "\"measured\"", "\"mesured\"")), HasSubstr("unknown status 'mesured'"));
  EXPECT_THAT(error_of(replaced(text, "\"kerntune_recording\": 1", "\"kerntune_recording\": 9")),
              HasSubstr("version 9 is not 1"));
  EXPECT_THAT(error_of(replaced(text, "\"batch * n\"", "\"batch * m\"")),
              HasSubstr("spec: kernel 'axpy': derived[0].value"));
}

TEST(OwnRecording, HoldsAConfigurationOnce) {
  Recording recording = own_recording();
  recording.sizes[1].entries.push_back(recording.sizes[1].entries[0]);
  EXPECT_THAT(error_of(to_json(recording)),
              HasSubstr("recordings[1].entries[1]: this configuration is recorded twice"));
}

TEST(Recording, RefusesWhatIsNone) {
  EXPECT_THAT(error_of("{\"hello\": 1}"), StartsWith("read recording 'file.json': neither a kerntune recording"));
  EXPECT_THAT(error_of(""), StartsWith("read recording 'file.json': neither"));
  EXPECT_FALSE(is_recording("[\"cache\"]"));
  EXPECT_FALSE(is_recording("{\"a\": {\"cache\": 1, \"tune_params\": 2}}"));
  EXPECT_THAT([] { read_recording("/no/such"); }, testing::ThrowsMessage<Error>(HasSubstr("'/no/such': No such file")));
}

TEST(Recording, RefusesABrokenGzipFile) {
  test::TempDir folder;
  std::ofstream(folder / "x.gz", std::ios::binary) << "\x1f\x8b\x08garbage";
  EXPECT_THAT([&] { read_recording(folder / "x.gz"); },
              testing::ThrowsMessage<Error>(HasSubstr("not a whole gzip file")));
}

TEST(Recording, TakesConstraintsFromAFileBesideIt) {
  test::TempDir folder;
  std::filesystem::create_directory(folder.path() / "kernel");
  std::ofstream(folder.path() / "kernel" / "r.json") << kKernelTuner;
  std::ofstream(folder / "restrictions.json") << R"({"other": ["zz > 1"], "wrong": ["a < 2"], "right": ["A < 3"]})";
  const Recording recording = read_recording(folder / "kernel/r.json");
  ASSERT_TRUE(recording.constraints);
  EXPECT_THAT(*recording.constraints, ElementsAre("a < 3"));
  std::ofstream(folder / "restrictions.json") << R"({"wrong": ["a < 2"]})";
  EXPECT_FALSE(read_recording(folder / "kernel/r.json").constraints);
  std::ofstream(folder / "restrictions.json") << R"({"wrong": 5})";
  EXPECT_THAT([&] { read_recording(folder / "kernel/r.json"); },
              testing::ThrowsMessage<Error>(HasSubstr("read restrictions")));
}

TEST(RecordedSpace, FindsWhatIsRecorded) {
  const auto recording =
      std::make_shared<const Recording>(read_recording(data("kernel_tuner_convolution_titan.json.gz")));
  const RecordedSpace recorded(recording);
  EXPECT_TRUE(recorded.exact());  // by the restrictions beside the file
  EXPECT_EQ(recorded.space().count(), 6768);
  std::size_t found = 0;
  for (search::Count i = 0; i < recorded.space().count(); ++i)
    found += recorded.find(recorded.space().at(i)) != nullptr ? 1 : 0;
  EXPECT_EQ(found, 6768U);
  EXPECT_EQ(recorded.find({0, 0, 0, 0, 0, 0, 0, 0}), nullptr);
}

TEST(RecordedSpace, IsTheProductWithoutConstraints) {
  const std::string fewer = replaced(kKernelTuner, ",\n\"y,2\": {\"b\": \"y\", \"a\": 2, \"time\": 0.25}", "");
  const RecordedSpace recorded(std::make_shared<const Recording>(parse_recording(fewer, "f")));
  EXPECT_FALSE(recorded.exact());
  EXPECT_EQ(recorded.space().count(), 4);
  EXPECT_EQ(recorded.find({1, 1}), nullptr);
  EXPECT_NE(recorded.find({0, 1}), nullptr);
  EXPECT_THROW(RecordedSpace(std::make_shared<const Recording>(parse_recording(fewer, "f")), 1), Error);
}

TEST(SpecOfRecording, DescribesTheRecordedSpace) {
  const KernelSpec spec = spec_of(parse_recording(kKernelTuner, "file.json"));
  EXPECT_EQ(spec.name, "k_float_");
  EXPECT_FALSE(spec.launchable());
  EXPECT_EQ(spec.batch_dim().max, 1);
  const SpecProgram program(spec);
  EXPECT_EQ(program.space().text(program.default_config()), "b=x,a=1");
  EXPECT_NE(code_digest(spec),
            code_digest(spec_of(parse_recording(replaced(kKernelTuner, "0.25", "0.26"), "file.json"))));
}

TEST(SpecOfRecording, IsWhatLoadSpecFileGives) {
  const KernelSpec spec = load_spec_file(data("ktt_coulomb_2080.json.gz"));
  EXPECT_EQ(spec.name, "directCoulombSum_kernel");
  EXPECT_EQ(spec.params.size(), 8U);
  test::TempDir folder;
  write_recording(own_recording(), folder / "r.json");
  EXPECT_EQ(load_spec_file(folder / "r.json"), parse_spec(test::full_spec(), "sample"));
}

}  // namespace
}  // namespace kerntune
