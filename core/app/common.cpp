// SPDX-License-Identifier: Apache-2.0
#include "common.hpp"

#include <cstdlib>

#include <fmt/format.h>

#include <kerntune/core/errors.hpp>

namespace kerntune::app {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

}  // namespace

std::string store_path(const std::string& given) {
  if (!given.empty()) return given;
  if (const std::string path = variable("KERNTUNE_DB"); !path.empty()) return path;
  // The XDG specification says that a relative path there is invalid and must be ignored.
  if (const std::string data = variable("XDG_DATA_HOME"); data.starts_with('/')) return data + "/kerntune/kerntune.db";
  if (const std::string home = variable("HOME"); !home.empty()) return home + "/.local/share/kerntune/kerntune.db";
  throw Error("find the result store: neither KERNTUNE_DB, XDG_DATA_HOME nor HOME is set; give --db FILE");
}

std::string dims_text(const Dims& dims) {
  std::string text;
  for (const auto& [name, value] : dims) text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, value);
  return text;
}

KernelEntry kernel_named(const std::string& name, const std::vector<std::string>& plugins) {
  return find_kernel(name, plugins);
}

MeasurePolicy policy_for(const std::string& l2, const std::string& mode, const std::string& device) {
  MeasurePolicy policy;
  const bool host = device == "host";
  policy.l2 = l2 == "warm" || (l2.empty() && host) ? MeasurePolicy::L2::warm : MeasurePolicy::L2::cold;
  policy.mode = mode == "graph" ? MeasurePolicy::Mode::graph : MeasurePolicy::Mode::eager;
  return policy;
}

}  // namespace kerntune::app
