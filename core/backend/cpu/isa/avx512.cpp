#define MINERVA_ISA avx512
#define MINERVA_LANES 16
#include "core/backend/cpu/kernels/table.h"

namespace minerva::cpu {

const Kernels& avx512Kernels() {
  static const Kernels table = avx512::makeTable("avx512", "AVX-512 VNNI");
  return table;
}

}  // namespace minerva::cpu
