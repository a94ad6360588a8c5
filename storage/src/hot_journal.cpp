// SPDX-License-Identifier: Apache-2.0
#include "hot_journal.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>

#include "big_endian.hpp"

namespace kerntune::storage {
namespace {

constexpr std::array<unsigned char, 8> kJournalMagic = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
constexpr std::size_t kJournalHeaderBytes = 28;
constexpr std::uint32_t kToTheEnd = 0xffffffff;

bool is_magic(std::span<const std::byte> bytes) {
  return bytes.size() >= kJournalMagic.size() &&
         std::memcmp(bytes.data(), kJournalMagic.data(), kJournalMagic.size()) == 0;
}

struct Header {
  std::uint32_t records, nonce, database_pages, sector_bytes, page_bytes;
};

std::optional<Header> read_header(std::span<const std::byte> at) {
  if (at.size() < kJournalHeaderBytes || !is_magic(at)) return std::nullopt;
  const Header header{big_endian(at.subspan(8)), big_endian(at.subspan(12)), big_endian(at.subspan(16)),
                      big_endian(at.subspan(20)), big_endian(at.subspan(24))};
  const auto power_of_two = [](std::uint32_t value, std::uint32_t least) {
    return std::has_single_bit(value) && value >= least && value <= 65536;
  };
  if (!power_of_two(header.page_bytes, 512) || !power_of_two(header.sector_bytes, 32)) return std::nullopt;
  return header;
}

std::uint32_t checksum(std::span<const std::byte> page, std::uint32_t nonce) {
  for (std::size_t i = page.size() - 200; i > 0 && i < page.size(); i -= 200)
    nonce += std::to_integer<std::uint32_t>(page[i]);
  return nonce;
}

// False at the first record that is not whole: the writer died while adding it, so its page was never changed.
bool play_record(std::span<std::byte> database, std::span<const std::byte> record, const Header& header) {
  const std::uint64_t page_bytes = header.page_bytes;
  if (record.size() < page_bytes + 8) return false;
  const std::uint64_t number = big_endian(record);
  const auto page = record.subspan(4, page_bytes);
  if (number == 0 || big_endian(record.subspan(4 + page_bytes)) != checksum(page, header.nonce)) return false;
  if (number > header.database_pages || number * page_bytes > database.size())
    return true;  // grew since: cut off already
  std::ranges::copy(page, database.begin() + static_cast<std::ptrdiff_t>((number - 1) * page_bytes));
  return true;
}

}  // namespace

bool roll_back(std::vector<std::byte>& database, std::span<const std::byte> journal) {
  if (is_magic(journal.last(std::min(journal.size(), kJournalMagic.size()))))
    return false;  // ends in the name of a super-journal
  bool first = true;
  std::size_t at = 0;
  while (const auto header = read_header(journal.subspan(std::min(at, journal.size())))) {
    const std::uint64_t original = std::uint64_t{header->database_pages} * header->page_bytes;
    // Pages that the dead writer had already cut off are in the journal, so the length cannot grow by more than it.
    if (first && original > database.size() + journal.size()) return false;
    if (first) database.resize(original);
    first = false;
    at += header->sector_bytes;
    const std::size_t record_bytes = header->page_bytes + 8;
    const std::uint64_t records = header->records == kToTheEnd ? journal.size() / record_bytes : header->records;
    for (std::uint64_t i = 0; i < records; ++i, at += record_bytes) {
      if (!play_record(database, journal.subspan(std::min(at, journal.size())), *header)) return true;
    }
    at = (at + header->sector_bytes - 1) / header->sector_bytes * header->sector_bytes;
  }
  return true;
}

}  // namespace kerntune::storage
