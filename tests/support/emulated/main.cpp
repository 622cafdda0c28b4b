// Runs the tests of a program on the instruction sets that are emulated here, and on no other. 77: there is none.
#include "core/backend/cpu/instruction_sets.h"
#include "core/base/cpu_features.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

int main(int argc, char** argv) {
  std::string names;
  for (const minerva::cpu::InstructionSet& set : minerva::cpu::instructionSets()) {
    const std::string_view name = set.kernels().name;
    if ((name == "amx" || name == "avxvnni") && set.runsHere()) names += (names.empty() ? "" : ",") + std::string(name);
  }
  if (names.empty()) {
    std::printf("skipped: neither AMX nor AVX-VNNI can be emulated here, or both are there\n");
    return 77;
  }
  std::printf("emulated: %s\n", names.c_str());
  ::setenv("MINERVA_TEST_SETS", names.c_str(), 1);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
