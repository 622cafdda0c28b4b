// The kernels of every instruction set that this processor supports.
#pragma once

#include "core/backend/cpu/instruction_sets.h"

#include <vector>

namespace minerva::tests {

// The plainest first.
inline std::vector<const cpu::Kernels*> runnableKernels() {
  std::vector<const cpu::Kernels*> all;
  for (const cpu::InstructionSet& set : cpu::instructionSets()) {
    if (set.runsHere()) all.insert(all.begin(), &set.kernels());
  }
  return all;
}

}  // namespace minerva::tests
