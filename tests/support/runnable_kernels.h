// The kernels of every instruction set that this processor supports, or of those that the environment variable MINERVA_TEST_SETS names
// ("amx,avxvnni": emulated/main.cpp).
#pragma once

#include "core/backend/cpu/instruction_sets.h"

#include <cstdlib>
#include <string>
#include <vector>

namespace minerva::tests {

// The plainest first.
inline std::vector<const cpu::Kernels*> runnableKernels() {
  std::vector<const cpu::Kernels*> all;
  const char* named = std::getenv("MINERVA_TEST_SETS");
  for (const cpu::InstructionSet& set : cpu::instructionSets()) {
    if (!set.runsHere()) continue;
    if (named == nullptr || ("," + std::string(named) + ",").contains("," + std::string(set.kernels().name) + ","))
      all.insert(all.begin(), &set.kernels());
  }
  return all;
}

}  // namespace minerva::tests
