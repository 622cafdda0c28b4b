#include "core/backend/cpu/memory.h"

#include "core/base/byte_text.h"
#include "core/base/system_memory.h"

#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace minerva::cpu {

namespace {

constexpr std::size_t hugePage = std::size_t{2} << 20;
const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));

std::size_t roundUp(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

}  // namespace

// Starts at a huge page boundary and ends with the last small page, because a huge page beyond the end would use memory that
// is not accounted for.
Result<HostMemory> HostMemory::create(std::size_t bytes, bool hugePages) {
  if (bytes == 0) return HostMemory();
  const std::size_t size = roundUp(bytes, page);
  const std::size_t reserved = hugePages && size >= hugePage ? size + hugePage : size;
  void* mapped = ::mmap(nullptr, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) {
    const std::uint64_t available = systemMemory().available;
    return fail({.kind = ErrorKind::outOfMemory,
                 .what = available > reserved ? "The system refused memory that is free: it has a limit for this process"
                                              : "The system could not allocate memory",
                 .expected = readable(size),
                 .actual = readable(available) + " available"});
  }
  auto* data = static_cast<std::byte*>(mapped);
  if (reserved > size) {
    const std::size_t before = (hugePage - reinterpret_cast<std::uintptr_t>(data) % hugePage) % hugePage;
    if (before > 0) ::munmap(data, before);
    data += before;
    if (before < hugePage) ::munmap(data + size, hugePage - before);
    ::madvise(data, size, MADV_HUGEPAGE);
  }
  return HostMemory(data, bytes);
}

HostMemory::~HostMemory() {
  if (m_data != nullptr) ::munmap(m_data, roundUp(m_size, page));
}

}  // namespace minerva::cpu
