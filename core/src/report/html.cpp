// SPDX-License-Identifier: Apache-2.0
#include "html.hpp"

#include <fmt/format.h>

namespace kerntune::report {

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default: {
        // Control characters have no place in HTML; a terminal's colours, say, come from compilers.
        const bool control = static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t';
        out += control ? ' ' : c;
      }
    }
  }
  return out;
}

std::string script_safe(std::string json) {
  // Inside JSON these characters can only be part of a string, where the escaped form means the same.
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<' || c == '>' || c == '&') {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out;
}

std::string html_table(const std::vector<HtmlCell>& headings, const std::vector<std::vector<HtmlCell>>& rows) {
  const auto cell = [](std::string_view tag, const HtmlCell& c) {
    const std::string css = c.css.empty() ? std::string() : fmt::format(" class=\"{}\"", c.css);
    return fmt::format("<{}{}>{}</{}>", tag, css, c.html, tag);
  };
  std::string out = "<div class=\"scroll\"><table><thead><tr>";
  for (const HtmlCell& heading : headings) out += cell("th", heading);
  out += "</tr></thead><tbody>\n";
  for (const auto& row : rows) {
    out += "<tr>";
    for (const HtmlCell& one : row) out += cell("td", one);
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

}  // namespace kerntune::report
