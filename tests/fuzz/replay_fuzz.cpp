// SPDX-License-Identifier: Apache-2.0
// Any text is a recording or an Error. What parses is written in our own format, which reads back to the same text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include <kerntune/core/errors.hpp>
#include <kerntune/core/replay.hpp>

namespace {

using namespace kerntune;

bool has_small_space(const Recording& recording) {
  double product = 1;
  for (const search::Param& param : recording.params) product *= static_cast<double>(param.values.size());
  return product < 1000;
}

void check_round_trip(const Recording& recording) {
  const std::string json = to_json(recording);
  if (to_json(parse_recording(json, "again")) != json) std::abort();
}

void check_look_up(const Recording& recording) {
  const RecordedSpace recorded(std::make_shared<const Recording>(recording));
  for (const RecordedEntry& entry : recorded.size().entries)
    if (recorded.find(entry.config) == nullptr) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const Recording recording = parse_recording(text, "fuzz.json");
    check_round_trip(recording);
    if (has_small_space(recording)) check_look_up(recording);
    (void)spec_of(recording);
  } catch (const Error&) {
  }
  return 0;
}
