#define MINERVA_ISA avx512
#define MINERVA_LANES 16
#include "core/backend/cpu/kernels/table.h"

namespace minerva::cpu {

constinit const Kernels avx512Table = avx512::makeTable("avx512", "AVX-512 VNNI");

}  // namespace minerva::cpu
