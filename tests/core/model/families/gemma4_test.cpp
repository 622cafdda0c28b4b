// Gemma 4 in the layout of published folders, and what its files can have wrong.
#include "core/format/model_file.h"
#include "tests/core/model/families/zero_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace minerva::model {
namespace {

using Dims = std::vector<std::int64_t>;
using Json = nlohmann::json;

// The last two of four layers use the keys and values of the first two, which are of both kinds.
ZeroModel published() {
  ZeroModel made;
  made.config = Json::parse(R"({"model_type": "gemma4", "tie_word_embeddings": true, "vision_config": {"hidden_size": 8}, "text_config": {
    "model_type": "gemma4_text", "vocab_size": 40, "vocab_size_per_layer_input": 40, "hidden_size": 32, "num_hidden_layers": 4,
    "num_attention_heads": 4, "num_key_value_heads": 1, "head_dim": 8, "global_head_dim": 16, "intermediate_size": 24,
    "use_double_wide_mlp": true, "hidden_size_per_layer_input": 4, "num_kv_shared_layers": 2, "max_position_embeddings": 64,
    "sliding_window": 16, "final_logit_softcapping": 30.0, "use_bidirectional_attention": "vision",
    "layer_types": ["sliding_attention", "full_attention", "sliding_attention", "full_attention"],
    "rope_parameters": {"sliding_attention": {"rope_type": "default", "rope_theta": 10000.0},
      "full_attention": {"rope_type": "proportional", "partial_rotary_factor": 0.25, "rope_theta": 1000000.0}}}})");
  const auto add = [&](const std::string& name, Dims dims) { made.tensors["model.language_model." + name] = std::move(dims); };
  add("embed_tokens.weight", {40, 32});
  add("embed_tokens_per_layer.weight", {40, 16});
  add("per_layer_model_projection.weight", {16, 32});
  add("per_layer_projection_norm.weight", {4});
  add("norm.weight", {32});
  for (int i = 0; i < 4; ++i) {
    const std::int64_t dim = i % 2 == 0 ? 8 : 16, inner = i < 2 ? 24 : 48;
    const std::string layer = "layers." + std::to_string(i) + ".";
    for (const char* norm : {"input_layernorm", "post_attention_layernorm", "pre_feedforward_layernorm", "post_feedforward_layernorm",
                             "post_per_layer_input_norm"})
      add(layer + norm + ".weight", {32});
    add(layer + "self_attn.q_proj.weight", {4 * dim, 32});
    add(layer + "self_attn.o_proj.weight", {32, 4 * dim});
    add(layer + "self_attn.q_norm.weight", {dim});
    // Published files store these for the layers that do not use them, too.
    add(layer + "self_attn.k_proj.weight", {dim, 32});
    add(layer + "self_attn.v_proj.weight", {dim, 32});
    add(layer + "self_attn.k_norm.weight", {dim});
    add(layer + "mlp.gate_proj.weight", {inner, 32});
    add(layer + "mlp.up_proj.weight", {inner, 32});
    add(layer + "mlp.down_proj.weight", {32, inner});
    add(layer + "per_layer_input_gate.weight", {4, 32});
    add(layer + "per_layer_projection.weight", {32, 4});
    add(layer + "layer_scalar", {1});
  }
  made.tensors["model.vision_tower.patches.weight"] = {8, 8};
  made.tensors["model.embed_vision.projection.weight"] = {32, 8};
  made.tensors["model.audio_tower.frames.weight"] = {8, 8};
  return made;
}

Error refused(const std::function<void(ZeroModel&)>& change) { return refusedAfter(published(), change); }

