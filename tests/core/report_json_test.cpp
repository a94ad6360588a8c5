// SPDX-License-Identifier: Apache-2.0
// Every document that --json prints is compared with its table in docs/json.md, field by field and type by type.
#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

#include <kerntune/core/report.hpp>

#include "report_sample.hpp"

namespace kerntune::report {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

using Table = std::map<std::string, std::string>;  // path -> type

/// Rows "| `batches[].best` | object or null | ... |" below "## <heading>".
Table documented(const std::string& heading) {
  std::ifstream file(KERNTUNE_TEST_JSON_REFERENCE);
  Table table;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## ")) inside = line == "## " + heading;
    if (!inside || !line.starts_with("| `")) continue;
    const std::size_t path_end = line.find('`', 3);
    const std::size_t type_begin = line.find("| ", path_end) + 2;
    table[line.substr(3, path_end - 3)] = line.substr(type_begin, line.find(" |", type_begin) - type_begin);
  }
  return table;
}

std::string type_of(const json& value) {
  if (value.is_number_integer()) return "integer";
  if (value.is_number()) return "number";
  return value.type_name();
}

bool allowed(const std::string& types, const json& value) {
  const std::string type = type_of(value);
  std::istringstream words(types);
  for (std::string word; words >> word;)
    if (word == type || (word == "number" && type == "integer") || (word == "map" && type == "object") || word == "any")
      return true;
  return false;
}

void check(const Table& table, const std::string& path, const json& value, std::set<std::string>& seen) {
  const auto row = table.find(path);
  ASSERT_NE(row, table.end()) << path << " is not in docs/json.md";
  EXPECT_TRUE(allowed(row->second, value)) << path << " is " << type_of(value) << ", documented as " << row->second;
  seen.insert(path);
  if (row->second.find("map") != std::string::npos) return;  // its names are the user's
  if (value.is_object())
    for (const auto& [name, member] : value.items()) check(table, path + "." + name, member, seen);
  if (value.is_array())
    for (const json& element : value) check(table, path + "[]", element, seen);
}

/// Checks both ways: nothing undocumented is printed, and nothing documented is missing from these documents together.
void expect_documented(const std::string& heading, const std::vector<std::string>& documents) {
  const Table table = documented(heading);
  ASSERT_FALSE(table.empty()) << "docs/json.md has no table under '## " << heading << "'";
  std::set<std::string> seen;
  for (const std::string& text : documents) {
    const json document = json::parse(text);
    for (const auto& [name, member] : document.items()) check(table, name, member, seen);
  }
  for (const auto& [path, type] : table)
    EXPECT_EQ(seen.count(path), 1U) << path << " is documented but was not printed";
}

KernelEntry sample_entry() {
  KernelEntry entry;
  entry.spec = testing::sample_spec();
  entry.origin = "/plugins/sgemm.so";
  entry.from_plugin = true;
  entry.plugin_name = "gemm";
  return entry;
}

storage::FinalRecord sample_final() {
  storage::FinalRecord record;
  record.kernel = "sgemm";
  record.batch = 64;
  record.config = "a=1,b=fast";
  record.time_ns = 1000;
  record.ties = {record.config};
  return record;
}

storage::RunRecord sample_run() {
  storage::RunRecord run;
  run.kernel = "sgemm";
  return run;
}

QueryAnswer sample_answer() {
  QueryAnswer answer;
  answer.kernel = "sgemm";
  answer.batch = 48;
  answer.found = "bucket";
  answer.config = "a=1,b=fast";
  answer.tuned_batch = 64;
  answer.time_ns = 1000;
  answer.bound = 1.15;
  answer.assumed_dims = {{"k", 4096}};
  answer.finals = {sample_final()};
  return answer;
}

