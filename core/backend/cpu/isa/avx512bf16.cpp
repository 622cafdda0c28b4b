// AVX-512 with products of bf16 pairs (AMD since Zen 4, some Intel processors). Prompts are multiplied in bf16, as by the matrix unit;
// the rest of this table is copied from AVX-512.
#define MINERVA_ISA avx512bf16
#define MINERVA_LANES 16
#include "core/backend/cpu/kernels/bf16_products.h"

namespace minerva::cpu {

const Kernels& avx512Bf16Kernels() {
  static const MatrixUnit unit = avx512bf16::makeMatrixUnit();
  static const Kernels table = avx512bf16::avx512With(unit, "avx512bf16", "AVX-512 BF16, VNNI");
  return table;
}

}  // namespace minerva::cpu
