// The instruction sets that the kernels are compiled for.
#pragma once

#include "core/backend/cpu/kernels.h"

#include <span>

namespace minerva::cpu {

struct InstructionSet {
  const Kernels& (*kernels)();  // may be read on any processor
  bool (*runsHere)();
  bool (*isFast)();  // else only used where it is asked for
};

// Best first. None runs on a processor older than x86-64-v2.
[[nodiscard]] std::span<const InstructionSet> instructionSets();

}  // namespace minerva::cpu
