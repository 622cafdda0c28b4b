// The machine's memory as far as this process may use it: what the system says, within the limits of its control group.
#pragma once

#include <cstdint>
#include <filesystem>

namespace minerva {

struct SystemMemory {
  std::uint64_t total = 0;      // bytes; 0: not known
  std::uint64_t available = 0;  // of these, what can still be used without swapping
};

// The machine's, from the files in this folder. Where the system promises no more memory than it has (vm.overcommit_memory is 2), what it
// has not promised yet is available and no more: it refuses the rest, however much is free.
[[nodiscard]] SystemMemory machineMemory(const std::filesystem::path& proc = "/proc");

[[nodiscard]] SystemMemory systemMemory();

}  // namespace minerva
