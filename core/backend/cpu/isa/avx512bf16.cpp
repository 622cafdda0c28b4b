// AVX-512 with products of bf16 pairs (AMD since Zen 4, some Intel processors). Prompts are multiplied in bf16, as by the matrix unit.
#define MINERVA_ISA avx512bf16
#define MINERVA_LANES 16
#include "core/backend/cpu/kernels/bf16_products.h"

namespace minerva::cpu {

constinit const MatrixUnit bf16Pairs = avx512bf16::makeMatrixUnit();

}  // namespace minerva::cpu
