#include "core/base/cpuid.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace minerva {

#if defined(__x86_64__)

namespace {

constexpr std::uint32_t brandLeaf = 0x80000002U;

std::uint64_t savedRegisters() {
  std::uint32_t low = 0, high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return std::uint64_t{high} << 32 | low;
}

}  // namespace

CpuidAnswers cpuidAnswers() {
  CpuidAnswers answers;
  const std::pair<std::uint32_t, std::uint32_t> asked[] = {
      {0, 0}, {1, 0}, {7, 0}, {7, 1}, {0x80000001U, 0}, {brandLeaf, 0}, {brandLeaf + 1, 0}, {brandLeaf + 2, 0}};
  for (const auto& [leaf, subleaf] : asked) {
    CpuidRegisters r;
    if (__get_cpuid_count(leaf, subleaf, &r.a, &r.b, &r.c, &r.d) != 0) answers.leaves[{leaf, subleaf}] = r;
  }
  constexpr std::uint32_t osxsave = 1U << 27;  // without it, asking is an illegal instruction
  if ((answers.leaf(1).c & osxsave) != 0) answers.saved = savedRegisters();
  return answers;
}

#else

CpuidAnswers cpuidAnswers() { return {}; }

#endif

}  // namespace minerva
