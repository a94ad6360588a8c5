// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <kerntune/core/report.hpp>

namespace kerntune::report {

/// Text for an element's content or a quoted attribute. Whatever plugins and compilers say stays text.
std::string escaped(std::string_view text);
/// JSON for a <script> element: nothing in it can end the element or start a comment.
std::string script_safe(std::string json);

struct HtmlCell {
  std::string html;  // escaped already
  std::string css{};
};
/// How the terminal's texts are written for a page.
inline const Style kPageTextStyle{.colour = false, .utf8 = true, .width = 1000};

/// <table> with a header row; cells of class "n" (numbers) are right-aligned by the page's style.
std::string html_table(const std::vector<HtmlCell>& headings, const std::vector<std::vector<HtmlCell>>& rows);

/// Embedded at build time. The chart library is empty if it was not there.
extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;
extern const std::string_view kChartLibrary;

/// The page's parts, complete elements.
std::string page_overview(const TuneReport& report);
std::string page_batch(const TuneReport& report, const BatchResult& batch, std::size_t number);
std::string page_space(const TuneReport& report);
std::string page_run(const TuneReport& report, const std::string& command);
/// What the charts are drawn from, as JSON.
std::string page_data(const TuneReport& report);

}  // namespace kerntune::report
