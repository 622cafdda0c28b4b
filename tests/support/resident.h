// Resident memory of this process according to the kernel: its own pages, pages of mapped files, and address space.
#pragma once

#include <cstdint>

namespace minerva::tests {

struct ResidentBytes {
  std::int64_t own = 0;    // heap, anonymous mappings, memory shared with drivers
  std::int64_t files = 0;  // pages of mapped files, which the system may drop
  // Allocated, touched or not, privately or shared (newer Mesa's): for a driver that runs on the CPU this includes device memory.
  std::int64_t data = 0;
};
// First returns free heap memory to the system. The first call makes malloc use mmap for large blocks, so that freeing them
// is visible in the counts.
[[nodiscard]] ResidentBytes residentBytes();

}  // namespace minerva::tests