TEST(ProfileJson, MatchesItsReference) {
  ProfileReport report;
  report.kernel = "sgemm";
  report.device.properties.sm_count = 132;
  ProfileReport::Entry& counted = report.entries.emplace_back();
  counted.config = "a=1,b=fast";
  counted.time_ns = 1000;
  counted.counters.chip = "GB202";
  Reading& dram = counted.counters.readings.emplace_back();
  dram.metric = "dram__bytes.sum.pct_of_peak_sustained_elapsed";
  dram.value = 91;
  Reading& renamed = counted.counters.readings.emplace_back();
  renamed.metric = "dram__bytes_read.sum";
  renamed.counted_as = "dram__bytes_op_read.sum";
  renamed.status = Reading::Status::invalid;
  report.entries.emplace_back().rejection = Rejection{Reason::launch_error, "no"};
  const std::string text = profile_json(report);
  expect_documented("profile", {text});
  const json entry = json::parse(text)["entries"][0];
  EXPECT_EQ(entry["counters"]["readings"][1]["value"], nullptr);
  EXPECT_EQ(entry["explanation"]["limits"][0], "DRAM bandwidth 91 % of peak: at the limit");
  EXPECT_EQ(entry["explanation"]["bottleneck"]["dram"], 0.91);
}

TEST(TuneJson, MatchesItsReference) {
  expect_documented("tune", {tune_json(testing::sample_report()), tune_json(testing::hopeless_report())});
}

TEST(TuneJson, KeepsTheFieldsThatScriptsRelyOn) {
  const json document = json::parse(tune_json(testing::small_report()));
  EXPECT_EQ(document["kernel"], "sgemm");
  EXPECT_EQ(document["device"], "cuda:0");
  EXPECT_EQ(document["strategy"], "hill-climb");
  EXPECT_EQ(document["seed"], 7);
  EXPECT_EQ(document["wall_s"], 64.0);
  const json& batch = document["batches"][0];
  EXPECT_EQ(batch["batch"], 64);
  EXPECT_EQ(batch["evaluated"], 10);
  EXPECT_EQ(batch["reused"], 3);
  EXPECT_EQ(batch["failed"], 0);
  EXPECT_EQ(batch["speedup"], 1.86);
  EXPECT_EQ(batch["default"]["config"]["block_m"], 32);
  EXPECT_EQ(batch["default"]["time_ns"], 186000.0);
  EXPECT_EQ(batch["best"]["config"]["swizzle"], true);
  EXPECT_EQ(batch["best"]["time_ns"], 100000.0);
  EXPECT_EQ(batch["best"]["verified"], "reference");
  EXPECT_EQ(batch["ties"][0], batch["best"]["config"]);
}

