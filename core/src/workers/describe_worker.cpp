// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include <kerntune/core/device.hpp>
#include <kerntune/core/plugin_host.hpp>

#include "workers/wire.hpp"
#include "workers/workers.hpp"

namespace kerntune {
namespace {

using wire::json;

json describe_plugin(const std::string& path) {
  const PluginLibrary library = PluginLibrary::open(path);
  json kernels = json::array();
  for (const PluginKernel& kernel : library.kernels()) kernels.push_back(to_json(kernel.spec()));
  return {{"ok", true},
          {"plugin", {{"name", library.name()}, {"version", library.version()}, {"build_id", library.build_id()}}},
          {"kernels", std::move(kernels)}};
}

json answer(const json& request) {
  try {
    if (request.at("op") == "devices") return {{"ok", true}, {"list", wire::from(list_devices())}};
    return describe_plugin(request.at("path").get<std::string>());
  } catch (const std::exception& error) {
    return {{"ok", false}, {"message", error.what()}};
  }
}

}  // namespace

void describe_worker(process::WorkerChannel& channel) {
  while (const auto request = channel.receive()) channel.send(wire::message(answer(wire::body_of(*request))));
}

}  // namespace kerntune
