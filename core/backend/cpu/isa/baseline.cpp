#define MINERVA_ISA baseline
#define MINERVA_LANES 4
#include "core/backend/cpu/kernels/table.h"

namespace minerva::cpu {

constinit const Kernels baselineTable = baseline::makeTable("baseline", "x86-64-v2");

}  // namespace minerva::cpu
