// What this process has in memory, as the kernel counts it: pages of its own, pages of mapped files, and address space.
#pragma once

#include <cstdint>

namespace minerva::tests {

struct ResidentBytes {
  std::int64_t own = 0;    // heap, anonymous mappings, memory shared with drivers
  std::int64_t files = 0;  // pages of mapped files, which the system may drop
  std::int64_t data = 0;   // allocated, whether touched or not: what a driver that runs on the processor holds for a device
};
// Memory that is free but kept by the allocator is given back first. From the first call on large blocks are mappings of
// their own, so that both counts follow them.
[[nodiscard]] ResidentBytes residentBytes();

}  // namespace minerva::tests
