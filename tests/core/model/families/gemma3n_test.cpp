// Gemma 3n in the layout of published folders and of GGUF, and what its files can have wrong.
#include "core/format/model_file.h"
#include "tests/core/model/families/zero_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>

namespace minerva::model {
namespace {

// Five layers, of which the last two use the keys and values of the second and third.
ZeroModel publishedGemma3n() {
  ZeroModel made;
  made.config = nlohmann::json::parse(R"({"model_type": "gemma3n", "audio_config": {"hidden_size": 8}, "text_config": {
    "model_type": "gemma3n_text", "vocab_size": 40, "vocab_size_per_layer_input": 37, "hidden_size": 32, "num_hidden_layers": 5,
    "num_attention_heads": 4, "num_key_value_heads": 1, "head_dim": 8, "intermediate_size": [24, 24, 24, 48, 48],
    "hidden_size_per_layer_input": 4, "num_kv_shared_layers": 2, "max_position_embeddings": 64, "sliding_window": 16, "laurel_rank": 6,
    "altup_num_inputs": 4, "altup_active_idx": 0, "altup_correct_scale": true, "altup_coef_clip": 120.0,
    "activation_sparsity_pattern": [0.95, 0.5, 0.0, 0.0, 0.0], "rope_theta": 1000000.0, "rope_local_base_freq": 10000.0, "rope_scaling": null,
    "layer_types": ["sliding_attention", "sliding_attention", "full_attention", "sliding_attention", "full_attention"]}})");
  const auto add = [&](const std::string& name, std::vector<std::int64_t> dims) {
    made.tensors["model.language_model." + name] = std::move(dims);
  };
  add("embed_tokens.weight", {40, 32});
  add("embed_tokens_per_layer.weight", {37, 20});
  add("per_layer_model_projection.weight", {20, 32});
  add("per_layer_projection_norm.weight", {4});
  add("norm.weight", {32});
  for (const char* i : {"0", "1", "2"}) {
    add(std::string("altup_projections.") + i + ".weight", {32, 32});
    add(std::string("altup_unembed_projections.") + i + ".weight", {32, 32});
  }
  for (int i = 0; i < 5; ++i) {
    const std::int64_t inner = i < 3 ? 24 : 48;
    const std::string layer = "layers." + std::to_string(i) + ".";
    for (const char* norm : {"input_layernorm", "post_attention_layernorm", "pre_feedforward_layernorm", "post_feedforward_layernorm",
                             "post_per_layer_input_norm", "laurel.post_laurel_norm", "altup.router_norm"})
      add(layer + norm + ".weight", {32});
    add(layer + "self_attn.q_proj.weight", {32, 32});
    add(layer + "self_attn.o_proj.weight", {32, 32});
    add(layer + "self_attn.q_norm.weight", {8});
    add(layer + "self_attn.k_proj.weight", {8, 32});
    add(layer + "self_attn.v_proj.weight", {8, 32});
    add(layer + "self_attn.k_norm.weight", {8});
    add(layer + "mlp.gate_proj.weight", {inner, 32});
    add(layer + "mlp.up_proj.weight", {inner, 32});
    add(layer + "mlp.down_proj.weight", {32, inner});
    add(layer + "per_layer_input_gate.weight", {4, 32});
    add(layer + "per_layer_projection.weight", {32, 4});
    add(layer + "laurel.linear_left.weight", {6, 32});
    add(layer + "laurel.linear_right.weight", {32, 6});
    add(layer + "altup.modality_router.weight", {4, 32});
    add(layer + "altup.prediction_coefs.weight", {16, 4});
    add(layer + "altup.correction_coefs.weight", {4, 4});
    add(layer + "altup.correct_output_scale", {32});
  }
  made.tensors["model.vision_tower.patches.weight"] = {8, 8};
  made.tensors["model.embed_audio.embedding.weight"] = {32, 8};
  return made;
}

