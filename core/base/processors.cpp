#include "core/base/processors.h"

#include "core/base/cgroup_limits.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <sched.h>
#include <sstream>
#include <string>

namespace minerva {

namespace {

namespace fs = std::filesystem;

fs::path folderOf(const fs::path& root, int cpu) { return root / ("cpu" + std::to_string(cpu)); }

std::string firstLine(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

// Of a cache, whose size is told as "32768K"; 0 if it is not told.
std::uint64_t bytesOf(const fs::path& cache) {
  std::uint64_t kilobytes = 0;
  std::ifstream(cache / "size") >> kilobytes;
  return kilobytes * 1024;
}

// "0-3,8": whether one of these is in the list.
bool listsOne(const std::string& list, std::span<const int> cpus) {
  std::istringstream ranges(list);
  for (std::string range; std::getline(ranges, range, ',');) {
    int first = 0, last = 0;
    const int found = std::sscanf(range.c_str(), "%d-%d", &first, &last);
    if (found == 1) last = first;
    if (found >= 1 && std::ranges::any_of(cpus, [&](int cpu) { return first <= cpu && cpu <= last; })) return true;
  }
  return false;
}

}  // namespace

// The call fails for a set that is too small for the machine.
std::vector<int> allowedCpus() {
  constexpr int most = 1 << 20;
  std::vector<int> cpus;
  for (int size = CPU_SETSIZE; size <= most; size *= 2) {
    std::vector<cpu_set_t> set(static_cast<std::size_t>(size / CPU_SETSIZE));
    const std::size_t bytes = set.size() * sizeof(cpu_set_t);
    if (::sched_getaffinity(0, bytes, set.data()) != 0) continue;
    for (int cpu = 0; cpu < size; ++cpu) {
      if (CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes, set.data())) cpus.push_back(cpu);
    }
    break;
  }
  return cpus;
}

int coresOf(std::span<const int> cpus, const fs::path& root) {
  constexpr double usual = 1024, leastShare = 0.4;
  std::map<std::string, double> capacities;  // by core
  for (const int cpu : cpus) {
    const fs::path folder = folderOf(root, cpu);
    const std::string siblings = firstLine(folder / "topology" / "thread_siblings_list");
    double capacity = usual;  // where it is not told, all are alike
    std::ifstream(folder / "cpu_capacity") >> capacity;
    capacities[siblings.empty() ? std::to_string(cpu) : siblings] = capacity > 0 ? capacity : usual;
  }
  double best = 0;
  for (const auto& [core, capacity] : capacities) best = std::max(best, capacity);
  const auto count = std::ranges::count_if(capacities, [&](const auto& core) { return core.second >= leastShare * best; });
  return std::max(1, static_cast<int>(count));
}

int physicalCores() { return cgroupLimits().cpusOf(coresOf(allowedCpus())); }

std::uint64_t firstCacheBytes(std::span<const int> cpus, const fs::path& root) {
  std::uint64_t least = 0;
  for (const int cpu : cpus) {
    const std::uint64_t bytes = bytesOf(folderOf(root, cpu) / "cache" / "index0");
    least = least > 0 && bytes > 0 ? std::min(least, bytes) : std::max(least, bytes);
  }
  return least;
}

std::uint64_t lastCacheBytes(std::span<const int> cpus, const fs::path& root) {
  std::map<std::string, std::uint64_t> caches;  // by the processors that share one
  for (const int cpu : cpus) {
    const fs::path folder = folderOf(root, cpu) / "cache" / "index3";
    if (const std::uint64_t bytes = bytesOf(folder); bytes > 0) caches[firstLine(folder / "shared_cpu_list")] = bytes;
  }
  std::uint64_t sum = 0;
  for (const auto& [sharing, bytes] : caches) sum += bytes;
  return sum;
}

int memoryNodes(std::span<const int> cpus, const fs::path& root) {
  std::error_code ignored;
  int nodes = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(root, ignored))
    if (listsOne(firstLine(entry.path() / "cpulist"), cpus)) ++nodes;
  return std::max(1, nodes);
}

}  // namespace minerva
