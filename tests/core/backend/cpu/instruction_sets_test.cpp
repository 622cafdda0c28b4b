// The tables of all instruction sets, which may be read on any processor.
#include "core/backend/cpu/instruction_sets.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace minerva::cpu {
namespace {

TEST(InstructionSets, EachHasItsNameAndKernelsForTheSameLayouts) {
  std::set<std::string> names;
  for (const InstructionSet& set : instructionSets()) {
    const Kernels& kernels = set.kernels();
    EXPECT_TRUE(names.insert(kernels.name).second) << kernels.name;
    const auto words = static_cast<int>(Rounding::words);
    for (WeightLayout layout = 0; layout < layoutCount; ++layout) {
      EXPECT_EQ(kernels.dot[words][layout] != nullptr, baselineTable.dot[words][layout] != nullptr)
          << kernels.name << ", layout " << layout;
      EXPECT_EQ(kernels.unpack[layout] != nullptr, baselineTable.unpack[layout] != nullptr) << kernels.name << ", layout " << layout;
    }
  }
  EXPECT_EQ(names.size(), instructionSets().size());
  EXPECT_STREQ(instructionSets().back().kernels().name, "baseline");
  EXPECT_NE(baselineTable.dot[static_cast<int>(Rounding::words)][panelsOf(ElementType::Q4_0)], nullptr);
}

// A quantized row lies in the order in which its set multiplies codes, so a set that takes its rows from another one takes the products
// too, and the other way round. Processors with AVX-VNNI, whose table is made of two, are rarely at hand to find out.
TEST(InstructionSets, MultiplyRowsThatTheyQuantizedThemselves) {
  for (const InstructionSet& set : instructionSets()) {
    const Kernels& kernels = set.kernels();
    for (int how = 0; how < roundings; ++how) {
      for (int type = 0; type < typeCount; ++type) {
        const WeightLayout layout = panelsOf(static_cast<ElementType>(type));
        if (readsFloats(static_cast<ElementType>(type)) || kernels.dot[how][layout] == nullptr) continue;
        for (const Kernels* other : {&baselineTable, &avx2Table, &avx512Table}) {
          EXPECT_EQ(kernels.dot[how][layout] == other->dot[how][layout], kernels.quantize[how] == other->quantize[how])
              << kernels.name << " and " << other->name << ", rounding " << how << ", type " << type;
        }
      }
    }
  }
}

TEST(InstructionSets, AVirtualMachineMayBeWhatLacksThem) {
  CpuFeatures old;
  old.brand = "Some processor";
  EXPECT_EQ(noInstructionSet(old).what, "This processor is too old to run models");
  old.virtualMachine = true;
  EXPECT_NE(noInstructionSet(old).what.find("virtual machine"), std::string::npos);
  EXPECT_NE(noInstructionSet(old).hint.find("host"), std::string::npos);
  EXPECT_EQ(noInstructionSet(old).actual, "Some processor");
}

TEST(InstructionSets, SlowKernelsSayThatAVirtualMachineMayHideFasterOnes) {
  CpuFeatures features;
  EXPECT_EQ(detailOf(baselineTable, features), baselineTable.detail);
  features.virtualMachine = true;
  EXPECT_NE(detailOf(baselineTable, features).find("virtual machine"), std::string::npos);
  EXPECT_TRUE(detailOf(baselineTable, features).starts_with(std::string(baselineTable.detail) + ",")) << "the badge shows what is before";
  EXPECT_EQ(detailOf(avx2Table, features), avx2Table.detail);
  features.avx2 = true;
  EXPECT_EQ(detailOf(baselineTable, features), baselineTable.detail) << "it was asked for";
}

}  // namespace
}  // namespace minerva::cpu
