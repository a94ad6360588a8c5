// SPDX-License-Identifier: Apache-2.0
#include "report/html.hpp"

#include <gmock/gmock.h>

#include "report_sample.hpp"

namespace kerntune::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Escaped, LeavesNoMarkup) {
  EXPECT_EQ(escaped("<b a=\"x\" b='y'>&\x1b"), "&lt;b a=&quot;x&quot; b=&#39;y&#39;&gt;&amp; ");
}

TEST(ScriptSafe, CannotEndTheScript) {
  EXPECT_EQ(script_safe("{\"a\":\"</script><!--\"}"), "{\"a\":\"\\u003c/script\\u003e\\u003c!--\"}");
}

TEST(TuneHtml, ShowsTheResult) {
  const std::string page = tune_html(testing::small_report(), "kerntune tune sgemm");
  EXPECT_THAT(page, HasSubstr("<h1>sgemm</h1>"));
  EXPECT_THAT(page, HasSubstr("1.86×"));
  EXPECT_THAT(page, HasSubstr("1.850–1.870, 95 % interval"));
  EXPECT_THAT(page, HasSubstr("<span class=\"param changed\">block_m <b>128</b> <s title=\"default\">32</s></span>"));
  EXPECT_THAT(page, HasSubstr("kerntune query --db /tmp/tuned.db sgemm --batch 64"));
}

TEST(TuneHtml, ShowsHowTheGpuWas) {
  const std::string page = tune_html(testing::sample_report({8}), "");
  EXPECT_THAT(page, HasSubstr("PCIe: generation 1 x16 now, at most generation 5 x16"));
  EXPECT_THAT(page, HasSubstr("batch 8, session: 1980 MHz, 34 °C, gpu_idle"));
  EXPECT_THAT(page, HasSubstr("batch 8, final: 1980 MHz, 540 W, 61 °C, sw_power_cap"));
  EXPECT_THAT(tune_html(testing::hopeless_report(), ""), Not(HasSubstr("While it ran")));
}

TEST(TuneHtml, AsksForNothingFromOutside) {
  const std::string page = tune_html(testing::sample_report(), "kerntune tune sgemm");
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  for (const char* request : {"src=\"", "<link", "@import", "url(", "fetch(", "XMLHttpRequest"})
    EXPECT_THAT(page, Not(HasSubstr(request)));
}

TEST(TuneHtml, EscapesWhateverPluginsSay) {
  const std::string attack = "<script>alert('x')</script>";
  TuneReport report = testing::small_report();
  report.kernel = report.spec.summary = report.spec.params[0].summary = attack;
  report.warnings = {attack};
  report.toolchain = report.device.name = report.spec.params[0].name = attack;
  report.spec.constraints = {attack};
  report.device.board = BoardFacts{};
  report.device.board->vbios = attack;
  report.batches[0].gpu_snapshots = {{attack, {}}};
  report.batches[0].best->config_text = "block_m=\"" + attack + "\"";
  report.batches[0].failures_by_reason[attack] = 1;
  EvaluationTrace trace;
  trace.rejection = Rejection{Reason::compile_error, attack};
  report.batches[0].trace = {trace};
  EXPECT_THAT(tune_html(report, attack), Not(HasSubstr("<script>alert")));
}

TEST(TuneHtml, WorksWithoutResults) {
  EXPECT_THAT(tune_html(testing::hopeless_report(), ""), HasSubstr("no configuration gave the reference&#39;s result"));
  EXPECT_THAT(tune_html(TuneReport{}, ""), HasSubstr("</html>"));
}

TEST(TuneHtml, CarriesChartsOrSaysThatItCannot) {
  const std::string page = tune_html(testing::sample_report(), "");
  if (kChartLibrary.empty()) {
    EXPECT_THAT(page, HasSubstr("built without Chart.js"));
    EXPECT_THAT(page, Not(HasSubstr("<canvas")));
  } else {
    EXPECT_THAT(page, HasSubstr("<canvas data-chart=\"convergence\""));
    EXPECT_THAT(page, HasSubstr(kChartLibrary.substr(0, 200)));
  }
}

}  // namespace
}  // namespace kerntune::report
