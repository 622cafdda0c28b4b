#include "core/backend/cpu/kernels.h"

namespace minerva::cpu {

const Kernels& amxKernels() {
  static const Kernels table = [] {
    Kernels all = avx512Kernels();
    all.name = "amx";
    all.detail = "AMX bf16, AVX-512 VNNI";
    return all;
  }();
  return table;
}

}  // namespace minerva::cpu
