#include "core/base/system_memory.h"

#include "core/base/cgroup_limits.h"

#include <algorithm>
#include <fstream>
#include <string>

namespace minerva {

SystemMemory machineMemory(const std::filesystem::path& proc) {
  constexpr int never = 2;  // more is promised than there is
  SystemMemory memory;
  std::uint64_t limit = 0, promised = 0;
  std::ifstream file(proc / "meminfo");
  std::string key, rest;
  for (std::uint64_t kilobytes = 0; file >> key >> kilobytes; std::getline(file, rest)) {  // not every number has a unit
    if (key == "MemTotal:") memory.total = kilobytes * 1024;
    if (key == "MemAvailable:") memory.available = kilobytes * 1024;
    if (key == "CommitLimit:") limit = kilobytes * 1024;
    if (key == "Committed_AS:") promised = kilobytes * 1024;
  }
  int overcommit = 0;
  std::ifstream(proc / "sys" / "vm" / "overcommit_memory") >> overcommit;
  if (overcommit == never && limit > 0) memory.available = std::min(memory.available, limit - std::min(limit, promised));
  return memory;
}

SystemMemory systemMemory() {
  const SystemMemory memory = machineMemory();
  const CgroupLimits limits = cgroupLimits();
  return {limits.totalOf(memory.total), limits.leftOf(memory.available)};
}

}  // namespace minerva
