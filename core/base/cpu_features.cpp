#include "core/base/cpu_features.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <sys/syscall.h>
#include <unistd.h>

namespace minerva {

namespace {

bool bit(std::uint32_t value, int index) { return (value >> index & 1u) != 0; }

std::string vendorOf(const CpuidAnswers& answers) {
  const CpuidRegisters r = answers.leaf(0);
  std::array<char, 12> text{};
  std::memcpy(text.data(), &r.b, 4);
  std::memcpy(text.data() + 4, &r.d, 4);
  std::memcpy(text.data() + 8, &r.c, 4);
  return {text.begin(), text.end()};
}

std::string brandOf(const CpuidAnswers& answers) {
  if (answers.leaves.empty()) return {};
  std::array<char, 49> text{};
  for (std::uint32_t i = 0; i < 3; ++i) {
    const CpuidRegisters r = answers.leaf(0x80000002u + i);
    std::memcpy(text.data() + 16 * i, &r, sizeof r);
  }
  std::string brand(text.data());
  if (brand.empty()) return "unknown processor";
  brand.erase(0, brand.find_first_not_of(' '));
  brand.erase(brand.find_last_not_of(' ') + 1);
  return brand;
}

}  // namespace

CpuFeatures featuresOf(const CpuidAnswers& answers) {
  constexpr std::uint64_t ymmState = 0x6, zmmState = 0xe6, tileState = 0x60000;
  const std::uint64_t saved = answers.saved;
  const CpuidRegisters one = answers.leaf(1), seven = answers.leaf(7), sevenOne = answers.leaf(7, 1), extended = answers.leaf(0x80000001u);
  CpuFeatures f;
  f.brand = brandOf(answers);
  f.signature = one.a;
  f.virtualMachine = bit(one.c, 31);
  f.v2 = bit(one.c, 0) && bit(one.c, 9) && bit(one.c, 13) && bit(one.c, 19) && bit(one.c, 20) && bit(one.c, 23);
  const bool bits = bit(seven.b, 3) && bit(seven.b, 8) && bit(one.c, 22) && bit(extended.c, 5);  // BMI1, BMI2, MOVBE, LZCNT
  f.avx2 = f.v2 && bits && (saved & ymmState) == ymmState && bit(one.c, 28) && bit(one.c, 12) && bit(one.c, 29) && bit(seven.b, 5);
  f.avxVnni = f.avx2 && bit(sevenOne.a, 4);
  f.avx512 = f.avx2 && (saved & zmmState) == zmmState && bit(seven.b, 16) && bit(seven.b, 17) && bit(seven.b, 28) && bit(seven.b, 30) &&
             bit(seven.b, 31) && bit(seven.c, 11);
  f.avx512Bf16 = f.avx512 && bit(sevenOne.a, 5);
  f.fastBf16 = f.avx512Bf16 && vendorOf(answers) == "AuthenticAMD";
  f.amx = f.avx512Bf16 && (saved & tileState) == tileState && bit(seven.d, 24) && bit(seven.d, 22);
  return f;
}

const CpuFeatures& cpuFeatures() {
  static const CpuFeatures features = featuresOf(cpuidAnswers());
  return features;
}

bool requestTiles() {
#if defined(__x86_64__)
  constexpr int requestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr int tileData = 18;               // XFEATURE_XTILEDATA
  static const bool granted = cpuFeatures().amx && ::syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
  return granted;
#else
  return false;
#endif
}

}  // namespace minerva
