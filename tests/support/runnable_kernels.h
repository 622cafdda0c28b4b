// The kernels of every instruction set that this processor supports.
#pragma once

#include "core/backend/cpu/kernels.h"
#include "core/base/cpu_features.h"

#include <vector>

namespace minerva::tests {

inline std::vector<const cpu::Kernels*> runnableKernels() {
  std::vector<const cpu::Kernels*> all{&cpu::baselineKernels()};
  if (cpuFeatures().avx2) all.push_back(&cpu::avx2Kernels());
  if (cpuFeatures().avxVnni) all.push_back(&cpu::avxVnniKernels());
  if (cpuFeatures().avx512) all.push_back(&cpu::avx512Kernels());
  if (cpuFeatures().avx512Bf16) all.push_back(&cpu::avx512Bf16Kernels());
  if (requestTiles()) all.push_back(&cpu::amxKernels());
  return all;
}

}  // namespace minerva::tests
