#include "core/base/cpu_features.h"

#include "core/base/cgroup_limits.h"

#include <algorithm>
#include <array>
#include <cpuid.h>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <sched.h>
#include <set>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace minerva {

namespace {

struct Registers {
  std::uint32_t a = 0, b = 0, c = 0, d = 0;
};

Registers cpuid(std::uint32_t leaf, std::uint32_t subleaf = 0) {
  Registers r;
  if (__get_cpuid_count(leaf, subleaf, &r.a, &r.b, &r.c, &r.d) == 0) return {};
  return r;
}

bool bit(std::uint32_t value, int index) { return (value >> index & 1u) != 0; }

// Which register sets the operating system saves (XCR0).
std::uint64_t savedState() {
  if (!bit(cpuid(1).c, 27)) return 0;  // no OSXSAVE
  std::uint32_t low = 0, high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return std::uint64_t{high} << 32 | low;
}

std::string vendor() {
  const Registers r = cpuid(0);
  std::array<char, 12> text{};
  std::memcpy(text.data(), &r.b, 4);
  std::memcpy(text.data() + 4, &r.d, 4);
  std::memcpy(text.data() + 8, &r.c, 4);
  return {text.begin(), text.end()};
}

std::string brandString() {
  std::array<char, 49> text{};
  if (__get_cpuid_max(0x80000000u, nullptr) < 0x80000004u) return "unknown processor";
  for (std::uint32_t i = 0; i < 3; ++i) {
    const Registers r = cpuid(0x80000002u + i);
    std::memcpy(text.data() + 16 * i, &r, sizeof r);
  }
  std::string brand(text.data());
  brand.erase(0, brand.find_first_not_of(' '));
  brand.erase(brand.find_last_not_of(' ') + 1);
  return brand;
}

CpuFeatures detect() {
  constexpr std::uint64_t ymmState = 0x6, zmmState = 0xe6, tileState = 0x60000;
  const std::uint64_t saved = savedState();
  const Registers one = cpuid(1), seven = cpuid(7), sevenOne = cpuid(7, 1), extended = cpuid(0x80000001u);
  CpuFeatures f;
  f.brand = brandString();
  f.signature = one.a;
  f.v2 = bit(one.c, 0) && bit(one.c, 9) && bit(one.c, 13) && bit(one.c, 19) && bit(one.c, 20) && bit(one.c, 23);
  const bool bits = bit(seven.b, 3) && bit(seven.b, 8) && bit(one.c, 22) && bit(extended.c, 5);  // BMI1, BMI2, MOVBE, LZCNT
  f.avx2 = f.v2 && bits && (saved & ymmState) == ymmState && bit(one.c, 28) && bit(one.c, 12) && bit(one.c, 29) && bit(seven.b, 5);
  f.avxVnni = f.avx2 && bit(sevenOne.a, 4);
  f.avx512 = f.avx2 && (saved & zmmState) == zmmState && bit(seven.b, 16) && bit(seven.b, 17) && bit(seven.b, 28) && bit(seven.b, 30) &&
             bit(seven.b, 31) && bit(seven.c, 11);
  f.avx512Bf16 = f.avx512 && bit(sevenOne.a, 5);
  f.fastBf16 = f.avx512Bf16 && vendor() == "AuthenticAMD";
  f.amx = f.avx512Bf16 && (saved & tileState) == tileState && bit(seven.d, 24) && bit(seven.d, 22);
  return f;
}

}  // namespace

const CpuFeatures& cpuFeatures() {
  static const CpuFeatures features = detect();
  return features;
}

bool requestTiles() {
  constexpr int requestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr int tileData = 18;               // XFEATURE_XTILEDATA
  static const bool granted = cpuFeatures().amx && ::syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
  return granted;
}

namespace {

// Those on which this process may run. The call fails for a set that is too small for the machine.
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

}  // namespace

int physicalCores() {
  const std::vector<int> cpus = allowedCpus();
  std::set<std::string> cores;
  for (const int cpu : cpus) {
    std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list");
    std::string siblings;
    if (std::getline(file, siblings)) cores.insert(siblings);
  }
  const std::size_t count = cores.empty() ? cpus.size() : cores.size();
  return cgroupLimits().cpusOf(std::max(1, static_cast<int>(count)));
}

}  // namespace minerva
