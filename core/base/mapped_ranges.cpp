#include "core/base/mapped_ranges.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

namespace minerva {

MappedRanges MappedRanges::read() {
  MappedRanges all;
  std::ifstream file("/proc/self/maps");
  std::string line;
  while (std::getline(file, line)) {
    std::uintptr_t from = 0, to = 0;
    char access[5] = "";
    std::uint64_t inode = 0;
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " %4s %*s %*s %" SCNu64, &from, &to, access, &inode) != 4) continue;
    if (inode != 0 && std::string_view(access) == "r--s") all.m_ranges.emplace_back(from, to);
  }
  return all;
}

std::span<std::byte> MappedRanges::pagesOf(std::span<const std::byte> bytes) const {
  static const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto start = reinterpret_cast<std::uintptr_t>(bytes.data());
  const std::uintptr_t from = start / page * page;
  const std::uintptr_t to = (start + bytes.size() + page - 1) / page * page;
  for (const auto& [low, high] : m_ranges) {
    if (from >= low && to <= high && from < to) return {reinterpret_cast<std::byte*>(from), to - from};
  }
  return {};
}

void MappedRanges::release(std::span<const std::byte> bytes) const {
  const std::span<std::byte> pages = pagesOf(bytes);
  if (!pages.empty()) ::madvise(pages.data(), pages.size(), MADV_DONTNEED);
}

// Of one call, Linux reads no more than the disk takes at once or reads ahead, usually 128 KB or a little more, and forgets the rest.
void MappedRanges::expect(std::span<const std::byte> bytes) const {
  constexpr std::size_t pieceBytes = std::size_t{128} << 10;
  for (std::span<std::byte> pages = pagesOf(bytes); !pages.empty();) {
    const std::size_t piece = std::min(pages.size(), pieceBytes);
    ::madvise(pages.data(), piece, MADV_WILLNEED);
    pages = pages.subspan(piece);
  }
}

void MappedRanges::bringIn(std::span<const std::byte> bytes, const std::stop_token& stop) const {
#ifdef MADV_POPULATE_READ
  constexpr std::size_t pieceBytes = std::size_t{4} << 20;
  std::span<std::byte> pages = pagesOf(bytes);
  while (!pages.empty() && !stop.stop_requested()) {
    const std::size_t piece = std::min(pages.size(), pieceBytes);
    ::madvise(pages.data(), piece, MADV_POPULATE_READ);
    pages = pages.subspan(piece);
  }
#else
  (void)bytes;
  (void)stop;
#endif
}

}  // namespace minerva
