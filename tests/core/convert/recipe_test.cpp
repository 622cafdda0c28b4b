// The type chosen for each tensor, compared with llama-quantize's published rules applied by hand.
#include "core/convert/recipe.h"

#include <gtest/gtest.h>

#include <array>
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

// llama-quantize's rules for the types that it writes without an importance matrix. Layers: 0 is the first of an eighth (of 32: 4) and of a
// sixteenth (2), 3 the last of an eighth, 20 neither.
TEST(Recipe, OtherMixesAreThoseOfLlamaQuantize) {
  struct Case {
    const char* recipe;
    RecipeFacts facts;
    const char* matrix;
    std::array<const char*, 3> types;  // of the layers 0, 3 and 20
  };
  const RecipeFacts own{"llama", 32, 32, 32, 0}, falcon{"falcon", 32, 71, 1, 0}, eight{"llama", 32, 32, 8, 8}, large{"qwen2", 80, 64, 8, 0};
  const Case cases[] = {
      {"q2_k", llama, "attn_v", {"Q4_K", "Q4_K", "Q4_K"}},         {"q2_k", own, "attn_v", {"Q3_K", "Q3_K", "Q3_K"}},
      {"q2_k", llama, "ffn_down", {"Q3_K", "Q3_K", "Q3_K"}},       {"q2_k", llama, "attn_output", {"Q3_K", "Q3_K", "Q3_K"}},
      {"q2_k", llama, "attn_q", {"Q2_K", "Q2_K", "Q2_K"}},         {"q2_k", eight, "attn_output", {"Q5_K", "Q5_K", "Q5_K"}},
      {"q3_k_s", llama, "attn_v", {"Q3_K", "Q3_K", "Q3_K"}},       {"q3_k_s", llama, "ffn_down", {"Q3_K", "Q3_K", "Q3_K"}},
      {"q3_k_s", large, "attn_v", {"Q5_K", "Q5_K", "Q5_K"}},       {"q3_k_s", eight, "attn_output", {"Q5_K", "Q5_K", "Q5_K"}},
      {"q3_k_m", llama, "attn_v", {"Q5_K", "Q4_K", "Q4_K"}},       {"q3_k_m", llama, "ffn_down", {"Q5_K", "Q4_K", "Q4_K"}},
      {"q3_k_m", llama, "attn_output", {"Q4_K", "Q4_K", "Q4_K"}},  {"q3_k_m", falcon, "ffn_down", {"Q5_K", "Q4_K", "Q3_K"}},
      {"q3_k_m", falcon, "attn_output", {"Q3_K", "Q3_K", "Q3_K"}}, {"q3_k_l", llama, "attn_v", {"Q5_K", "Q5_K", "Q5_K"}},
      {"q3_k_l", llama, "ffn_down", {"Q5_K", "Q5_K", "Q5_K"}},     {"q3_k_l", falcon, "ffn_down", {"Q4_K", "Q4_K", "Q4_K"}},
      {"q3_k_l", falcon, "attn_output", {"Q4_K", "Q4_K", "Q4_K"}}, {"q3_k_l", eight, "attn_output", {"Q3_K", "Q3_K", "Q3_K"}},
      {"q4_k_s", llama, "attn_v", {"Q5_K", "Q5_K", "Q4_K"}},       {"q4_k_s", llama, "ffn_down", {"Q5_K", "Q5_K", "Q4_K"}},
      {"q4_k_s", falcon, "ffn_down", {"Q4_K", "Q4_K", "Q4_K"}},    {"q4_k_s", llama, "attn_output", {"Q4_K", "Q4_K", "Q4_K"}},
      {"q5_k_s", llama, "attn_v", {"Q5_K", "Q5_K", "Q5_K"}},       {"q5_k_s", llama, "ffn_down", {"Q5_K", "Q5_K", "Q5_K"}},
      {"iq4_xs", llama, "attn_v", {"Q5_K", "Q5_K", "Q5_K"}},       {"iq4_xs", own, "attn_v", {"IQ4_XS", "IQ4_XS", "IQ4_XS"}},
      {"iq4_xs", llama, "ffn_down", {"Q5_K", "Q5_K", "IQ4_XS"}},   {"iq4_nl", llama, "ffn_down", {"Q5_K", "Q5_K", "IQ4_NL"}},
      {"iq4_nl", llama, "attn_q", {"IQ4_NL", "IQ4_NL", "IQ4_NL"}}, {"q5_k_m", eight, "attn_output", {"Q5_K", "Q5_K", "Q5_K"}}};
  for (const Case& one : cases) {
    const TypeChooser types = chooser(one.recipe, one.facts);
    for (std::size_t i = 0; i < one.types.size(); ++i) {
      const std::string name = "blk." + std::to_string(std::array{0, 3, 20}[i]) + "." + one.matrix + ".weight";
      EXPECT_EQ(traits(types.choose(name, matrix, ElementType::BF16)).name, one.types[i])
          << one.recipe << " " << one.facts.architecture << " " << name;
    }
    EXPECT_EQ(types.choose("output.weight", matrix, ElementType::BF16),
              one.facts.architecture == "falcon" ? ElementType::Q8_0 : ElementType::Q6_K);
  }
  EXPECT_EQ(chooser("iq4_xs", llama).choose("blk.9.attn_q.weight", narrow, ElementType::F16), ElementType::IQ4_NL);
  EXPECT_EQ(chooser("q3_k_m", llama).choose("blk.9.attn_q.weight", narrow, ElementType::F16), ElementType::Q4_0);
  EXPECT_EQ(chooser("q2_k", llama).choose("blk.9.attn_q.weight", narrow, ElementType::F16), ElementType::Q4_0);
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

// Those that llama.cpp calls 70B, by their layers; of Llama's only those whose query heads share values.
TEST(Recipe, ModelsOf70BillionWeightsHaveBetterValues) {
  const std::pair<RecipeFacts, ElementType> cases[] = {
      {{"llama", 80, 64, 8, 0}, ElementType::Q5_K},  {{"llama", 80, 64, 64, 0}, ElementType::Q4_K},
      {{"qwen2", 80, 64, 8, 0}, ElementType::Q5_K},  {{"qwen2", 72, 40, 8, 0}, ElementType::Q4_K},
      {{"deci", 80, 64, 8, 0}, ElementType::Q5_K},   {{"olmo", 80, 64, 8, 0}, ElementType::Q5_K},
      {{"qwen2vl", 80, 64, 8, 0}, ElementType::Q4_K}};
  for (const auto& [facts, type] : cases)
    EXPECT_EQ(chooser("q4_k_m", facts).choose("blk.10.attn_v.weight", matrix, ElementType::BF16), type)
        << facts.architecture << facts.kvHeads;
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
