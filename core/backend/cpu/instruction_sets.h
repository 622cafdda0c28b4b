// The instruction sets that the kernels are compiled for.
#pragma once

#include "core/backend/cpu/kernels.h"
#include "core/base/cpu_features.h"
#include "core/base/error.h"

#include <span>
#include <string>

namespace minerva::cpu {

struct InstructionSet {
  const Kernels& (*kernels)();  // may be read on any processor
  bool (*runsHere)();
  bool (*isFast)();  // else only used where it is asked for
};

// Best first. None runs on a processor older than x86-64-v2.
[[nodiscard]] std::span<const InstructionSet> instructionSets();

// Why none runs on such a processor.
[[nodiscard]] Error noInstructionSet(const CpuFeatures& features);
// What a device says of these kernels: their detail, and what slows them down if a virtual machine hides instructions.
[[nodiscard]] std::string detailOf(const Kernels& kernels, const CpuFeatures& features);

}  // namespace minerva::cpu
