// SPDX-License-Identifier: Apache-2.0
#include <kerntune/core/replay.hpp>

namespace kerntune {

Recording new_recording(const KernelSpec& spec, const DeviceInfo& device, const MeasurePolicy& policy) {
  Recording recording;
  recording.kernel = spec.name;
  recording.device = device;
  recording.policy = policy.text();
  recording.spec = spec;
  for (const ParamSpec& param : spec.params) recording.params.push_back({param.name, param.values});
  recording.constraints = spec.constraints;
  return recording;
}

}  // namespace kerntune
