// Shader modules embedded in the program, and the properties read from their code.
#include "gpu/shaders/modules.h"
#include "gpu/shaders/shared/push.h"
#include "gpu/vulkan/shader.h"
#include "gpu/runtime/weight_layout.h"
#include "tests/support/random_blocks.h"

#include <gtest/gtest.h>

#include <string>

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
