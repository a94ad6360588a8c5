// SPDX-License-Identifier: Apache-2.0
#include <kerntune/query/tuned_configs.hpp>

#if __cplusplus >= 202002L
#error "compile this as C++17"
#endif

// What a call site does.
std::string tuned_config(const std::string& path, const std::string& device_class, std::int64_t batch) {
  const auto configs = kerntune::query::TunedConfigs::open(path);
  kerntune::query::Key key;
  key.kernel = "gemm";
  key.device_class = device_class;
  const kerntune::query::Family family = configs.resolve(key);
  static_assert(noexcept(family.pick(batch)), "the hot path does not throw");
  return std::string(family.pick(batch).config);
}
