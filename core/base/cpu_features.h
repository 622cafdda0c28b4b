// What this processor and this operating system let us run, asked once with CPUID and XGETBV.
// A flag is set only when the instructions exist and the system saves their registers. Thread-safe.
#pragma once

#include <string>

namespace minerva {

struct CpuFeatures {
  bool avx2 = false;     // AVX2 with FMA and F16C
  bool avxVnni = false;  // all of avx2, and its byte products
  bool avx512 = false;   // AVX-512 F, BW, DQ, VL with VNNI
  bool amx = false;      // all of avx512, AVX-512 BF16, and AMX tiles with bf16; see requestTiles()
  std::string brand;     // "Intel(R) Xeon(R) Processor"
};

[[nodiscard]] const CpuFeatures& cpuFeatures();

// Asks Linux for the tile registers (they are off until a process asks). Must be called before the threads that use them
// start. False: not granted, do not touch a tile.
[[nodiscard]] bool requestTiles();

// Cores this process may run on, counting two hyperthreads of a core once. At least 1.
[[nodiscard]] int physicalCores();

}  // namespace minerva
