// AVX2 with VNNI byte products, for current desktop and laptop processors without AVX-512. Only the kernels that multiply
// integer codes differ from AVX2; all others are copied from its table.
#define MINERVA_ISA avxvnni
#define MINERVA_LANES 8
#include "core/backend/cpu/kernels/table.h"

namespace minerva::cpu {

const Kernels& avxVnniKernels() {
  static const Kernels table = [] {
    Kernels all = avx2Kernels();
    all.name = "avxvnni";
    all.detail = "AVX2 VNNI";
    avxvnni::visitLayouts([&]<class Format>(WeightLayout layout) {
      if constexpr (avxvnni::multipliesCodes<Format>) all.dot[layout] = avxvnni::dot<Format>;
      all.dotBytes[layout] = avxvnni::bytesFunction<Format>();
    });
    all.quantize = avxvnni::quantize;
    all.quantizeBytes = avxvnni::quantizeBytes;
    return all;
  }();
  return table;
}

}  // namespace minerva::cpu
