// Dense families of before 2025: what their reading refuses, by name, and what differs between their files.
#include "core/format/model_file.h"
#include "tests/core/model/families/zero_model.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace minerva::model {
namespace {

using Json = nlohmann::json;

void addLayer(ZeroModel& made, int layer, const std::map<std::string, std::vector<std::int64_t>>& shapes) {
  for (const auto& [name, sizes] : shapes) made.tensors["model.layers." + std::to_string(layer) + "." + name] = sizes;
}

// Llama's names, one layer.
ZeroModel llamaLike(const char* type) {
  ZeroModel made{.config = {{"model_type", type},
                            {"hidden_size", 8},
                            {"num_hidden_layers", 1},
                            {"num_attention_heads", 4},
                            {"num_key_value_heads", 2},
                            {"intermediate_size", 12},
                            {"vocab_size", 10},
                            {"tie_word_embeddings", true}},
                 .tensors = {{"model.embed_tokens.weight", {10, 8}}, {"model.norm.weight", {8}}}};
  addLayer(made, 0,
           {{"input_layernorm.weight", {8}},
            {"post_attention_layernorm.weight", {8}},
            {"self_attn.q_proj.weight", {8, 8}},
            {"self_attn.k_proj.weight", {4, 8}},
            {"self_attn.v_proj.weight", {4, 8}},
            {"self_attn.o_proj.weight", {8, 8}},
            {"mlp.gate_proj.weight", {12, 8}},
            {"mlp.up_proj.weight", {12, 8}},
            {"mlp.down_proj.weight", {8, 12}}});
  return made;
}

Json block(const Json& group, const Json& multiple, bool matrix = false) {
  return {{"attention", {{"n_heads_in_group", group}, {"no_op", group.is_null() && !matrix}, {"replace_with_linear", matrix}}},
          {"ffn", {{"ffn_mult", multiple}, {"no_op", multiple.is_null()}, {"replace_with_linear", false}}}};
}

// Attention, then a matrix, then nothing.
ZeroModel deci() {
  ZeroModel made = llamaLike("nemotron-nas");
  made.config["num_hidden_layers"] = 3;
  made.config["num_key_value_heads"] = made.config["intermediate_size"] = nullptr;
  made.config["block_configs"] = {block(2, 24.0), block(nullptr, 50.0, true), block(nullptr, nullptr)};
  addLayer(made, 0, {{"mlp.gate_proj.weight", {256, 8}}, {"mlp.up_proj.weight", {256, 8}}, {"mlp.down_proj.weight", {8, 256}}});
  addLayer(made, 1,
           {{"input_layernorm.weight", {8}},
            {"post_attention_layernorm.weight", {8}},
            {"self_attn.linear_attn.weight", {8, 8}},
            {"mlp.gate_proj.weight", {512, 8}},
            {"mlp.up_proj.weight", {512, 8}},
            {"mlp.down_proj.weight", {8, 512}}});
  return made;
}

TEST(SmallFamilies, LayersOfDeciDiffer) {
  const ZeroModel made = deci();
  const auto read = made.read();
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_EQ(read->warnings, std::vector<std::string>());
  const LayerConfig &first = read->layers[0], &second = read->layers[1], &third = read->layers[2];
  EXPECT_EQ(first.kvHeadCount, 2);
  EXPECT_EQ(first.feedForwardSize, 256);
  EXPECT_FALSE(second.hasAttention());
  EXPECT_EQ(made.nameOf(second.o.weight), "model.layers.1.self_attn.linear_attn.weight");
  EXPECT_EQ(second.feedForwardSize, 512);  // 2 * 50 * 8 / 3 = 266, rounded up
  EXPECT_FALSE(third.hasAttention() || third.hasDense() || third.attentionNorm.present() || third.feedForwardNorm.present());
}

TEST(SmallFamilies, WhatDeciDoesNotHaveIsRefusedByName) {
  const std::tuple<const char*, Json, const char*, ErrorKind> changes[] = {
      {"/block_configs/0/attention/window_length", 128, "attention of a layer", ErrorKind::unsupported},
      {"/block_configs/0/attention/n_heads_in_group", 3, "heads of a layer", ErrorKind::corrupt},
      {"/block_configs/0/ffn/replace_with_linear", true, "feed-forward of a layer", ErrorKind::unsupported},
      {"/block_configs/0/ffn/ffn_mult", -1, "feed-forward size", ErrorKind::corrupt},
      {"/block_configs/0/ffn", 5, "list of layers", ErrorKind::corrupt},
      {"/block_configs", Json::array(), "list of layers", ErrorKind::corrupt},
      {"/block_configs", "all", "list of layers", ErrorKind::corrupt}};
  for (const auto& [path, value, part, kind] : changes) {
    const Error error = refusedAfter(deci(), [&](ZeroModel& made) { made.config[Json::json_pointer(path)] = value; });
    EXPECT_EQ(error.kind, kind) << path;
    EXPECT_NE(error.what.find(part), std::string::npos) << path << ": " << error.what;
  }
}

TEST(SmallFamilies, ListsOfDecisGgufMustAgree) {
  static constexpr std::array<std::int32_t, 1> four{4}, two{2}, three{3}, twelve{12};
  ZeroModel made{.format = format::FileFormat::gguf,
                 .metadata = {{"general.architecture", ggufText("deci")},
                              {"deci.block_count", ggufNumber(1)},
                              {"deci.embedding_length", ggufNumber(8)},
                              {"deci.attention.head_count", ggufList(four)},
                              {"deci.attention.head_count_kv", ggufList(two)},
                              {"deci.feed_forward_length", ggufList(twelve)}},
                 .tensors = {{"token_embd.weight", {10, 8}},
                             {"output_norm.weight", {8}},
                             {"blk.0.attn_norm.weight", {8}},
                             {"blk.0.attn_q.weight", {8, 8}},
                             {"blk.0.attn_k.weight", {4, 8}},
                             {"blk.0.attn_v.weight", {4, 8}},
                             {"blk.0.attn_output.weight", {8, 8}},
                             {"blk.0.ffn_norm.weight", {8}},
                             {"blk.0.ffn_gate.weight", {12, 8}},
                             {"blk.0.ffn_up.weight", {12, 8}},
                             {"blk.0.ffn_down.weight", {8, 12}}}};
  const auto read = made.read();
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_EQ(read->layers[0].kvHeadCount, 2);
  const Error error = refusedAfter(made, [](ZeroModel& one) { one.metadata["deci.attention.head_count_kv"] = ggufList(three); });
  EXPECT_NE(error.what.find("heads of a layer"), std::string::npos) << error.what;
}

TEST(SmallFamilies, OlmoHasNormsWithoutWeightsAndALimit) {
  ZeroModel made = llamaLike("olmo");
  for (const char* norm : {"model.norm.weight", "model.layers.0.input_layernorm.weight", "model.layers.0.post_attention_layernorm.weight"})
    made.tensors.erase(norm);
  const auto read = made.read();
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_TRUE(read->layers[0].attentionNorm.withoutWeight && read->outputNorm.withoutWeight);
  EXPECT_EQ(read->attentionLimit, 0.0F);
  made.config["clip_qkv"] = 8.0;
  const auto limited = made.read();
  ASSERT_TRUE(limited.has_value()) << limited.error().message();
  EXPECT_EQ(limited->attentionLimit, 8.0F);
  const Error error = refusedAfter(made, [](ZeroModel& one) { one.config["clip_qkv"] = -8.0; });
  EXPECT_EQ(error.kind, ErrorKind::corrupt);
  EXPECT_NE(error.message().find("clip_qkv"), std::string::npos) << error.message();
}

TEST(SmallFamilies, FactorsOfMiniCpm) {
  ZeroModel made = llamaLike("minicpm");
  made.config.update({{"scale_emb", 12}, {"scale_depth", 1.4}, {"dim_model_base", 4}});
  const auto read = made.read();
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_FLOAT_EQ(read->embeddingScale, 12);
  EXPECT_FLOAT_EQ(read->residualScale, 1.4F);  // of one layer
  EXPECT_FLOAT_EQ(read->logitScale, 0.5F);
  const Error error = refusedAfter(made, [](ZeroModel& one) { one.config["num_experts"] = 8; });
  EXPECT_NE(error.what.find("mixture of experts in MiniCPM"), std::string::npos) << error.what;
  made.config["sparse_config"] = {{"block_size", 64}};
  const auto sparse = made.read();
  ASSERT_TRUE(sparse.has_value());
  ASSERT_EQ(sparse->warnings.size(), 1U);
  EXPECT_NE(sparse->warnings.front().find("leaves out blocks"), std::string::npos);
}

TEST(SmallFamilies, MiniCpm4HasTwoSetsOfFrequencies) {
  ZeroModel made = llamaLike("minicpm");
  made.config["max_position_embeddings"] = 64;
  made.config["rope_scaling"] = {
      {"rope_type", "longrope"}, {"short_factor", {2.0}}, {"long_factor", {4.0}}, {"original_max_position_embeddings", 16}};
  const auto read = made.read();
  ASSERT_TRUE(read.has_value()) << read.error().message();
  const Rope& rope = read->ropes.front();
  EXPECT_EQ(rope.switchLength, 16);
  EXPECT_FLOAT_EQ(rope.frequencies[0], 0.5F);
  EXPECT_FLOAT_EQ(rope.longFrequencies[0], 0.25F);
  EXPECT_FLOAT_EQ(rope.magnitude, static_cast<float>(std::sqrt(1 + std::log(4) / std::log(16))));
}

ZeroModel baichuan() {
  ZeroModel made = llamaLike("baichuan");
  made.config["num_key_value_heads"] = nullptr;
  for (const char* name : {"q", "k", "v"}) made.tensors.erase("model.layers.0.self_attn." + std::string(name) + "_proj.weight");
  addLayer(made, 0, {{"self_attn.W_pack.weight", {24, 8}}});
  return made;
}

TEST(SmallFamilies, BaichuanWithoutRotationIsRefused) {
  const auto read = baichuan().read();
  ASSERT_TRUE(read.has_value()) << read.error().message();
  const Error error = refusedAfter(baichuan(), [](ZeroModel& made) { made.config["num_hidden_layers"] = 40; });
  EXPECT_EQ(error.kind, ErrorKind::unsupported);
  EXPECT_NE(error.what.find("ALiBi"), std::string::npos) << error.what;
}

ZeroModel falcon7b() {
  const std::string layer = "transformer.h.0.";
  return {.config = {{"model_type", "falcon"},
                     {"hidden_size", 8},
                     {"num_hidden_layers", 1},
                     {"num_attention_heads", 4},
                     {"num_kv_heads", 4},
                     {"vocab_size", 10},
                     {"multi_query", true},
                     {"parallel_attn", true}},
          .tensors = {{"transformer.word_embeddings.weight", {10, 8}},
                      {"transformer.ln_f.weight", {8}},
                      {"transformer.ln_f.bias", {8}},
                      {layer + "input_layernorm.weight", {8}},
                      {layer + "input_layernorm.bias", {8}},
                      {layer + "self_attention.query_key_value.weight", {12, 8}},
                      {layer + "self_attention.dense.weight", {8, 8}},
                      {layer + "mlp.dense_h_to_4h.weight", {32, 8}},
                      {layer + "mlp.dense_4h_to_h.weight", {8, 32}}}};
}

TEST(SmallFamilies, AllQueriesOfFalcon7BShareOneKeyHead) {
  const auto read = falcon7b().read();
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_EQ(read->layers[0].kvHeadCount, 1);
  EXPECT_TRUE(read->parallelBlocks);
  EXPECT_FALSE(read->layers[0].feedForwardNorm.present());
  const Error error = refusedAfter(falcon7b(), [](ZeroModel& made) { made.config["alibi"] = true; });
  EXPECT_EQ(error.kind, ErrorKind::unsupported);
  EXPECT_NE(error.what.find("ALiBi"), std::string::npos) << error.what;
}

// As the folders of Transformers 4.33 and before have them.
TEST(SmallFamilies, FalconsSizesHaveOlderNames) {
  ZeroModel made = falcon7b();
  for (const char* name : {"num_hidden_layers", "num_attention_heads", "num_kv_heads"}) made.config.erase(name);
  EXPECT_FALSE(made.read().has_value());
  made.config.update(nlohmann::json{{"n_layer", 1}, {"n_head", 4}});
  const auto read = made.read();
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_EQ(read->layers.size(), 1U);
  EXPECT_EQ(read->layers[0].headCount, 4);
  EXPECT_EQ(read->layers[0].kvHeadCount, 1);
  made.config.update(nlohmann::json{{"new_decoder_architecture", true}, {"n_head_kv", 2}});
  made.tensors["transformer.h.0.self_attention.query_key_value.weight"] = {16, 8};
  for (const char* name : {"ln_attn", "ln_mlp"}) {
    made.tensors[std::string("transformer.h.0.") + name + ".weight"] = {8};
    made.tensors[std::string("transformer.h.0.") + name + ".bias"] = {8};
  }
  const auto newer = made.read();
  ASSERT_TRUE(newer.has_value()) << newer.error().message();
  EXPECT_EQ(newer->layers[0].kvHeadCount, 2);
}

// Blocks one after the other, each with its norm.
TEST(SmallFamilies, FalconWithoutParallelBlocks) {
  ZeroModel made = falcon7b();
  made.config["parallel_attn"] = false;
  for (const char* suffix : {".weight", ".bias"}) made.tensors["transformer.h.0.post_attention_layernorm" + std::string(suffix)] = {8};
  const auto read = made.read();
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_FALSE(read->parallelBlocks);
  EXPECT_EQ(made.nameOf(read->layers[0].feedForwardNorm.weight), "transformer.h.0.post_attention_layernorm.weight");
}

TEST(SmallFamilies, StructuresOfChatGlmThatNoPublishedModelHas) {
  const std::string layer = "transformer.encoder.layers.0.";
  const ZeroModel made{.config = {{"model_type", "chatglm"},
                                  {"hidden_size", 8},
                                  {"num_layers", 1},
                                  {"num_attention_heads", 2},
                                  {"kv_channels", 4},
                                  {"multi_query_group_num", 1},
                                  {"ffn_hidden_size", 12},
                                  {"rope_ratio", 500}},
                       .tensors = {{"transformer.embedding.word_embeddings.weight", {10, 8}},
                                   {"transformer.encoder.final_layernorm.weight", {8}},
                                   {"transformer.output_layer.weight", {10, 8}},
                                   {layer + "input_layernorm.weight", {8}},
                                   {layer + "post_attention_layernorm.weight", {8}},
                                   {layer + "self_attention.query_key_value.weight", {16, 8}},
                                   {layer + "self_attention.dense.weight", {8, 8}},
                                   {layer + "mlp.dense_h_to_4h.weight", {24, 8}},
                                   {layer + "mlp.dense_4h_to_h.weight", {8, 12}}}};
  const auto read = made.read();
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_EQ(read->ropes.front().dimension, 2);
  EXPECT_EQ(read->layers[0].feedForwardSize, 12);
  for (const auto& [key, value] : {std::pair("rmsnorm", false), std::pair("apply_residual_connection_post_layernorm", true)}) {
    const Error error = refusedAfter(made, [&](ZeroModel& one) { one.config[key] = value; });
    EXPECT_EQ(error.kind, ErrorKind::unsupported);
    EXPECT_NE(error.what.find("structure of ChatGLM"), std::string::npos) << error.what;
  }
}

TEST(SmallFamilies, UnscaledAttentionOfStarCoderIsRefused) {
  const std::string layer = "transformer.h.0.";
  ZeroModel made{.config = {{"model_type", "gpt_bigcode"},
                            {"n_embd", 8},
                            {"n_layer", 1},
                            {"n_head", 2},
                            {"n_positions", 16},
                            {"vocab_size", 10},
                            {"multi_query", true}},
                 .tensors = {{"transformer.wte.weight", {10, 8}}, {"transformer.wpe.weight", {16, 8}}}};
  const std::pair<std::string, std::vector<std::int64_t>> parts[] = {
      {"transformer.ln_f", {8}},       {layer + "ln_1", {8}},         {layer + "ln_2", {8}},          {layer + "attn.c_attn", {16, 8}},
      {layer + "attn.c_proj", {8, 8}}, {layer + "mlp.c_fc", {32, 8}}, {layer + "mlp.c_proj", {8, 32}}};
  for (const auto& [name, sizes] : parts) {
    made.tensors[name + ".weight"] = sizes;
    made.tensors[name + ".bias"] = {sizes.front()};
  }
  const auto read = made.read();
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_EQ(read->layers[0].kvHeadCount, 1);
  EXPECT_EQ(made.nameOf(read->positionEmbedding), "transformer.wpe.weight");
  const Error error = refusedAfter(made, [](ZeroModel& one) { one.config["scale_attn_weights"] = false; });
  EXPECT_EQ(error.kind, ErrorKind::unsupported);
  EXPECT_NE(error.what.find("not scaled"), std::string::npos) << error.what;
}

// Other names of Llama.
TEST(SmallFamilies, XverseAndInternLm3AreLlama) {
  for (const char* type : {"xverse", "internlm3"}) {
    const auto read = llamaLike(type).read();
    ASSERT_TRUE(read.has_value()) << read.error().message();
    EXPECT_EQ(read->family, "llama");
    EXPECT_EQ(read->ropes.front().layout, RopeLayout::halves);
  }
}

}  // namespace
}  // namespace minerva::model