// The same model, as llama.cpp's converter names it.
ZeroModel ggufGemma3n() {
  static const std::array<float, 5> deviations{1.6448536F, 0.0F, -std::numeric_limits<float>::infinity(),
                                               -std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()};
  static const std::array<std::int32_t, 5> inner{24, 24, 24, 48, 48};
  static const std::array<std::uint8_t, 5> sliding{1, 1, 0, 1, 0};
  const auto whole = [](std::int64_t value) { return format::MetadataValue{format::MetadataType::int64, value}; };
  const auto list = [](format::MetadataType type, auto values) {
    return format::MetadataValue{format::MetadataType::array, format::MetadataArray{type, values.size(), std::as_bytes(values)}};
  };
  ZeroModel made;
  made.format = format::FileFormat::gguf;
  made.metadata = {{"general.architecture", {format::MetadataType::string, std::string_view("gemma3n")}},
                   {"gemma3n.block_count", whole(5)},
                   {"gemma3n.embedding_length", whole(32)},
                   {"gemma3n.attention.head_count", whole(4)},
                   {"gemma3n.attention.head_count_kv", whole(1)},
                   {"gemma3n.attention.key_length", whole(8)},
                   {"gemma3n.attention.value_length", whole(8)},
                   {"gemma3n.attention.sliding_window", whole(16)},
                   {"gemma3n.attention.shared_kv_layers", {format::MetadataType::float32, 2.0}},
                   {"gemma3n.context_length", whole(64)},
                   {"gemma3n.embedding_length_per_layer_input", whole(4)},
                   {"gemma3n.altup.active_idx", whole(0)},
                   {"gemma3n.altup.num_inputs", whole(4)},
                   {"gemma3n.rope.freq_base", {format::MetadataType::float32, 1e6}},
                   {"gemma3n.activation_sparsity_scale", list(format::MetadataType::float32, std::span(deviations))},
                   {"gemma3n.feed_forward_length", list(format::MetadataType::int32, std::span(inner))},
                   {"gemma3n.attention.sliding_window_pattern", list(format::MetadataType::boolean, std::span(sliding))}};
  const std::pair<const char*, const char*> names[] = {{"input_layernorm", "attn_norm"},
                                                       {"post_attention_layernorm", "post_attention_norm"},
                                                       {"pre_feedforward_layernorm", "ffn_norm"},
                                                       {"post_feedforward_layernorm", "post_ffw_norm"},
                                                       {"post_per_layer_input_norm", "post_norm"},
                                                       {"laurel.post_laurel_norm", "laurel_post_norm"},
                                                       {"altup.router_norm", "altup_router_norm"},
                                                       {"self_attn.q_proj", "attn_q"},
                                                       {"self_attn.o_proj", "attn_output"},
                                                       {"self_attn.q_norm", "attn_q_norm"},
                                                       {"self_attn.k_proj", "attn_k"},
                                                       {"self_attn.v_proj", "attn_v"},
                                                       {"self_attn.k_norm", "attn_k_norm"},
                                                       {"mlp.gate_proj", "ffn_gate"},
                                                       {"mlp.up_proj", "ffn_up"},
                                                       {"mlp.down_proj", "ffn_down"},
                                                       {"per_layer_input_gate", "inp_gate"},
                                                       {"per_layer_projection", "proj"},
                                                       {"laurel.linear_left", "laurel_l"},
                                                       {"laurel.linear_right", "laurel_r"},
                                                       {"altup.modality_router", "altup_router"},
                                                       {"altup.prediction_coefs", "altup_predict_coef"},
                                                       {"altup.correction_coefs", "altup_correct_coef"}};
  const ZeroModel folder = publishedGemma3n();
  for (int i = 0; i < 5; ++i) {
    const std::string layer = "layers." + std::to_string(i) + ".", block = "blk." + std::to_string(i) + ".";
    for (const auto& [theirs, ours] : names)
      made.tensors[block + ours + ".weight"] = folder.tensors.at("model.language_model." + layer + theirs + ".weight");
    made.tensors[block + "altup_correct_scale.weight"] = {32};
  }
  made.tensors["token_embd.weight"] = {40, 32};
  made.tensors["per_layer_token_embd.weight"] = {40, 20};  // the converter adds rows of 0
  made.tensors["per_layer_model_proj.weight"] = {20, 32};
  made.tensors["per_layer_proj_norm.weight"] = {4};
  made.tensors["output_norm.weight"] = {32};
  made.tensors["altup_proj.weight"] = {3, 32, 32};
  made.tensors["altup_unembd_proj.weight"] = {3, 32, 32};
  return made;
}

