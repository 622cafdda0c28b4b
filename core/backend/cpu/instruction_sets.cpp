#include "core/backend/cpu/instruction_sets.h"

#include <array>

namespace minerva::cpu {

namespace {

// AVX2 with other products of integer codes, for which there is always a kernel for words.
Kernels avx2With(const Kernels& products, const char* name, const char* detail) {
  Kernels table = avx2Table;
  table.name = name;
  table.detail = detail;
  for (int how = 0; how < roundings; ++how) {
    table.quantize[how] = products.quantize[how];
    for (WeightLayout layout = 0; layout < layoutCount; ++layout) {
      if (products.dot[static_cast<int>(Rounding::words)][layout] != nullptr) table.dot[how][layout] = products.dot[how][layout];
    }
  }
  return table;
}

// AVX-512 with a unit for its matrix products.
Kernels avx512With(const MatrixUnit& unit, const char* name, const char* detail) {
  Kernels table = avx512Table;
  table.name = name;
  table.detail = detail;
  table.matrix = &unit;
  return table;
}

const Kernels& baselineKernels() { return baselineTable; }
const Kernels& avx2Kernels() { return avx2Table; }
const Kernels& avxVnniKernels() {
  static const Kernels table = avx2With(avxVnniProducts, "avxvnni", "AVX2 VNNI");
  return table;
}
const Kernels& avx512Kernels() { return avx512Table; }
const Kernels& avx512Bf16Kernels() {
  static const Kernels table = avx512With(bf16Pairs, "avx512bf16", "AVX-512 BF16, VNNI");
  return table;
}
const Kernels& amxKernels() {
  static const Kernels table = avx512With(amxTiles, "amx", "AMX bf16, AVX-512 VNNI");
  return table;
}

bool always() { return true; }

#ifdef MINERVA_EMULATED_UNITS  // by test programs alone (tests/support/emulated), where the processor lacks them
bool hasTiles() { return cpuFeatures().avx512Bf16 && !requestTiles(); }
bool hasByteProducts() { return cpuFeatures().avx2 && !cpuFeatures().avxVnni; }
#else
bool hasTiles() { return requestTiles(); }
bool hasByteProducts() { return cpuFeatures().avxVnni; }
#endif

constexpr std::array<InstructionSet, 6> sets{{
    {amxKernels, hasTiles, always},
    {avx512Bf16Kernels, [] { return cpuFeatures().avx512Bf16; }, [] { return cpuFeatures().fastBf16; }},
    {avx512Kernels, [] { return cpuFeatures().avx512; }, always},
    {avxVnniKernels, hasByteProducts, always},
    {avx2Kernels, [] { return cpuFeatures().avx2; }, always},
    {baselineKernels, [] { return cpuFeatures().v2; }, always},
}};

}  // namespace

std::span<const InstructionSet> instructionSets() { return sets; }

Error noInstructionSet(const CpuFeatures& features) {
  Error error{.kind = ErrorKind::unsupported,
              .what = "This processor is too old to run models",
              .expected = "SSE4.2, SSSE3 and POPCNT (Intel since 2009, AMD since 2011)",
              .actual = features.brand,
              .hint = "A graphics card with Vulkan can run them."};
  if (features.virtualMachine) {
    error.what = "The virtual machine hides instructions of its processor without which models cannot run";
    error.hint = "Set the processor type of the virtual machine to \"host\".";
  }
  return error;
}

std::string detailOf(const Kernels& kernels, const CpuFeatures& features) {
  const bool hidden = &kernels == &baselineTable && features.virtualMachine && !features.avx2;
  return std::string(kernels.detail) +
         (hidden ? ", slow without AVX2, which the virtual machine may hide (its processor type \"host\" would not)" : "");
}

}  // namespace minerva::cpu
