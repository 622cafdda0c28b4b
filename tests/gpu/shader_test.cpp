// Shader modules embedded in the program, and the properties read from their code.
#include "gpu/shaders/modules.h"
#include "gpu/shaders/shared/push.h"
#include "gpu/vulkan/shader.h"
#include "gpu/runtime/weight_layout.h"
#include "tests/support/random_blocks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace minerva::gpu {
namespace {

std::uint32_t pushBytes(const std::string& module) {
  const auto shader = vulkan::reflect(findModule(module));
  return shader ? shader->pushConstantBytes : 0;
}

TEST(Shaders, PushConstantsAreAsLargeAsTheirStructs) {
  for (const ElementTypeTraits& t : tests::everyMatrixType()) {
    const std::string type = moduleOf(t.type).name;
    if (type.empty()) continue;
    if (findModule("matvec_" + type).empty()) continue;  // a type without kernels (support.h)
    EXPECT_EQ(pushBytes("matvec_" + type), sizeof(push::Matvec)) << type;
    EXPECT_EQ(pushBytes("matvec_texel_" + type), sizeof(push::Matvec)) << type;
    EXPECT_EQ(pushBytes("matmul_" + type), sizeof(push::Matvec)) << type;
    EXPECT_EQ(pushBytes("embed_" + type), sizeof(push::Embed)) << type;
  }
  EXPECT_EQ(pushBytes("norm"), sizeof(push::NormRows));
  EXPECT_EQ(pushBytes("rope_kv"), sizeof(push::RopeKv));
  EXPECT_EQ(pushBytes("attention"), sizeof(push::Attention));
  EXPECT_EQ(pushBytes("gather"), sizeof(push::Gather));
  EXPECT_EQ(pushBytes("route"), sizeof(push::Route));
  EXPECT_EQ(pushBytes("by_expert"), sizeof(push::ByExpert));
  EXPECT_EQ(pushBytes("spread"), sizeof(push::Spread));
  EXPECT_EQ(pushBytes("combine"), sizeof(push::Combine));
  EXPECT_EQ(pushBytes("gate"), sizeof(push::Gate));
  EXPECT_EQ(pushBytes("threshold"), sizeof(push::Threshold));
  EXPECT_EQ(pushBytes("xielu"), sizeof(push::Xielu));
  EXPECT_EQ(pushBytes("level"), sizeof(push::Level));
  EXPECT_EQ(pushBytes("mix"), sizeof(push::Mix));
  EXPECT_EQ(pushBytes("conv"), sizeof(push::Conv));
  EXPECT_EQ(pushBytes("delta"), sizeof(push::Delta));
  EXPECT_EQ(pushBytes("scan"), sizeof(push::Scan));
  EXPECT_EQ(pushBytes("rest"), sizeof(push::Rest));
  EXPECT_EQ(pushBytes("read_probe"), sizeof(push::ReadProbe));
}

TEST(Shaders, EveryModuleIsReadable) {
  EXPECT_GE(modules().size(), 40U);
  for (const Module& module : modules()) {
    const auto shader = vulkan::reflect(module.words);
    ASSERT_TRUE(shader.has_value()) << module.name << ": " << shader.error().message();
    ASSERT_FALSE(shader->specializations.empty()) << module.name;
    for (std::uint32_t i = 0; i < shader->specializations.size(); ++i) EXPECT_EQ(shader->specializations[i], i) << module.name;
    const bool texel = module.name.find("texel") != std::string_view::npos;
    EXPECT_EQ(shader->texelBindings > 0, texel) << module.name;
  }
}

// Kernels that store float16 can ask for the nearest one: two instructions more, where the specification wants them.
TEST(Shaders, ConversionsToHalvesCanRound) {
  struct Instruction {
    std::uint32_t op, first;
  };
  const auto read = [](std::span<const std::uint32_t> words) {
    std::vector<Instruction> all;
    for (std::size_t at = 5; at < words.size(); at += words[at] >> 16) all.push_back({words[at] & 0xffffU, words[at + 1]});
    return all;
  };
  for (const std::string name : {"rope_kv", "rope_kv_q8_0", "attention_units", "matmul_units_Q4_K"}) {
    const auto words = findModule(name);
    ASSERT_FALSE(words.empty()) << name;
    EXPECT_GE(words[1], 0x00010400U) << "modes of float16 are part of SPIR-V since 1.4";
    const std::vector<std::uint32_t> rounding = vulkan::roundingHalves(words);
    ASSERT_EQ(rounding.size(), words.size() + 6) << name;
    EXPECT_TRUE(vulkan::reflect(rounding).has_value());
    const std::vector<Instruction> before = read(words), after = read(rounding);
    ASSERT_EQ(after.size(), before.size() + 2);
    std::size_t capabilities = 0;
    while (before[capabilities].op == 17) ++capabilities;
    EXPECT_EQ(after[capabilities].op, 17U);
    EXPECT_EQ(after[capabilities].first, 4467U);
    std::size_t mode = 0;
    while (after[mode].op != 16) ++mode;
    EXPECT_EQ(after[mode - 1].op, 15U) << "behind the entry point";
    EXPECT_EQ(std::ranges::count(after, 16U, &Instruction::op), std::ranges::count(before, 16U, &Instruction::op) + 1);
  }
  EXPECT_TRUE(vulkan::roundingHalves(findModule("gather")).empty());
  EXPECT_TRUE(vulkan::roundingHalves(findModule("rope_kv_f32")).empty());
}

TEST(Shaders, DamagedModulesAreRefused) {
  EXPECT_FALSE(vulkan::reflect({}).has_value());
  const auto words = findModule("gather");
  std::vector<std::uint32_t> damaged(words.begin(), words.end());
  damaged[0] = 1;
  EXPECT_FALSE(vulkan::reflect(damaged).has_value());
  damaged[0] = words[0];
  damaged.resize(damaged.size() - 1);  // cuts off the last instruction or a part of it
  damaged.back() = 0xffff0001;
  EXPECT_FALSE(vulkan::reflect(damaged).has_value());
  EXPECT_TRUE(findModule("no_such_kernel").empty());
}

}  // namespace
}  // namespace minerva::gpu
