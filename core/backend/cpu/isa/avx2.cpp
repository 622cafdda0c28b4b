#define MINERVA_ISA avx2
#define MINERVA_LANES 8
#include "core/backend/cpu/kernels/table.h"

namespace minerva::cpu {

constinit const Kernels avx2Table = avx2::makeTable("avx2", "AVX2");

}  // namespace minerva::cpu
