// The kernels that use AMX tiles; all others are those of AVX-512.
#define MINERVA_ISA amx
#define MINERVA_LANES 16
#include "core/backend/cpu/kernels/tiles.h"

namespace minerva::cpu {

constinit const MatrixUnit amxTiles = amx::makeMatrixUnit();

}  // namespace minerva::cpu
