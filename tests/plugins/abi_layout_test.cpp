// SPDX-License-Identifier: Apache-2.0
#include <type_traits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kerntune/plugin/abi.h>

#define OFFSET(type, field, offset) static_assert(offsetof(type, field) == (offset), #type "." #field " moved")
#define SIZE(type, size) static_assert(sizeof(type) == (size), #type " changed its size")
#include "abi_layout.inc"

extern "C" const uint32_t abi_layout_sizes_in_c[5];
extern "C" int abi_has_reference_in_c(const kerntune_kernel* kernel);

namespace {

TEST(PluginAbi, HasTheSameSizesInCAndInCpp) {
  EXPECT_THAT(abi_layout_sizes_in_c, testing::ElementsAre(KERNTUNE_BUFFER_SIZE, KERNTUNE_CALL_SIZE, KERNTUNE_HOST_SIZE,
                                                          KERNTUNE_KERNEL_SIZE, KERNTUNE_PLUGIN_SIZE));
}

TEST(PluginAbi, ConsistsOfPlainData) {
  EXPECT_TRUE((std::is_standard_layout_v<kerntune_kernel> && std::is_trivial_v<kerntune_kernel>));
  EXPECT_TRUE((std::is_standard_layout_v<kerntune_plugin> && std::is_trivial_v<kerntune_plugin>));
  EXPECT_TRUE((std::is_standard_layout_v<kerntune_call> && std::is_trivial_v<kerntune_call>));
  EXPECT_TRUE((std::is_standard_layout_v<kerntune_value> && std::is_trivial_v<kerntune_value>));
}

TEST(PluginAbi, HidesAFieldThatEndsBehindTheWritersSize) {
  kerntune_kernel kernel{};
  kernel.struct_size = KERNTUNE_KERNEL_SIZE - 1;
  EXPECT_FALSE(KERNTUNE_HAS_FIELD(&kernel, kerntune_kernel, reference));
  EXPECT_TRUE(KERNTUNE_HAS_FIELD(&kernel, kerntune_kernel, teardown));
  EXPECT_EQ(abi_has_reference_in_c(&kernel), 0);
  kernel.struct_size = KERNTUNE_KERNEL_SIZE;
  EXPECT_TRUE(KERNTUNE_HAS_FIELD(&kernel, kerntune_kernel, reference));
  EXPECT_EQ(abi_has_reference_in_c(&kernel), 1);
}

TEST(PluginAbi, LetsNoExceptionThrough) {
  EXPECT_TRUE((std::is_nothrow_invocable_v<decltype(kerntune_kernel::launch), void*, void*, kerntune_error*>));
  EXPECT_TRUE((std::is_nothrow_invocable_v<decltype(kerntune_kernel::teardown), void*>));
  EXPECT_TRUE(std::is_nothrow_invocable_v<decltype(kerntune_plugin_entry_v1)>);
}

}  // namespace
