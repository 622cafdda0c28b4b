// What a container or a service manager allows this process of the machine's processors and memory: Linux control groups, versions 1 and 2.
#pragma once

#include <cstdint>
#include <filesystem>

namespace minerva {

struct CgroupLimits {
  double cpus = 0;               // of processor time, in whole processors; 0: no limit
  std::uint64_t memory = 0;      // bytes; 0: no limit
  std::uint64_t memoryLeft = 0;  // of these, what may still be used; cached files do not count as used, since they give way

  // The least of these and what the machine has.
  [[nodiscard]] int cpusOf(int machine) const;
  [[nodiscard]] std::uint64_t totalOf(std::uint64_t machine) const;
  [[nodiscard]] std::uint64_t leftOf(std::uint64_t machine) const;
};

// The tightest limits of the groups that `self` names and of all groups around them. Where there are no such groups or files: no limits.
[[nodiscard]] CgroupLimits cgroupLimits(const std::filesystem::path& self = "/proc/self/cgroup",
                                        const std::filesystem::path& root = "/sys/fs/cgroup");

}  // namespace minerva
