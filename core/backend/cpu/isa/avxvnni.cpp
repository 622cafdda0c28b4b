// AVX2 with VNNI byte products, for current desktop and laptop processors without AVX-512. Only the kernels that multiply
// integer codes differ from AVX2.
#define MINERVA_ISA avxvnni
#define MINERVA_LANES 8
#include "core/backend/cpu/kernels/table.h"

namespace minerva::cpu {

constinit const Kernels avxVnniProducts = avxvnni::makeProducts();

}  // namespace minerva::cpu
