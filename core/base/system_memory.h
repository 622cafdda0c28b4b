// The machine's memory as far as this process may use it: what the system says, within the limits of its control group.
#pragma once

#include <cstdint>

namespace minerva {

struct SystemMemory {
  std::uint64_t total = 0;      // bytes; 0: not known
  std::uint64_t available = 0;  // of these, what can still be used without swapping
};

[[nodiscard]] SystemMemory systemMemory();

}  // namespace minerva
