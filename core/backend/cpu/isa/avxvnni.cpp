// AVX2 with byte products: what desktops and laptops of today have that lack AVX-512.
#define MINERVA_ISA avxvnni
#define MINERVA_LANES 8
#include "core/backend/cpu/kernels/table.h"

namespace minerva::cpu {

const Kernels& avxVnniKernels() {
  static const Kernels table = avxvnni::makeTable("avxvnni", "AVX2 VNNI");
  return table;
}

}  // namespace minerva::cpu