TEST(Gemma4, APublishedFolderIsReadWithoutItsPartsForImagesAndSound) {
  const auto read = published().read();
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_EQ(read->family, "gemma4");
  ASSERT_EQ(read->warnings.size(), 1U) << "the unused keys and values are not worth a word";
  EXPECT_NE(read->warnings[0].find("images and sound"), std::string::npos) << read->warnings[0];
  EXPECT_NE(read->warnings[0].find("3 tensors"), std::string::npos) << read->warnings[0];
  EXPECT_TRUE(read->tiedHead);
  EXPECT_EQ(read->attentionScale, 1.0F);
  EXPECT_EQ(read->logitSoftCap, 30.0F);
  EXPECT_EQ(read->normPlus, 0.0F);
  EXPECT_EQ(read->perLayerEmbedding.size, 4);
  ASSERT_EQ(read->ropes.size(), 2U);
  EXPECT_EQ(read->ropes[0].dimension, 16);
  const std::vector<float> first(read->ropes[0].frequencies.begin() + 2, read->ropes[0].frequencies.end());
  EXPECT_FLOAT_EQ(read->ropes[0].frequencies[1], static_cast<float>(std::pow(1e6, -2.0 / 16)));
  EXPECT_EQ(first, std::vector<float>(6, 0.0F)) << "a quarter of the pairs is rotated";
  EXPECT_EQ(read->ropes[1].dimension, 8);
  const int kvFrom[] = {-1, -1, 0, 1};
  for (std::size_t i = 0; i < 4; ++i) {
    const LayerConfig& layer = read->layers[i];
    EXPECT_EQ(layer.kvFrom, kvFrom[i]) << i;
    EXPECT_EQ(layer.headDim, i % 2 == 0 ? 8 : 16) << i;
    EXPECT_EQ(layer.visible.window, i % 2 == 0 ? 16 : 0) << i;
    EXPECT_EQ(layer.rope, i % 2 == 0 ? 1 : 0) << i;
    EXPECT_EQ(layer.feedForwardSize, i < 2 ? 24 : 48) << i;
    EXPECT_EQ(layer.k.weight.empty(), i >= 2) << i;
    EXPECT_EQ(layer.vNorm.weights.withoutWeight, i < 2) << i;
    EXPECT_FALSE(layer.scale.empty()) << i;
  }
}

// The 12B model, whose config has no key for inputs of the layers, and whose window is wider where it is not stated.
TEST(Gemma4, TheUnifiedModelHasNoInputsOfItsLayers) {
  ZeroModel unified = published();
  unified.config["model_type"] = "gemma4_unified";
  Json& text = unified.config["text_config"];
  text["model_type"] = "gemma4_unified_text";
  for (const char* key : {"hidden_size_per_layer_input", "sliding_window", "max_position_embeddings"}) text.erase(key);
  std::erase_if(unified.tensors, [](const auto& tensor) { return tensor.first.find("per_layer") != std::string::npos; });
  const auto read = unified.read();
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_EQ(read->family, "gemma4");
  EXPECT_EQ(read->perLayerEmbedding.size, 0);
  EXPECT_EQ(read->layers[0].visible.window, 1024);
  EXPECT_EQ(read->contextLength, 262144);
  EXPECT_EQ(read->warnings.size(), 1U) << "the parts for images and sound";
}

// As Transformers saves it since version 5.15.
TEST(Gemma4, HeadsOfSingleLayersAreRead) {
  ZeroModel saved = published();
  Json& text = saved.config["text_config"];
  text.erase("global_head_dim");
  text["per_layer_config"] = Json::parse(R"({"1": {"head_dim": 16}, "3": {"head_dim": 16, "num_key_value_heads": 2}})");
  text["num_kv_shared_layers"] = 0;
  text["use_double_wide_mlp"] = false;
  for (const char* i : {"2.", "3."}) {
    for (const char* part : {"gate", "up"})
      saved.tensors[std::string("model.language_model.layers.") + i + "mlp." + part + "_proj.weight"] = {24, 32};
    saved.tensors[std::string("model.language_model.layers.") + i + "mlp.down_proj.weight"] = {32, 24};
  }
  for (const char* part : {"k", "v"})
    saved.tensors[std::string("model.language_model.layers.3.self_attn.") + part + "_proj.weight"] = {32, 32};
  const auto read = saved.read();
  ASSERT_TRUE(read.has_value()) << read.error().message();
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(read->layers[i].headDim, i % 2 == 0 ? 8 : 16) << i;
    EXPECT_EQ(read->layers[i].kvHeadCount, i == 3 ? 2 : 1) << i;
  }
  EXPECT_EQ(read->ropes[0].dimension, 16);
  const auto refusedWith = [&](const char* layers) {
    return refusedAfter(saved, [&](ZeroModel& s) { s.config["text_config"]["per_layer_config"] = Json::parse(layers); });
  };
  EXPECT_EQ(refusedWith(R"({"1": {"head_dim": 8}, "3": {"head_dim": 16}})").kind, ErrorKind::unsupported) << "one rotation for both";
  EXPECT_EQ(refusedWith(R"({"4": {"head_dim": 16}})").kind, ErrorKind::corrupt);
  EXPECT_EQ(refusedWith(R"({"3": {"head_dim": -1}})").kind, ErrorKind::corrupt);
  EXPECT_EQ(refusedWith(R"({"3": {"intermediate_size": 8}})").actual, "intermediate_size");
}

