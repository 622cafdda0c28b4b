#include "core/base/cgroup_limits.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

namespace minerva {

namespace {

namespace fs = std::filesystem;

// The number in a file that may say "max" instead; nullopt for that, and if there is no such file.
std::optional<std::uint64_t> numberIn(const fs::path& file) {
  std::ifstream in(file);
  std::uint64_t number = 0;
  return in >> number ? std::optional(number) : std::nullopt;
}

std::uint64_t cachedFiles(const fs::path& group, std::string_view inactive, std::string_view active) {
  std::ifstream in(group / "memory.stat");
  std::string name;
  std::uint64_t bytes = 0, sum = 0;
  while (in >> name >> bytes) {
    if (name == inactive || name == active) sum += bytes;
  }
  return sum;
}

// Microseconds of processor time in each period; a quota below 0 is none.
void tightenCpus(double quota, double period, CgroupLimits& limits) {
  if (quota <= 0 || period <= 0) return;
  limits.cpus = limits.cpus > 0 ? std::min(limits.cpus, quota / period) : quota / period;
}

void tightenMemory(std::optional<std::uint64_t> most, std::optional<std::uint64_t> used, std::uint64_t cached, CgroupLimits& limits) {
  if (!most || !used) return;
  const std::uint64_t kept = *used - std::min(*used, cached), left = *most - std::min(*most, kept);
  limits.memoryLeft = limits.memory > 0 ? std::min(limits.memoryLeft, left) : left;
  limits.memory = limits.memory > 0 ? std::min(limits.memory, *most) : *most;
}

void tighten(const fs::path& group, CgroupLimits& limits) {
  double quota = 0, period = 0;
  if (std::ifstream in(group / "cpu.max"); in >> quota >> period) tightenCpus(quota, period, limits);
  std::optional<std::uint64_t> most = numberIn(group / "memory.max");
  if (const auto high = numberIn(group / "memory.high")) most = std::min(most.value_or(*high), *high);  // beyond it, a group is slowed down
  tightenMemory(most, numberIn(group / "memory.current"), cachedFiles(group, "inactive_file", "active_file"), limits);
}

void tightenFirstCpus(const fs::path& group, CgroupLimits& limits) {
  double quota = 0, period = 0;
  std::ifstream(group / "cpu.cfs_quota_us") >> quota;
  std::ifstream(group / "cpu.cfs_period_us") >> period;
  tightenCpus(quota, period, limits);
}

void tightenFirstMemory(const fs::path& group, CgroupLimits& limits) {
  constexpr std::uint64_t none = std::uint64_t{1} << 62;  // a group without a limit has the largest number of whole pages
  std::optional<std::uint64_t> most = numberIn(group / "memory.limit_in_bytes");
  if (most >= none) most.reset();
  tightenMemory(most, numberIn(group / "memory.usage_in_bytes"), cachedFiles(group, "total_inactive_file", "total_active_file"), limits);
}

// This group of a hierarchy and all groups around it. In a container the path may be the host's, where there are no such files; there its
// own group is the root.
template <class Tighten>
void tightenAll(const fs::path& mount, std::string_view path, CgroupLimits& limits, Tighten tightenOne) {
  for (fs::path below = fs::path(path).relative_path(); !below.empty(); below = below.parent_path()) tightenOne(mount / below, limits);
  tightenOne(mount, limits);
}

// Where a hierarchy of version 1 is: its folder has the names of its controllers, in an order that may be another than in `named`, and each
// controller by itself is a link to it.
fs::path mountOf(const fs::path& root, std::string_view named, std::string_view controller) {
  const auto isFolder = [](const fs::path& folder) {
    std::error_code ignored;
    return fs::is_directory(folder, ignored);
  };
  if (isFolder(root / named)) return root / named;
  const std::size_t comma = named.find(',');
  if (comma == std::string_view::npos || isFolder(root / controller)) return root / controller;
  return root / (std::string(named.substr(comma + 1)) + ',' + std::string(named.substr(0, comma)));
}

bool lists(std::string_view controllers, std::string_view wanted) {
  return std::ranges::any_of(std::views::split(controllers, ','), [&](const auto& one) { return std::ranges::equal(one, wanted); });
}

}  // namespace

// Threads that share less than a whole processor would wait for each other, so a part of one does not count.
int CgroupLimits::cpusOf(int machine) const { return cpus > 0 ? std::clamp(static_cast<int>(std::min(cpus, 1e6)), 1, machine) : machine; }
std::uint64_t CgroupLimits::totalOf(std::uint64_t machine) const { return memory > 0 ? std::min(memory, machine) : machine; }
std::uint64_t CgroupLimits::leftOf(std::uint64_t machine) const { return memory > 0 ? std::min(memoryLeft, machine) : machine; }

// A line is "number:controllers:path"; version 2 has a single hierarchy, which names no controllers. Where both are mounted, each
// controller belongs to one of them.
CgroupLimits cgroupLimits(const fs::path& self, const fs::path& root) {
  CgroupLimits limits;
  std::ifstream in(self);
  for (std::string text; std::getline(in, text);) {
    const std::string_view line = text;
    const std::size_t first = line.find(':'), second = first == line.npos ? first : line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1), path = line.substr(second + 1);
    if (controllers.empty()) tightenAll(root, path, limits, tighten);
    if (lists(controllers, "cpu")) tightenAll(mountOf(root, controllers, "cpu"), path, limits, tightenFirstCpus);
    if (lists(controllers, "memory")) tightenAll(mountOf(root, controllers, "memory"), path, limits, tightenFirstMemory);
  }
  return limits;
}

}  // namespace minerva
