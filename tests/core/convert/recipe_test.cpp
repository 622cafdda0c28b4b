// The type chosen for each tensor, compared with llama-quantize's published rules applied by hand.
#include "core/convert/recipe.h"

#include <gtest/gtest.h>

#include <set>

namespace minerva::convert {
namespace {

constexpr Shape matrix{.dims = {4096, 4096, 1, 1}, .rank = 2};
constexpr Shape vector{.dims = {4096, 1, 1, 1}, .rank = 1};
constexpr Shape narrow{.dims = {4096, 96, 1, 1}, .rank = 2};  // rows are multiples of 32, but not of 256
constexpr Shape odd{.dims = {4096, 50, 1, 1}, .rank = 2};

std::vector<std::string> namesOf(int layers, bool head) {
  std::vector<std::string> names{"token_embd.weight"};
  for (int i = 0; i < layers; ++i) names.push_back("blk." + std::to_string(i) + ".attn_v.weight");
  if (head) names.emplace_back("output.weight");
  return names;
}

TypeChooser chooser(std::string_view recipe, RecipeFacts facts, bool head = true) {
  return {*findRecipe(recipe), facts, namesOf(facts.layers, head)};
}

const RecipeFacts llama{"llama", 32, 32, 8, 0};

TEST(Recipe, MixesGiveTheOuterAndEveryThirdLayerMoreBits) {
  const std::set<int> precious{0, 1, 2, 3, 6, 9, 12, 15, 18, 21, 24, 27, 28, 29, 30, 31};
  for (const auto& [name, body] : {std::pair{"q4_k_m", ElementType::Q4_K}, std::pair{"q5_k_m", ElementType::Q5_K}}) {
    const TypeChooser types = chooser(name, llama);
    for (int i = 0; i < 32; ++i) {
      const std::string block = "blk." + std::to_string(i) + ".";
      const ElementType expected = precious.contains(i) ? ElementType::Q6_K : body;
      EXPECT_EQ(types.choose(block + "attn_v.weight", matrix, ElementType::BF16), expected) << name << i;
      EXPECT_EQ(types.choose(block + "ffn_down.weight", matrix, ElementType::BF16), expected) << name << i;
      EXPECT_EQ(types.choose(block + "attn_q.weight", matrix, ElementType::BF16), body);
      EXPECT_EQ(types.choose(block + "ffn_gate.weight", matrix, ElementType::BF16), body);
    }
    EXPECT_EQ(types.choose("token_embd.weight", matrix, ElementType::BF16), body);
    EXPECT_EQ(types.choose("output.weight", matrix, ElementType::BF16), ElementType::Q6_K);
  }
}

TEST(Recipe, ATiedEmbeddingIsTheHead) {
  EXPECT_EQ(chooser("q4_0", llama, false).choose("token_embd.weight", matrix, ElementType::F16), ElementType::Q6_K);
  EXPECT_EQ(chooser("q4_0", llama).choose("token_embd.weight", matrix, ElementType::F16), ElementType::Q4_0);
  EXPECT_EQ(chooser("q8_0", llama, false).choose("token_embd.weight", matrix, ElementType::F16), ElementType::Q8_0);
  EXPECT_EQ(chooser("f16", llama, false).choose("token_embd.weight", matrix, ElementType::BF16), ElementType::F16);
}

TEST(Recipe, VectorsNormsAndRoutersStayAsTheyAre) {
  const TypeChooser types = chooser("q4_0", llama);
  EXPECT_EQ(types.choose("blk.0.attn_norm.weight", vector, ElementType::F32), ElementType::F32);
  EXPECT_EQ(types.choose("blk.0.attn_q.bias", vector, ElementType::F32), ElementType::F32);
  EXPECT_EQ(types.choose("blk.0.ffn_gate_inp.weight", matrix, ElementType::F32), ElementType::F32);
  EXPECT_EQ(types.choose("blk.0.attn_q_norm.weight", vector, ElementType::F16), ElementType::F16);
}

TEST(Recipe, RowsThatAreNoWholeBlocksGetTheNextTypeThatFits) {
  const TypeChooser k = chooser("q4_k_m", llama), q5 = chooser("q5_k_m", llama), q6 = chooser("q6_k", llama), q4 = chooser("q4_0", llama);
  EXPECT_EQ(k.choose("blk.9.attn_q.weight", narrow, ElementType::F16), ElementType::Q5_0);
  EXPECT_EQ(q5.choose("blk.9.attn_q.weight", narrow, ElementType::F16), ElementType::Q5_1);
  EXPECT_EQ(q6.choose("blk.9.attn_q.weight", narrow, ElementType::F16), ElementType::Q8_0);
  EXPECT_EQ(k.choose("output.weight", narrow, ElementType::F16), ElementType::Q8_0);
  EXPECT_EQ(q4.choose("blk.9.attn_q.weight", odd, ElementType::F16), ElementType::F16);
  EXPECT_EQ(k.choose("blk.9.attn_q.weight", odd, ElementType::F16), ElementType::F16);
}

TEST(Recipe, SomeModelsHaveRulesOfTheirOwn) {
  const TypeChooser large = chooser("q4_k_m", {"llama", 80, 64, 8, 0});
  EXPECT_EQ(large.choose("blk.10.attn_v.weight", matrix, ElementType::F16), ElementType::Q5_K);
  EXPECT_EQ(large.choose("blk.12.attn_v.weight", matrix, ElementType::F16), ElementType::Q6_K);
  const TypeChooser experts = chooser("q4_k_m", {"llama", 32, 32, 8, 8});
  EXPECT_EQ(experts.choose("blk.10.attn_v.weight", matrix, ElementType::F16), ElementType::Q8_0);
  EXPECT_EQ(experts.choose("blk.10.attn_k.weight", matrix, ElementType::F16), ElementType::Q8_0);
  EXPECT_EQ(experts.choose("blk.10.attn_output.weight", matrix, ElementType::F16), ElementType::Q5_K);
  // If q, k and v are fused, the rules for the value matrix apply to the fused matrix.
  const std::vector<std::string> fused{"blk.0.attn_qkv.weight", "blk.1.attn_qkv.weight", "output.weight"};
  const TypeChooser phi(*findRecipe("q4_k_m"), {"phi3", 2, 32, 32, 0}, fused);
  EXPECT_EQ(phi.choose(fused[0], matrix, ElementType::F16), ElementType::Q4_K);
  EXPECT_EQ(phi.choose(fused[1], matrix, ElementType::F16), ElementType::Q6_K);
}

TEST(Recipe, FalconsFeedForwardNeedsFewerBits) {
  const TypeChooser types = chooser("q4_k_m", {"falcon", 32, 71, 1, 0});
  const std::pair<int, ElementType> layers[] = {
      {1, ElementType::Q6_K}, {2, ElementType::Q5_K}, {4, ElementType::Q4_K}, {6, ElementType::Q5_K}, {31, ElementType::Q5_K}};
  for (const auto& [layer, type] : layers)
    EXPECT_EQ(types.choose("blk." + std::to_string(layer) + ".ffn_down.weight", matrix, ElementType::BF16), type) << layer;
  EXPECT_EQ(types.choose("output.weight", matrix, ElementType::BF16), ElementType::Q8_0);
  EXPECT_EQ(chooser("q5_k_m", {"falcon", 32, 71, 1, 0}).choose("blk.2.ffn_down.weight", matrix, ElementType::BF16), ElementType::Q6_K);
}

// In a model some of whose layers have no feed-forward, the others are counted.
TEST(Recipe, FeedForwardsAreCountedByTheirMatrices) {
  std::vector<std::string> names{"output.weight"};
  for (int i = 8; i < 32; ++i) names.push_back("blk." + std::to_string(i) + ".ffn_down.weight");
  const TypeChooser types(*findRecipe("q4_k_m"), {"deci", 32, 64, 8, 0}, names);
  EXPECT_EQ(types.choose("blk.8.ffn_down.weight", matrix, ElementType::BF16), ElementType::Q6_K);
  EXPECT_EQ(types.choose("blk.13.ffn_down.weight", matrix, ElementType::BF16), ElementType::Q4_K);
  EXPECT_EQ(types.choose("blk.31.ffn_down.weight", matrix, ElementType::BF16), ElementType::Q4_K);  // the 24th
}

TEST(Recipe, MxfpIsForExperts) {
  constexpr Shape experts{.dims = {8, 512, 256, 1}, .rank = 3};
  const TypeChooser types = chooser("mxfp4", {"llama", 32, 32, 8, 8});
  EXPECT_EQ(types.choose("blk.0.ffn_up_exps.weight", experts, ElementType::BF16), ElementType::MXFP4);
  EXPECT_EQ(types.choose("blk.0.attn_v.weight", matrix, ElementType::BF16), ElementType::Q8_0);
  EXPECT_EQ(types.choose("output.weight", matrix, ElementType::BF16), ElementType::Q8_0);
}

TEST(Recipe, LayersAreReadFromNames) {
  EXPECT_EQ(layerOf("blk.12.attn_v.weight"), 12);
  EXPECT_EQ(layerOf("output.weight"), std::nullopt);
  EXPECT_EQ(layerOf("blk.x.attn"), std::nullopt);
  EXPECT_EQ(layerOf("blk.7"), std::nullopt);
}

}  // namespace
}  // namespace minerva::convert
