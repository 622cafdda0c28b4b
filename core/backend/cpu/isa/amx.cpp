// Compiles only the kernels that use AMX tiles; the rest of this table is copied from AVX-512.
#define MINERVA_ISA amx
#define MINERVA_LANES 16
#include "core/backend/cpu/kernels/tiles.h"

namespace minerva::cpu {

const Kernels& amxKernels() {
  static const MatrixUnit unit = amx::makeMatrixUnit();
  static const Kernels table = amx::avx512With(unit, "amx", "AMX bf16, AVX-512 VNNI");
  return table;
}

}  // namespace minerva::cpu
