#include "core/base/cgroup_limits.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>

namespace minerva {

namespace {

namespace fs = std::filesystem;

// The number in a file that may say "max" instead; nullopt for that, and if there is no such file.
std::optional<std::uint64_t> numberIn(const fs::path& file) {
  std::ifstream in(file);
  std::uint64_t number = 0;
  return in >> number ? std::optional(number) : std::nullopt;
}

std::uint64_t cachedFiles(const fs::path& group) {
  std::ifstream in(group / "memory.stat");
  std::string name;
  std::uint64_t bytes = 0, sum = 0;
  while (in >> name >> bytes) {
    if (name == "inactive_file" || name == "active_file") sum += bytes;
  }
  return sum;
}

void tighten(const fs::path& group, CgroupLimits& limits) {
  double quota = 0, period = 0;
  if (std::ifstream in(group / "cpu.max"); in >> quota >> period && quota > 0 && period > 0)
    limits.cpus = limits.cpus > 0 ? std::min(limits.cpus, quota / period) : quota / period;
  const auto used = numberIn(group / "memory.current");
  std::optional<std::uint64_t> most = numberIn(group / "memory.max");
  if (const auto high = numberIn(group / "memory.high")) most = std::min(most.value_or(*high), *high);  // beyond it, a group is slowed down
  if (!most || !used) return;
  const std::uint64_t kept = *used - std::min(*used, cachedFiles(group)), left = *most - std::min(*most, kept);
  limits.memoryLeft = limits.memory > 0 ? std::min(limits.memoryLeft, left) : left;
  limits.memory = limits.memory > 0 ? std::min(limits.memory, *most) : *most;
}

}  // namespace

// Threads that share less than a whole processor would wait for each other, so a part of one does not count.
int CgroupLimits::cpusOf(int machine) const { return cpus > 0 ? std::clamp(static_cast<int>(std::min(cpus, 1e6)), 1, machine) : machine; }
std::uint64_t CgroupLimits::totalOf(std::uint64_t machine) const { return memory > 0 ? std::min(memory, machine) : machine; }
std::uint64_t CgroupLimits::leftOf(std::uint64_t machine) const { return memory > 0 ? std::min(memoryLeft, machine) : machine; }

CgroupLimits cgroupLimits(const fs::path& self, const fs::path& root) {
  constexpr std::string_view unified = "0::";
  CgroupLimits limits;
  std::ifstream in(self);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(unified)) continue;
    for (fs::path below = fs::path(line.substr(unified.size())).relative_path(); !below.empty(); below = below.parent_path())
      tighten(root / below, limits);
    tighten(root, limits);  // in a container its own group
  }
  return limits;
}

}  // namespace minerva
