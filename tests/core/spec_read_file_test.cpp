// SPDX-License-Identifier: Apache-2.0
#include "spec/read_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <kerntune/core/errors.hpp>

namespace kerntune {
namespace {

namespace fs = std::filesystem;

std::string refusal(const std::string& path) {
  try {
    read_plain_file(path);
  } catch (const Error& error) {
    return error.what();
  }
  return "read";
}

TEST(ReadFile, RefusesDevicesWhichNeedNotEnd) {
  EXPECT_EQ(refusal("/dev/zero"), "read file '/dev/zero': it is a device, not a file");
}

TEST(ReadFile, RefusesWhatIsTooLargeAndReadsTheRestWhole) {
  const std::string path = testing::TempDir() + "kerntune_read_file_test";
  const std::string text(200'001, 'x');  // more than one chunk, and no multiple of one
  std::ofstream(path, std::ios::binary) << text;
  EXPECT_EQ(read_plain_file(path), text);
  fs::resize_file(path, (std::uintmax_t{2} << 30) + 1);  // sparse: takes no room
  EXPECT_EQ(refusal(path), "read file '" + path + "': larger than 2 GiB");
  fs::remove(path);
}

}  // namespace
}  // namespace kerntune
