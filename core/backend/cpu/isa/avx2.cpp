#define MINERVA_ISA avx2
#define MINERVA_LANES 8
#include "core/backend/cpu/kernels/table.h"

namespace minerva::cpu {

const Kernels& avx2Kernels() {
  static const Kernels table = avx2::makeTable("avx2", "AVX2");
  return table;
}

}  // namespace minerva::cpu