void expectThatModel(const ModelConfig& read) {
  EXPECT_EQ(read.family, "gemma3n");
  EXPECT_TRUE(read.tiedHead);
  EXPECT_EQ(read.attentionScale, 1.0F);
  EXPECT_EQ(read.logitSoftCap, 30.0F);
  EXPECT_EQ(read.normPlus, 0.0F);
  EXPECT_EQ(read.perLayerEmbedding.size, 4);
  ASSERT_EQ(read.ropes.size(), 2U);
  EXPECT_LT(read.ropes[0].frequencies[1], read.ropes[1].frequencies[1]) << "full layers rotate slower";
  EXPECT_EQ(read.streams.begin.size(), 3U);
  EXPECT_EQ(read.streams.end.size(), 3U);
  const int kvFrom[] = {-1, -1, -1, 1, 2};
  for (std::size_t i = 0; i < 5; ++i) {
    const LayerConfig& layer = read.layers[i];
    const bool full = i == 2 || i == 4;
    EXPECT_EQ(layer.kvFrom, kvFrom[i]) << i;
    EXPECT_EQ(layer.visible.window, full ? 0 : 16) << i;
    EXPECT_EQ(layer.rope, full ? 0 : 1) << i;
    EXPECT_EQ(layer.feedForwardSize, i < 3 ? 24 : 48) << i;
    EXPECT_EQ(layer.vNorm.weights.withoutWeight, i < 3) << i;
    EXPECT_EQ(layer.gateDeviations.has_value(), i < 2) << i;
    EXPECT_EQ(layer.lowRankResidual.left.weight.shape.rows(), 6) << i;
    EXPECT_FALSE(layer.streamMixing.resultScale.empty()) << i;
  }
  EXPECT_FLOAT_EQ(read.layers[0].gateDeviations.value_or(0), 1.6448536F) << "95 % of a normal distribution lie below";
  EXPECT_NEAR(read.layers[1].gateDeviations.value_or(1), 0, 1e-7);
}

TEST(Gemma3n, APublishedFolderIsRead) {
  const auto read = publishedGemma3n().read();
  ASSERT_TRUE(read.has_value()) << read.error().message();
  expectThatModel(*read);
  ASSERT_EQ(read->warnings.size(), 1U);
  EXPECT_NE(read->warnings[0].find("images and sound"), std::string::npos) << read->warnings[0];
  EXPECT_EQ(read->perLayerEmbedding.table.shape.rows(), 37) << "tokens of images and sound have no row";
}

TEST(Gemma3n, AGgufFileIsRead) {
  const auto read = ggufGemma3n().read();
  ASSERT_TRUE(read.has_value()) << read.error().message();
  expectThatModel(*read);
  EXPECT_TRUE(read->warnings.empty()) << read->warnings[0];
}

Error refusedGemma3n(const std::function<void(ZeroModel&)>& change) { return refusedAfter(publishedGemma3n(), change); }

TEST(Gemma3n, OtherStreamsAreRefused) {
  EXPECT_EQ(refusedGemma3n([](ZeroModel& s) { s.config["text_config"]["altup_active_idx"] = 1; }).kind, ErrorKind::unsupported);
  EXPECT_EQ(refusedGemma3n([](ZeroModel& s) { s.config["text_config"]["altup_num_inputs"] = 1; }).kind, ErrorKind::unsupported);
  EXPECT_EQ(refusedGemma3n([](ZeroModel& s) { s.config["text_config"]["altup_num_inputs"] = 9; }).kind, ErrorKind::corrupt);
  EXPECT_EQ(refusedGemma3n([](ZeroModel& s) { s.config["text_config"]["altup_num_inputs"] = 5; }).kind, ErrorKind::corrupt);
}

TEST(Gemma3n, ASparsityIsAShareForEveryLayer) {
  for (const char* wrong : {"[0.95]", "[1.0, 0, 0, 0, 0]", "[-0.5, 0, 0, 0, 0]", "[\"a\", 0, 0, 0, 0]", "0.95", "{}"}) {
    const Error error =
        refusedGemma3n([&](ZeroModel& s) { s.config["text_config"]["activation_sparsity_pattern"] = nlohmann::json::parse(wrong); });
    EXPECT_EQ(error.kind, ErrorKind::corrupt) << wrong;
    EXPECT_NE(error.where.find("activation_sparsity_pattern"), std::string::npos) << error.message();
  }
  ZeroModel gguf = ggufGemma3n();
  gguf.metadata.erase("gemma3n.activation_sparsity_scale");
  EXPECT_FALSE(gguf.read().has_value());
}

TEST(Gemma3n, TheResultIsScaledOnlyIfTheConfigSaysSo) {
  ZeroModel made = publishedGemma3n();
  made.config["text_config"]["altup_correct_scale"] = false;
  const auto read = made.read();
  ASSERT_TRUE(read.has_value()) << read.error().message();
  EXPECT_TRUE(read->layers[0].streamMixing.resultScale.empty());
  EXPECT_EQ(read->warnings.size(), 1U) << "the unused scale is not worth a word";
}

TEST(Gemma3n, KeysAndValuesCanOnlyBeSharedIfTheyExist) {
  for (const auto& wrong : {nlohmann::json(5), nlohmann::json(-1), nlohmann::json(1.5), nlohmann::json(3)}) {
    EXPECT_EQ(refusedGemma3n([&](ZeroModel& s) { s.config["text_config"]["num_kv_shared_layers"] = wrong; }).kind, ErrorKind::corrupt);
  }
}

}  // namespace
}  // namespace minerva::model
