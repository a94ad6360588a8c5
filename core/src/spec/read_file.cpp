// SPDX-License-Identifier: Apache-2.0
#include "spec/read_file.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include <kerntune/core/errors.hpp>

namespace kerntune {
namespace {

constexpr std::size_t kMostBytes = std::size_t{2} << 30;  // a file that unpacks to more is no recording
constexpr const char* kTooLarge = "larger than 2 GiB";

struct InflateEnd {
  void operator()(z_stream* stream) const noexcept { inflateEnd(stream); }
};

[[noreturn]] void fail(const std::string& path, const std::string& problem) {
  throw Error(fmt::format("read file '{}': {}", path, problem));
}

std::string gunzip(const std::string& packed, const std::string& path) {
  constexpr int kGzip = 15 + 16;  // largest window, gzip header
  z_stream raw{};
  if (inflateInit2(&raw, kGzip) != Z_OK) fail(path, "cannot start unpacking");
  const std::unique_ptr<z_stream, InflateEnd> stream(&raw);
  stream->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));  // zlib only reads it
  stream->avail_in = static_cast<uInt>(packed.size());
  std::string text;
  std::array<char, 65536> chunk{};
  int status = Z_OK;
  while (status != Z_STREAM_END) {
    stream->next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream->avail_out = static_cast<uInt>(chunk.size());
    status = inflate(stream.get(), Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END)
      fail(path, fmt::format("not a whole gzip file ({})", stream->msg != nullptr ? stream->msg : "it ends early"));
    text.append(chunk.data(), chunk.size() - stream->avail_out);
    if (text.size() > kMostBytes) fail(path, "unpacks to more than 2 GiB");
  }
  return text;
}

/// A device may never end, and a file that is too large need not be read to be refused. Pipes are welcome.
void check_kind(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) fail(path, "it is a folder");
  if (fs::is_character_file(status) || fs::is_block_file(status)) fail(path, "it is a device, not a file");
  if (fs::is_regular_file(status) && fs::file_size(path, error) > kMostBytes && !error) fail(path, kTooLarge);
}

}  // namespace

std::string read_plain_file(const std::string& path) {
  check_kind(path);
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(path, std::strerror(errno));
  std::string bytes;
  std::array<char, 65536> chunk{};
  while (file.read(chunk.data(), chunk.size()) || file.gcount() > 0) {
    bytes.append(chunk.data(), static_cast<std::size_t>(file.gcount()));
    if (bytes.size() > kMostBytes) fail(path, kTooLarge);
  }
  if (file.bad()) fail(path, std::strerror(errno));
  return bytes;
}

std::string read_file(const std::string& path) {
  std::string bytes = read_plain_file(path);
  const bool is_gzip = bytes.size() > 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b';
  return is_gzip ? gunzip(bytes, path) : bytes;
}

}  // namespace kerntune
