#define MINERVA_ISA baseline
#define MINERVA_LANES 4
#include "core/backend/cpu/kernels/table.h"

namespace minerva::cpu {

const Kernels& baselineKernels() {
  static const Kernels table = baseline::makeTable("baseline", "x86-64-v2");
  return table;
}

}  // namespace minerva::cpu
