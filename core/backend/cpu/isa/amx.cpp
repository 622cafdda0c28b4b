// Compiles only the kernels that use AMX tiles; the rest of this table is copied from AVX-512.
#define MINERVA_ISA amx
#define MINERVA_LANES 16
#include "core/backend/cpu/kernels/tiles.h"

namespace minerva::cpu {

const Kernels& amxKernels() {
  static const MatrixUnit unit = amx::makeMatrixUnit();
  static const Kernels table = [] {
    Kernels all = avx512Kernels();
    all.name = "amx";
    all.detail = "AMX bf16, AVX-512 VNNI";
    all.matrix = &unit;
    return all;
  }();
  return table;
}

}  // namespace minerva::cpu
