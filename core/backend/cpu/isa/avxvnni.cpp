// AVX2 with VNNI byte products, for current desktop and laptop processors without AVX-512. Only the kernels that multiply
// integer codes differ from AVX2; all others are copied from its table.
#define MINERVA_ISA avxvnni
#define MINERVA_LANES 8
#include "core/backend/cpu/kernels/table.h"

namespace minerva::cpu {

const Kernels& avxVnniKernels() {
  static const Kernels table = [] {
    Kernels all = avx2Kernels();
    all.name = "avxvnni";
    all.detail = "AVX2 VNNI";
    avxvnni::putProducts(all);
    return all;
  }();
  return table;
}

}  // namespace minerva::cpu
