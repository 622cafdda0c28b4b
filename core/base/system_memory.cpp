#include "core/base/system_memory.h"

#include "core/base/cgroup_limits.h"

#include <fstream>
#include <string>

namespace minerva {

SystemMemory systemMemory() {
  SystemMemory memory;
  std::ifstream file("/proc/meminfo");
  std::string key, unit;
  std::uint64_t kilobytes = 0;
  while (file >> key >> kilobytes >> unit) {
    if (key == "MemTotal:") memory.total = kilobytes * 1024;
    if (key == "MemAvailable:") memory.available = kilobytes * 1024;
  }
  const CgroupLimits limits = cgroupLimits();
  return {limits.totalOf(memory.total), limits.leftOf(memory.available)};
}

}  // namespace minerva
