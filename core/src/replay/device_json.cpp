// SPDX-License-Identifier: Apache-2.0
#include "replay/device_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "spec/json_builder.hpp"

namespace kerntune {
namespace {

struct Property {
  const char* name;
  std::int64_t DeviceProperties::* member;
};

constexpr std::array<Property, 14> kProperties{{{"sm_count", &DeviceProperties::sm_count},
                                                {"max_threads_per_block", &DeviceProperties::max_threads_per_block},
                                                {"max_threads_per_sm", &DeviceProperties::max_threads_per_sm},
                                                {"max_blocks_per_sm", &DeviceProperties::max_blocks_per_sm},
                                                {"shared_per_block", &DeviceProperties::shared_per_block},
                                                {"shared_per_block_optin", &DeviceProperties::shared_per_block_optin},
                                                {"shared_per_sm", &DeviceProperties::shared_per_sm},
                                                {"registers_per_block", &DeviceProperties::registers_per_block},
                                                {"registers_per_sm", &DeviceProperties::registers_per_sm},
                                                {"l2_bytes", &DeviceProperties::l2_bytes},
                                                {"warp_size", &DeviceProperties::warp_size},
                                                {"compute_capability", &DeviceProperties::compute_capability},
                                                {"is_cuda", &DeviceProperties::is_cuda},
                                                {"cpu_cores", &DeviceProperties::cpu_cores}}};

std::string text_or_empty(const JsonCursor& object, std::string_view member) {
  const auto found = object.find(member);
  return found ? found->text() : std::string();
}

double number_or_zero(const JsonCursor& object, std::string_view member) {
  const auto found = object.find(member);
  return found ? found->number() : 0;
}

}  // namespace

JsonValue device_to_value(const DeviceInfo& device) {
  JsonMembers properties;
  for (const Property& property : kProperties)
    if (const std::int64_t value = device.properties.*property.member; value != 0)
      properties.integer(property.name, value);
  return JsonMembers()
      .text("name", device.name)
      .text("class", device.device_class)
      .text("arch", device.arch)
      .text("driver", device.driver)
      .integer("memory_bytes", static_cast<std::int64_t>(device.memory_bytes))
      .number("peak_bytes_per_s", device.peak_bytes_per_s)
      .number("peak_flop_per_s_f32", device.peak_flop_per_s_f32)
      .put("properties", properties.take())
      .take();
}

DeviceInfo read_device(const JsonCursor& cursor) {
  cursor.only(
      {"name", "class", "arch", "driver", "memory_bytes", "peak_bytes_per_s", "peak_flop_per_s_f32", "properties"});
  DeviceInfo device;
  device.name = text_or_empty(cursor, "name");
  device.device_class = text_or_empty(cursor, "class");
  device.arch = text_or_empty(cursor, "arch");
  device.driver = text_or_empty(cursor, "driver");
  if (const auto bytes = cursor.find("memory_bytes"))
    device.memory_bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(0, bytes->integer()));
  device.peak_bytes_per_s = number_or_zero(cursor, "peak_bytes_per_s");
  device.peak_flop_per_s_f32 = number_or_zero(cursor, "peak_flop_per_s_f32");
  if (const auto properties = cursor.find("properties"))
    for (const Property& property : kProperties)
      if (const auto value = properties->find(property.name)) device.properties.*property.member = value->integer();
  return device;
}

}  // namespace kerntune