TEST(Gemma4, ATableOfInputsMustHaveARowForEveryToken) {
  const Error fewer = refused([](ZeroModel& s) { s.tensors["model.language_model.embed_tokens_per_layer.weight"] = {39, 16}; });
  EXPECT_EQ(fewer.kind, ErrorKind::unsupported);
  EXPECT_EQ(fewer.actual, "39");
  ZeroModel more = published();
  more.tensors["model.language_model.embed_tokens_per_layer.weight"] = {41, 16};
  const auto read = more.read();
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_EQ(read->perLayerEmbedding.table.shape.rows(), 40);
}

TEST(Gemma4, KeysAndValuesCanOnlyBeSharedIfTheyExist) {
  EXPECT_EQ(refused([](ZeroModel& s) { s.config["text_config"]["num_kv_shared_layers"] = 4; }).kind, ErrorKind::corrupt);
  EXPECT_EQ(refused([](ZeroModel& s) { s.config["text_config"]["num_kv_shared_layers"] = -1; }).kind, ErrorKind::corrupt);
  // Then only a sliding layer stores any.
  const Error alone = refused([](ZeroModel& s) { s.config["text_config"]["num_kv_shared_layers"] = 3; });
  EXPECT_NE(alone.what.find("Layer 1"), std::string::npos) << alone.what;
}

TEST(Gemma4, BidirectionalTextIsRefused) {
  EXPECT_EQ(refused([](ZeroModel& s) { s.config["text_config"]["use_bidirectional_attention"] = "all"; }).kind, ErrorKind::unsupported);
}

TEST(Gemma4, ARotationIsNotGuessed) {
  EXPECT_EQ(refused([](ZeroModel& s) { s.config["text_config"].erase("rope_parameters"); }).kind, ErrorKind::corrupt);
}

format::MetadataValue number(std::int64_t value) { return {format::MetadataType::int64, value}; }

TEST(Gemma4, AListInGgufMustHaveANumberForEveryLayer) {
  static const std::array<std::int32_t, 3> kvHeads{2, 2, 1};
  ZeroModel made;
  made.format = format::FileFormat::gguf;
  made.metadata = {
      {"general.architecture", {format::MetadataType::string, std::string_view("gemma4")}},
      {"gemma4.block_count", number(2)},
      {"gemma4.embedding_length", number(32)},
      {"gemma4.attention.head_count", number(4)},
      {"gemma4.attention.head_count_kv",
       {format::MetadataType::array, format::MetadataArray{format::MetadataType::int32, 3, std::as_bytes(std::span(kvHeads))}}}};
  made.tensors = {{"token_embd.weight", {40, 32}}, {"output_norm.weight", {32}}};
  for (const char* layer : {"blk.0.", "blk.1."}) {
    for (const char* norm : {"attn_norm.weight", "post_attention_norm.weight", "ffn_norm.weight"})
      made.tensors[std::string(layer) + norm] = {32};
  }
  const auto read = made.read();
  ASSERT_FALSE(read.has_value());
  EXPECT_NE(read.error().where.find("head_count_kv"), std::string::npos) << read.error().message();
  EXPECT_EQ(read.error().expected, "2 numbers up to 4");
}

}  // namespace
}  // namespace minerva::model