TEST(TuneJson, SaysHowTheGpuWas) {
  const json document = json::parse(tune_json(testing::sample_report({8})));
  EXPECT_EQ(document["board"]["nvlinks_active"], 18);
  const json& after = document["batches"][0]["gpu_snapshots"][1];
  EXPECT_EQ(after["at"], "final");
  EXPECT_EQ(after["power_mw"], 540'300);
  EXPECT_EQ(after["clock_event_reasons"], json::array({"sw_power_cap"}));
  EXPECT_TRUE(after["sw_power_cap_ns"].is_null());
}

TEST(TuneJson, HasNullsWhereThereIsNoResult) {
  const json batch = json::parse(tune_json(testing::hopeless_report()))["batches"][0];
  EXPECT_TRUE(batch["best"].is_null());
  EXPECT_TRUE(batch["default"].is_null());
  EXPECT_TRUE(batch["speedup"].is_null());
}

TEST(TuneJson, SurvivesBytesThatAreNotUtf8) {
  TuneReport report = testing::small_report();
  report.warnings = {"\xff\xfe"};
  EXPECT_TRUE(json::accept(tune_json(report)));
}

TEST(RecordJson, MatchesItsReference) {
  expect_documented("record", {record_json({testing::sample_report(), "/r.json", true}),
                               record_json({testing::hopeless_report(), "/r.json", false})});
}

TEST(RunJson, MatchesItsReference) {
  RunResult good;
  good.kernel = "sgemm";
  good.config = "a=1";
  good.samples_ns = {1, 2, 3};
  good.median_ns = 2;
  good.verified = "reference";
  good.verification.seeds = {1, 2, 3};
  good.verification.sizes = {"batch=64", "batch=1"};
  good.verification.runs = 8;
  good.verification.max_abs_error = 0.5;
  good.verification.worst = {"c", "batch=1", 7, 2, 1.5, 1};
  good.flop = 100;
  good.device.peak_flop_per_s_f32 = 1e12;
  RunResult bad = good;
  bad.rejection = Rejection{Reason::compile_error, "no"};
  expect_documented("run", {run_json(good), run_json(bad)});
}

TEST(QueryJson, MatchesItsReference) {
  expect_documented("query", {query_json(sample_answer(), true), query_json(QueryAnswer{}, false)});
}

TEST(QueryJson, GivesTypedValues) {
  const json document = json::parse(query_json(sample_answer(), false));
  EXPECT_EQ(document["config"], json({{"a", 1}, {"b", "fast"}}));
  EXPECT_EQ(document["found"], "bucket");
  EXPECT_EQ(document["tuned_batch"], 64);
  EXPECT_EQ(document["bound"], 1.15);
}

TEST(DevicesJson, MatchesItsReference) {
  DeviceList list;
  list.devices.emplace_back();
  list.devices.back().peak_bytes_per_s = 1e12;
  list.devices.emplace_back();
  list.devices.back().board = BoardFacts{};
  list.devices.back().board->ecc = false;
  list.unavailable = {"no CUDA device"};
  expect_documented("devices", {devices_json(list)});
}

TEST(DevicesJson, HasNullsForWhatABoardDoesNotTell) {
  DeviceList list;
  list.devices.resize(2);
  list.devices[1].board = BoardFacts{};
  list.devices[1].board->ecc = false;
  list.devices[1].board->power_limit_mw = 700'000;
  const json devices = json::parse(devices_json(list))["devices"];
  EXPECT_TRUE(devices[0]["board"].is_null());
  EXPECT_EQ(devices[1]["board"]["ecc"], false);
  EXPECT_EQ(devices[1]["board"]["power_limit_mw"], 700'000);
  EXPECT_TRUE(devices[1]["board"]["mig"].is_null());
  EXPECT_TRUE(devices[1]["board"]["pcie_width"].is_null());
}

TEST(KernelsJson, MatchesItsReference) {
  Catalogue catalogue{{sample_entry()}, {{"/x.so", "not an ELF file"}}};
  expect_documented("kernels", {kernels_json(catalogue)});
  EXPECT_EQ(json::parse(kernels_json(catalogue))["kernels"][0]["count"], 672);
}

TEST(SpaceJson, MatchesItsReference) {
  SpaceListing listing{sample_entry(), {{"12", "a=1"}, {"340282366920938463463", "a=2"}}};
  expect_documented("space", {space_json(listing)});
  EXPECT_EQ(json::parse(space_json(listing))["configurations"][1]["index"], "340282366920938463463");
}

TEST(CheckJson, MatchesItsReference) {
  ConformanceReport report;
  report.path = "/x.so";
  report.checks = {{ConformanceCheck::Status::pass, "", "loads", "ok"},
                   {ConformanceCheck::Status::fail, "k", "runs", "no"}};
  expect_documented("check-plugin", {check_json(report)});
}

TEST(ListJson, MatchesItsReference) {
  expect_documented("list", {list_json({"/s.db", {sample_final()}, {sample_run()}})});
}

TEST(ShowJson, MatchesItsReference) {
  KernelHistory history;
  history.finals = {sample_final()};
  history.finals[0].details_json = R"({"gpu":{"board":{"ecc":true},"snapshots":[]}})";
  history.runs = {sample_run()};
  storage::EvaluationRecord record;
  record.key.config = "a=1";
  record.samples_ns = {1};
  record.reason = "timeout";
  record.facts_json = "{\"regs\":64}";
  record.compile_json = "not json";
  history.evaluations = {record};
  expect_documented("show", {show_json(history)});
}

TEST(ShowJson, SaysHowTheGpuWasWhereTheStoreDoes) {
  KernelHistory history;
  history.finals = {sample_final(), sample_final(), sample_final()};
  history.finals[0].details_json = R"({"gpu":{"board":{"ecc":true},"snapshots":[]}})";
  history.finals[1].details_json = "{}";
  history.finals[2].details_json = "no JSON";
  const json results = json::parse(show_json(history))["results"];
  EXPECT_EQ(results[0]["gpu"]["board"]["ecc"], true);
  EXPECT_TRUE(results[1]["gpu"].is_null());
  EXPECT_TRUE(results[2]["gpu"].is_null());
}

TEST(ErrorJson, MatchesItsReference) { expect_documented("errors", {error_json("usage", "no \"such\" verb", 2)}); }

}  // namespace
}  // namespace kerntune::report
