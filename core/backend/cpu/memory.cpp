#include "core/backend/cpu/memory.h"

#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <string>
#include <sys/mman.h>

namespace minerva::cpu {

namespace {

std::size_t wholePages(std::size_t bytes) {
  constexpr std::size_t hugePage = std::size_t{2} << 20;
  return (bytes + hugePage - 1) / hugePage * hugePage;
}

std::uint64_t memoryInfo(const char* key) {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::uint64_t kilobytes = 0;
  while (file >> name >> kilobytes) {
    if (name == key) return kilobytes * 1024;
    file.ignore(64, '\n');
  }
  return 0;
}

}  // namespace

Result<HostMemory> HostMemory::create(std::size_t bytes, bool hugePages) {
  if (bytes == 0) return HostMemory();
  const std::size_t size = wholePages(bytes);
  void* data = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) {
    return fail({.kind = ErrorKind::outOfMemory,
                 .what = "The system gave no memory",
                 .expected = std::to_string(size) + " bytes",
                 .actual = std::to_string(availableMemory()) + " bytes available"});
  }
  if (hugePages) ::madvise(data, size, MADV_HUGEPAGE);
  return HostMemory(static_cast<std::byte*>(data), bytes);
}

HostMemory::~HostMemory() {
  if (m_data != nullptr) ::munmap(m_data, wholePages(m_size));
}

std::uint64_t availableMemory() { return memoryInfo("MemAvailable:"); }
std::uint64_t totalMemory() { return memoryInfo("MemTotal:"); }

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

std::span<std::byte> MappedRanges::pagesOf(std::span<const std::byte> bytes, bool inner) const {
  constexpr std::uintptr_t page = 4096;
  const auto start = reinterpret_cast<std::uintptr_t>(bytes.data());
  const std::uintptr_t from = (start + (inner ? page - 1 : 0)) / page * page;
  const std::uintptr_t to = (start + bytes.size() + (inner ? 0 : page - 1)) / page * page;
  for (const auto& [low, high] : m_ranges) {
    if (from >= low && to <= high && from < to) return {reinterpret_cast<std::byte*>(from), to - from};
  }
  return {};
}

void MappedRanges::release(std::span<const std::byte> bytes) const {
  const std::span<std::byte> pages = pagesOf(bytes, true);
  if (!pages.empty()) ::madvise(pages.data(), pages.size(), MADV_DONTNEED);
}

void MappedRanges::bringIn(std::span<const std::byte> bytes) const {
#ifdef MADV_POPULATE_READ
  const std::span<std::byte> pages = pagesOf(bytes, false);
  if (!pages.empty()) ::madvise(pages.data(), pages.size(), MADV_POPULATE_READ);
#else
  (void)bytes;
#endif
}

}  // namespace minerva::cpu
