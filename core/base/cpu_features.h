// Instruction sets usable on this processor and operating system, detected once with CPUID and XGETBV.
// A flag is set only if the processor has the instructions and the OS saves their registers. Thread-safe.
#pragma once

#include "core/base/cpuid.h"

#include <cstdint>
#include <string>

namespace minerva {

struct CpuFeatures {
  bool v2 = false;              // SSE4.2, SSSE3 and POPCNT: x86-64-v2, what nearly all since 2009 have
  bool avx2 = false;            // all of x86-64-v3: v2, AVX2, FMA, F16C, BMI1 and 2, MOVBE, LZCNT
  bool avxVnni = false;         // all of avx2, and its byte products
  bool avx512 = false;          // AVX-512 F, BW, CD, DQ, VL with VNNI
  bool avx512Bf16 = false;      // all of avx512, and its products of bf16 pairs
  bool fastBf16 = false;        // these at the rate of byte products: AMD's do; Intel's run at a quarter of it (measured on model 207)
  bool amx = false;             // all of avx512Bf16, and AMX tiles with bf16; see requestTiles()
  bool virtualMachine = false;  // which may hide what its processor has
  std::string brand;            // "Intel(R) Xeon(R) Processor"; empty outside x86
  std::uint32_t signature = 0;  // family, model and stepping as CPUID tells them: a virtual machine's brand may be "AMD EPYC" and no more
};

[[nodiscard]] CpuFeatures featuresOf(const CpuidAnswers& answers);
[[nodiscard]] const CpuFeatures& cpuFeatures();  // of this processor

// Requests permission to use AMX tile registers from Linux. Call before starting the threads that use them. False if it was
// not granted; then tile instructions must not be used.
[[nodiscard]] bool requestTiles();

}  // namespace minerva
