// SPDX-License-Identifier: Apache-2.0
#include "elf_file.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <set>
#include <string_view>

#include <fmt/format.h>

namespace kerntune {
namespace {

/// A table larger than this is not a plugin's.
constexpr std::uint64_t kMaxTableBytes = UINT64_C(256) << 20;

#if defined(__x86_64__)
constexpr Elf64_Half kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr Elf64_Half kMachine = EM_AARCH64;
#elif defined(__powerpc64__)
constexpr Elf64_Half kMachine = EM_PPC64;
#else
#error "name this machine's ELF number here"
#endif

class File {
 public:
  /// O_NONBLOCK: opening a FIFO must not wait for its writer.
  explicit File(const std::string& path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (descriptor_ < 0) throw ElfError(fmt::format("expected a readable file, found: {}", std::strerror(errno)));
    struct stat status{};
    if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
      ::close(descriptor_);
      throw ElfError("expected a regular file, found another kind (folder, pipe or device)");
    }
    size_ = static_cast<std::uint64_t>(status.st_size);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { ::close(descriptor_); }

  std::uint64_t size() const noexcept { return size_; }

  void read(void* out, std::uint64_t offset, std::uint64_t bytes) const {
    if (offset > size_ || bytes > size_ - offset) {
      throw ElfError(fmt::format("expected {} bytes at offset {}, found a file of {} bytes: it is truncated or corrupt",
                                 bytes, offset, size_));
    }
    auto* to = static_cast<char*>(out);
    for (std::uint64_t done = 0; done < bytes;) {
      const ssize_t got = ::pread(descriptor_, to + done, bytes - done, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0)
        throw ElfError(
            fmt::format("read at offset {}: {}", offset + done, got == 0 ? "end of file" : std::strerror(errno)));
      done += static_cast<std::uint64_t>(got);
    }
  }

  template <class T>
  std::vector<T> table(std::uint64_t offset, std::uint64_t count) const {
    if (count > kMaxTableBytes / sizeof(T))
      throw ElfError(fmt::format("a table of {} entries: the file is corrupt", count));
    std::vector<T> out(count);
    if (count != 0) read(out.data(), offset, count * sizeof(T));
    return out;
  }

 private:
  int descriptor_;
  std::uint64_t size_ = 0;
};

Elf64_Ehdr read_header(const File& file) {
  Elf64_Ehdr header{};
  if (file.size() < sizeof header)
    throw ElfError(fmt::format("expected an ELF shared object, found {} bytes of something else", file.size()));
  file.read(&header, 0, sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    throw ElfError("expected an ELF shared object, found another kind of file");
  constexpr unsigned char byte_order = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != byte_order || header.e_machine != kMachine) {
    throw ElfError(
        fmt::format("expected a 64-bit shared object for this machine (ELF machine {}), found machine {}, class {}",
                    kMachine, header.e_machine, int{header.e_ident[EI_CLASS]}));
  }
  if (header.e_type != ET_DYN)
    throw ElfError("expected a shared object, found an object file, a fixed-address program or a core dump");
  return header;
}

std::vector<Elf64_Shdr> read_sections(const File& file, const Elf64_Ehdr& header) {
  if (header.e_shnum != 0 && header.e_shentsize != sizeof(Elf64_Shdr))
    throw ElfError("section headers have an unknown size: the file is corrupt");
  return file.table<Elf64_Shdr>(header.e_shoff, header.e_shnum);
}

/// Names that linkers of the past put on the export list of every shared object.
bool is_linkers_own(std::string_view name) {
  static constexpr std::array<std::string_view, 6> kNames{"_init", "_fini", "_edata", "_end", "__bss_start", "__end__"};
  return std::ranges::find(kNames, name) != kNames.end();
}

std::vector<std::string> exported_symbols(const File& file, const std::vector<Elf64_Shdr>& sections) {
  const auto table = std::ranges::find_if(sections, [](const Elf64_Shdr& s) { return s.sh_type == SHT_DYNSYM; });
  if (table == sections.end() || table->sh_link >= sections.size())
    throw ElfError("expected a dynamic symbol table, found none");
  const Elf64_Shdr& names_section = sections[table->sh_link];
  std::vector<char> names = file.table<char>(names_section.sh_offset, names_section.sh_size);
  names.push_back('\0');
  std::set<std::string> exported;
  for (const Elf64_Sym& symbol : file.table<Elf64_Sym>(table->sh_offset, table->sh_size / sizeof(Elf64_Sym))) {
    const bool defined = symbol.st_shndx != SHN_UNDEF && ELF64_ST_BIND(symbol.st_info) != STB_LOCAL;
    const unsigned visibility = ELF64_ST_VISIBILITY(symbol.st_other);
    if (!defined || visibility == STV_HIDDEN || visibility == STV_INTERNAL || symbol.st_name >= names.size()) continue;
    const std::string_view name = &names[symbol.st_name];
    if (!name.empty() && !is_linkers_own(name)) exported.emplace(name);
  }
  return {exported.begin(), exported.end()};
}

std::string hex(const std::vector<unsigned char>& bytes) {
  std::string out;
  for (const unsigned char byte : bytes) out += fmt::format("{:02x}", byte);
  return out;
}

/// The build-id in one note section, or nothing. A note is a header, a name and a descriptor, each padded to four
/// bytes.
std::string build_id_in(const File& file, const Elf64_Shdr& section) {
  const auto padded = [](std::uint64_t size) { return (size + 3) & ~UINT64_C(3); };
  for (std::uint64_t at = 0; at + sizeof(Elf64_Nhdr) <= section.sh_size;) {
    Elf64_Nhdr note{};
    file.read(&note, section.sh_offset + at, sizeof note);
    const std::uint64_t name = section.sh_offset + at + sizeof note;
    const std::uint64_t data = name + padded(note.n_namesz);
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        file.table<char>(name, 4) == std::vector<char>{'G', 'N', 'U', '\0'}) {
      return hex(file.table<unsigned char>(data, std::min<std::uint64_t>(note.n_descsz, 64)));
    }
    at += sizeof note + padded(note.n_namesz) + padded(note.n_descsz);
  }
  return {};
}

std::string find_build_id(const File& file, const std::vector<Elf64_Shdr>& sections) {
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_NOTE) continue;
    if (std::string id = build_id_in(file, section); !id.empty()) return id;
  }
  return {};
}

}  // namespace

ElfFacts read_elf(const std::string& path) {
  const File file(path);
  const std::vector<Elf64_Shdr> sections = read_sections(file, read_header(file));
  return {.exported = exported_symbols(file, sections), .build_id = find_build_id(file, sections)};
}

}  // namespace kerntune
