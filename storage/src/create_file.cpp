// SPDX-License-Identifier: Apache-2.0
#include "create_file.hpp"

#include <fcntl.h>
#include <stdio.h>  // renameat2
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <random>
#include <system_error>

namespace kerntune::storage {
namespace {

[[noreturn]] void fail_with_errno(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

// A name nobody else uses in the same folder, so that the rename stays inside one file system.
std::string sibling_name(const std::string& path) {
  std::random_device random;
  return path + "." + std::to_string(::getpid()) + "-" + std::to_string(random()) + ".new";
}

class NewFile {
 public:
  explicit NewFile(std::string path)
      : path_(std::move(path)), descriptor_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)) {
    if (descriptor_ < 0) fail_with_errno("cannot create a file in its folder");
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile() {
    ::close(descriptor_);
    ::unlink(path_.c_str());  // fails, as it should, once moved into place
  }

  void write(std::span<const std::byte> content) {
    while (!content.empty()) {
      const ssize_t written = ::write(descriptor_, content.data(), content.size());
      if (written < 0 && errno != EINTR) fail_with_errno("cannot write");
      if (written > 0) content = content.subspan(static_cast<std::size_t>(written));
    }
    if (::fsync(descriptor_) != 0) fail_with_errno("cannot write to the disk");
  }

  void move_to(const std::string& target) {
    if (::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target.c_str(), RENAME_NOREPLACE) == 0) return;
    if (errno == EEXIST) return;
    // Network file systems lack this rename; a hard link also never replaces.
    if (errno != EINVAL && errno != ENOSYS) fail_with_errno("cannot move the new file into place");
    if (::link(path_.c_str(), target.c_str()) != 0 && errno != EEXIST)
      fail_with_errno("cannot move the new file into place");
  }

 private:
  std::string path_;
  int descriptor_;
};

// So that the name survives a power cut. Not all file systems can; the file is then as durable as they make it.
void sync_folder(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

void create_file(const std::string& path, std::span<const std::byte> content) {
  const auto folder = std::filesystem::absolute(path).parent_path();
  std::filesystem::create_directories(folder);
  NewFile file(sibling_name(path));
  file.write(content);
  file.move_to(path);
  sync_folder(folder);
}

}  // namespace kerntune::storage
