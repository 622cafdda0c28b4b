// Converted folders of every family equal llama.cpp's files of the same weights, key by key and byte by byte.
#include "core/format/model_file.h"
#include "core/text/tokenizer.h"
#include "tests/core/convert/convert_support.h"
#include "tests/core/convert/family_folders.h"
#include "tests/core/convert/peer_files.h"
#include "tests/core/format/temporary_folder.h"
#include "tests/support/oracle.h"

#include <gtest/gtest.h>

#include <set>

namespace minerva::convert {
namespace {

namespace fs = std::filesystem;
// "gemma2-BF16.gguf" -> "BF16".
std::string typeOf(const fs::path& gguf) {
  const std::string stem = gguf.stem().string();
  return stem.substr(stem.rfind('-') + 1);
}

TEST(ConvertFamilies, FilesAreThoseOfThePeer) {
  if (!fs::exists(oracle / "models")) GTEST_SKIP() << "skipped: no ../shared/oracle here";
  const TemporaryFolder folder;
  std::set<std::string> compared;
  for (const auto& c : tests::oracleCases(oracle)) {
    if (c.format != "gguf" || !fs::exists(c.model.parent_path().parent_path() / "hf")) continue;
    const std::string type = typeOf(c.model);
    if (findElementType(type) == nullptr || (traits(findElementType(type)->type).blockElements > 1 && type != "MXFP4")) continue;
    SCOPED_TRACE(c.id);
    const auto out = folder.path() / "out.gguf";
    // Experts in MXFP4 keep their type; the other tensors become BF16.
    const auto report = convertFile(c.model.parent_path().parent_path() / "hf", out, type == "MXFP4" ? "BF16" : type);
    ASSERT_TRUE(report) << c.id << ": " << report.error().message();
    const File theirs = openModel(c.model), mine = openModel(out);
    expectSameKeys(*theirs, *mine);
    expectSameTensors(*theirs, *mine);
    compared.insert(c.family);
  }
  const std::set<std::string> families{"cohere",    "deepseek_v2", "gemma",    "gemma2",     "gemma3", "glm4",      "gpt2",
                                       "gpt_neox",  "gpt_oss",     "granite",  "granitemoe", "llama",  "mistral",   "mixtral",
                                       "olmo2",     "olmoe",       "phi",      "phi3",       "qwen2",  "qwen2_moe", "qwen3",
                                       "qwen3_moe", "smollm3",     "stablelm", "starcoder2"};
  EXPECT_EQ(compared, families);
}

// SafeTensors and MLX folders; weights of MLX are dequantized.
TEST(ConvertFamilies, FoldersBecomeTheSameModels) {
  if (tests::oracleCases(oracle).empty()) GTEST_SKIP() << "skipped: no ../shared/oracle here";
  // The refused one differs from Gemma 2 in a property that GGUF has no key for.
  EXPECT_GE(expectFoldersBecomeTheSame(oracle, {{"gemma2-scalar", "attention scale"}}), 55);
}

TEST(ConvertFamilies, SmallModelsOfTheTreeBecomeTheSame) {
  const TemporaryFolder folder;
  std::set<std::string> converted;
  for (const auto& c : tests::oracleCases(golden)) {
    if (c.format == "gguf") continue;
    SCOPED_TRACE(c.id);
    const auto in = folder.path() / "in", out = folder.path() / "out.gguf";
    copyWithTokenizer(c.model, in);
    const auto report = convertFile(in, out, "bf16");
    if (c.id == "tiny-gemma2") {  // its attention scale differs from every published model's
      ASSERT_FALSE(report);
      EXPECT_NE(report.error().what.find("attention scale"), std::string::npos) << report.error().message();
      continue;
    }
    if (c.id == "tiny-gemma3n") {  // not of the published sizes
      ASSERT_FALSE(report);
      EXPECT_EQ(report.error().kind, ErrorKind::unsupported) << report.error().message();
      continue;
    }
    if (c.id == "tiny-gptj") {  // llama.cpp does not run it
      ASSERT_FALSE(report);
      EXPECT_NE(report.error().what.find("cannot be converted yet"), std::string::npos) << report.error().message();
      continue;
    }
    ASSERT_TRUE(report) << report.error().message();
    const bool exact = c.format == "safetensors";  // for MLX, bf16 rounds the dequantized values
    EXPECT_LT(exact ? distance(out, c.reference) : 0, 1e-3);
    converted.insert(c.family);
  }
  EXPECT_GE(converted.size(), 15U);
}

void expectSameModel(const nlohmann::json& settings, const std::vector<FolderTensor>& tensors, const std::string& warning = {}) {
  const TemporaryFolder folder;
  const auto in = folder.path() / "in", out = folder.path() / "out.gguf";
  writeFolder(in, settings, tensors);
  const auto report = convertFile(in, out, "f32");
  ASSERT_TRUE(report) << report.error().message();
  ASSERT_EQ(report->warnings.size(), warning.empty() ? 0U : 1U);
  EXPECT_EQ(warning.empty() ? warning : report->warnings.front(), warning);
  EXPECT_LT(distanceBetween(in, out), 1e-3);
}

TEST(ConvertFamilies, Cohere2HasAWindowInThreeLayersOfFour) {
  auto tensors = attentionTensors("model.", 2);
  for (int i = 0; i < layers; ++i) addFeedForward(tensors, "model.layers." + std::to_string(i) + ".mlp.", feedForward);
  expectSameModel(
      config("cohere2", {{"sliding_window", 8}, {"logit_scale", 0.25}, {"layer_norm_eps", 1e-5}, {"tie_word_embeddings", true}}), tensors);
}

TEST(ConvertFamilies, DeepseekHasExpertsBehindADenseLayer) {
  auto tensors = attentionTensors("model.", 4);
  tensors.push_back({"lm_head.weight", {vocabulary, hidden}});
  for (int i = 0; i < layers; ++i) {
    const std::string layer = "model.layers." + std::to_string(i) + ".";
    tensors.push_back({layer + "post_attention_layernorm.weight", {hidden}});
    if (i == 0) {
      addFeedForward(tensors, layer + "mlp.", feedForward);
      continue;
    }
    tensors.push_back({layer + "mlp.gate.weight", {6, hidden}});
    for (int e = 0; e < 6; ++e) addFeedForward(tensors, layer + "mlp.experts." + std::to_string(e) + ".", 32);
    addFeedForward(tensors, layer + "mlp.shared_experts.", 64);
  }
  expectSameModel(config("deepseek", {{"num_key_value_heads", 4},
                                      {"n_routed_experts", 6},
                                      {"n_shared_experts", 2},
                                      {"num_experts_per_tok", 2},
                                      {"moe_intermediate_size", 32},
                                      {"first_k_dense_replace", 1},
                                      {"norm_topk_prob", false},
                                      {"rms_norm_eps", 1e-6}}),
                  tensors);
}

TEST(ConvertFamilies, StablelmMayNormEachHeadOfItsOwn) {
  auto tensors = attentionTensors("model.", 2);
  tensors.push_back({"lm_head.weight", {vocabulary, hidden}});
  tensors.push_back({"model.norm.bias", {hidden}});
  for (int i = 0; i < layers; ++i) {
    const std::string layer = "model.layers." + std::to_string(i) + ".";
    tensors.push_back({layer + "input_layernorm.bias", {hidden}});
    for (int h = 0; h < 4; ++h) tensors.push_back({layer + "self_attn.q_layernorm.norms." + std::to_string(h) + ".weight", {16}});
    for (int h = 0; h < 2; ++h) tensors.push_back({layer + "self_attn.k_layernorm.norms." + std::to_string(h) + ".weight", {16}});
    addFeedForward(tensors, layer + "mlp.", feedForward);
  }
  expectSameModel(
      config("stablelm",
             {{"qk_layernorm", true}, {"use_parallel_residual", true}, {"partial_rotary_factor", 0.25}, {"layer_norm_eps", 1e-5}}),
      tensors);
}

TEST(ConvertFamilies, Gemma3LeavesTheSeeingPartOut) {
  auto tensors = attentionTensors("language_model.model.", 2);
  for (int i = 0; i < layers; ++i) {
    const std::string layer = "language_model.model.layers." + std::to_string(i) + ".";
    for (const char* name : {"post_attention_layernorm.weight", "pre_feedforward_layernorm.weight", "post_feedforward_layernorm.weight"})
      tensors.push_back({layer + name, {hidden}});
    tensors.push_back({layer + "self_attn.q_norm.weight", {16}});
    tensors.push_back({layer + "self_attn.k_norm.weight", {16}});
    addFeedForward(tensors, layer + "mlp.", feedForward);
  }
  tensors.push_back({"vision_tower.vision_model.post_layernorm.weight", {32}});
  tensors.push_back({"multi_modal_projector.mm_input_projection_weight", {32, hidden}});
  nlohmann::json text = config(
      "gemma3_text", {{"sliding_window", 8}, {"query_pre_attn_scalar", 16}, {"rope_scaling", {{"factor", 8.0}, {"rope_type", "linear"}}}});
  text.erase("rope_theta");  // default, as published: 1000000
  expectSameModel({{"model_type", "gemma3"}, {"text_config", text}, {"vision_config", nlohmann::json::object()}}, tensors,
                  "What the model has beside its text model is left out: 2 tensors");
}

TEST(ConvertFamilies, Exaone45IsConvertedAsExaone4) {
  auto tensors = attentionTensors("model.language_model.", 2);
  std::erase_if(tensors, [](const FolderTensor& one) { return one.name.ends_with("input_layernorm.weight"); });
  tensors.push_back({"lm_head.weight", {vocabulary, hidden}});
  for (int i = 0; i < layers; ++i) {
    const std::string layer = "model.language_model.layers." + std::to_string(i) + ".";
    for (const char* norm : {"post_attention_layernorm", "post_feedforward_layernorm"})
      tensors.push_back({layer + norm + ".weight", {hidden}});
    for (const char* norm : {"q_norm", "k_norm"}) tensors.push_back({layer + "self_attn." + norm + ".weight", {16}});
    addFeedForward(tensors, layer + "mlp.", feedForward);
  }
  for (const char* part : {"merger.ln_q", "merger.mlp.0"}) tensors.push_back({std::string("model.visual.") + part + ".weight", {32}});
  for (const char* type : {"exaone4", "exaone4_5_text"}) {
    SCOPED_TRACE(type);
    const auto text = config(type, {{"rms_norm_eps", 1e-5}, {"sliding_window", nullptr}});
    expectSameModel({{"model_type", "exaone4_5"}, {"text_config", text}, {"tie_word_embeddings", false}}, tensors,
                    "What the model has beside its text model is left out: 2 tensors");
  }
}

// Norms before and after each block, gate and up in one matrix, and half of a head rotated in pairs of neighbours.
TEST(ConvertFamilies, Glm4VIsConvertedAsGlm4) {
  auto tensors = attentionTensors("model.language_model.", 2);
  tensors.push_back({"lm_head.weight", {vocabulary, hidden}});
  for (int i = 0; i < layers; ++i) {
    const std::string layer = "model.language_model.layers." + std::to_string(i) + ".";
    for (const char* norm : {"post_attention_layernorm", "post_self_attn_layernorm", "post_mlp_layernorm"})
      tensors.push_back({layer + norm + ".weight", {hidden}});
    tensors.push_back({layer + "self_attn.q_proj.bias", {4 * 16}});
    for (const char* part : {"k", "v"}) tensors.push_back({layer + "self_attn." + part + "_proj.bias", {2 * 16}});
    tensors.push_back({layer + "mlp.gate_up_proj.weight", {2 * feedForward, hidden}});
    tensors.push_back({layer + "mlp.down_proj.weight", {hidden, feedForward}});
  }
  for (const char* part : {"patch_embed.proj", "merger.proj"})
    tensors.push_back({std::string("model.visual.") + part + ".weight", {32, 32}});
  const auto text = config("glm4v_text", {{"partial_rotary_factor", 0.5},
                                          {"attention_bias", true},
                                          {"rms_norm_eps", 1e-5},
                                          {"rope_scaling", {{"type", "default"}, {"mrope_section", {2, 1, 1}}}}});
  expectSameModel(
      {{"model_type", "glm4v"}, {"text_config", text}, {"tie_word_embeddings", false}, {"vision_config", nlohmann::json::object()}},
      tensors, "What the model has beside its text model is left out: 2 tensors");
}

TEST(ConvertFamilies, Glm4VsMixtureIsConvertedAsGlm4Moe) {
  auto tensors = attentionTensors("model.language_model.", 2);
  tensors.push_back({"lm_head.weight", {vocabulary, hidden}});
  for (int i = 0; i < layers; ++i) {
    const std::string layer = "model.language_model.layers." + std::to_string(i) + ".";
    tensors.push_back({layer + "post_attention_layernorm.weight", {hidden}});
    if (i == 0) {
      addFeedForward(tensors, layer + "mlp.", feedForward);
      continue;
    }
    tensors.push_back({layer + "mlp.gate.weight", {4, hidden}});
    tensors.push_back({layer + "mlp.gate.e_score_correction_bias", {4}});
    for (int e = 0; e < 4; ++e) addFeedForward(tensors, layer + "mlp.experts." + std::to_string(e) + ".", 32);
    addFeedForward(tensors, layer + "mlp.shared_experts.", 32);
  }
  const auto text = config("glm4v_moe_text", {{"partial_rotary_factor", 0.5},
                                              {"n_routed_experts", 4},
                                              {"n_shared_experts", 1},
                                              {"num_experts_per_tok", 2},
                                              {"moe_intermediate_size", 32},
                                              {"first_k_dense_replace", 1},
                                              {"norm_topk_prob", true},
                                              {"routed_scaling_factor", 1.5},
                                              {"use_qk_norm", false},
                                              {"rms_norm_eps", 1e-5},
                                              {"rope_scaling", {{"rope_type", "default"}, {"mrope_section", {2, 1, 1}}}}});
  expectSameModel({{"model_type", "glm4v_moe"}, {"text_config", text}, {"tie_word_embeddings", false}}, tensors);
}

// As published: the settings of the text part are beside those of the tower.
TEST(ConvertFamilies, PositionsOfImagesAreNoScaling) {
  auto tensors = attentionTensors("model.", 2);
  tensors.push_back({"lm_head.weight", {vocabulary, hidden}});
  for (int i = 0; i < layers; ++i) {
    const std::string layer = "model.layers." + std::to_string(i) + ".";
    tensors.push_back({layer + "post_attention_layernorm.weight", {hidden}});
    tensors.push_back({layer + "self_attn.q_proj.bias", {4 * 16}});
    for (const char* part : {"k", "v"}) tensors.push_back({layer + "self_attn." + part + "_proj.bias", {2 * 16}});
    addFeedForward(tensors, layer + "mlp.", feedForward);
  }
  expectSameModel(config("qwen2_5_vl", {{"rms_norm_eps", 1e-6}, {"rope_scaling", {{"type", "mrope"}, {"mrope_section", {4, 2, 2}}}}}),
                  tensors);
}

// Published config.json files of this family state only the values that differ from the 4B model's.
TEST(ConvertFamilies, Gemma3MayLeaveItsHeadsOut) {
  std::vector<FolderTensor> tensors{{"model.embed_tokens.weight", {vocabulary, hidden}}, {"model.norm.weight", {hidden}}};
  const std::string layer = "model.layers.0.";
  for (const char* name : {"input_layernorm", "post_attention_layernorm", "pre_feedforward_layernorm", "post_feedforward_layernorm"}) {
    tensors.push_back({layer + name + ".weight", {hidden}});
  }
  tensors.push_back({layer + "self_attn.q_proj.weight", {8 * 256, hidden}});
  tensors.push_back({layer + "self_attn.k_proj.weight", {4 * 256, hidden}});
  tensors.push_back({layer + "self_attn.v_proj.weight", {4 * 256, hidden}});
  tensors.push_back({layer + "self_attn.o_proj.weight", {hidden, 8 * 256}});
  tensors.push_back({layer + "self_attn.q_norm.weight", {256}});
  tensors.push_back({layer + "self_attn.k_norm.weight", {256}});
  addFeedForward(tensors, layer + "mlp.", feedForward);
  const TemporaryFolder folder;
  const auto in = folder.path() / "in", out = folder.path() / "out.gguf";
  writeFolder(in,
              {{"model_type", "gemma3_text"},
               {"hidden_size", hidden},
               {"intermediate_size", feedForward},
               {"num_hidden_layers", 1},
               {"sliding_window", 1024}},
              tensors);
  const auto report = convertFile(in, out, "f32");
  ASSERT_TRUE(report) << report.error().message();
  const auto keys = openModel(out);
  EXPECT_EQ(*keys->metadata().integer("gemma3.context_length"), 131072);
  EXPECT_EQ(*keys->metadata().integer("gemma3.attention.head_count_kv"), 4);
  EXPECT_EQ(*keys->metadata().number("gemma3.rope.freq_base"), 1e6);
  EXPECT_LT(distanceBetween(in, out), 1e-3);
}

// Of MLX's tools, which name the parts of these differently.
TEST(ConvertFamilies, NemotronsExpertsHaveNamesOfMlxToo) {
  const std::string attention = "backbone.layers.0.", mixer = "backbone.layers.1.mixer.";
  expectSameModel(config("nemotron_h", {{"num_hidden_layers", 2},
                                        {"layers_block_type", {"attention", "moe"}},
                                        {"n_routed_experts", 4},
                                        {"num_experts_per_tok", 2},
                                        {"moe_intermediate_size", 32},
                                        {"tie_word_embeddings", true}}),
                  {{"backbone.embeddings.weight", {vocabulary, hidden}},
                   {"backbone.norm_f.weight", {hidden}},
                   {attention + "norm.weight", {hidden}},
                   {attention + "mixer.q_proj.weight", {64, hidden}},
                   {attention + "mixer.k_proj.weight", {32, hidden}},
                   {attention + "mixer.v_proj.weight", {32, hidden}},
                   {attention + "mixer.o_proj.weight", {hidden, 64}},
                   {"backbone.layers.1.norm.weight", {hidden}},
                   {mixer + "gate.weight", {4, hidden}},
                   {mixer + "gate.e_score_correction_bias", {4}},
                   {mixer + "switch_mlp.fc1.weight", {4, 32, hidden}},
                   {mixer + "switch_mlp.fc2.weight", {4, hidden, 32}}});
}

TEST(ConvertFamilies, KimiHasNamesOfMlxToo) {
  std::vector<FolderTensor> tensors{
      {"model.embed_tokens.weight", {vocabulary, hidden}}, {"model.norm.weight", {hidden}}, {"lm_head.weight", {vocabulary, hidden}}};
  for (const std::string layer : {"model.layers.0.", "model.layers.1."}) {
    for (const char* norm : {"input_layernorm.weight", "post_attention_layernorm.weight"}) tensors.push_back({layer + norm, {hidden}});
    tensors.push_back({layer + "mlp.gate.weight", {4, hidden}});
    tensors.push_back({layer + "mlp.e_score_correction_bias", {4}});
    for (const char* part : {"gate_proj", "up_proj"}) tensors.push_back({layer + "mlp.switch_mlp." + part + ".weight", {4, 32, hidden}});
    tensors.push_back({layer + "mlp.switch_mlp.down_proj.weight", {4, hidden, 32}});
    addFeedForward(tensors, layer + "mlp.shared_experts.", 32);
  }
  const std::string delta = "model.layers.0.self_attn.", latent = "model.layers.1.self_attn.";
  for (const std::string one : {"q", "k", "v"}) {
    tensors.push_back({delta + one + "_proj.weight", {64, hidden}});
    tensors.push_back({delta + one + "_conv.conv.weight", {64, 4, 1}});
  }
  for (const std::string one : {"f", "g"}) {
    tensors.push_back({delta + one + "_a_proj.weight", {16, hidden}});
    tensors.push_back({delta + one + "_b_proj.weight", {64, 16}});
  }
  const FolderTensor others[] = {{delta + "b_proj.weight", {4, hidden}},
                                 {delta + "A_log", {1, 1, 4, 1}},
                                 {delta + "dt_bias", {64}},
                                 {delta + "o_norm.weight", {16}},
                                 {delta + "o_proj.weight", {hidden, 64}},
                                 {latent + "q_proj.weight", {4 * 24, hidden}},
                                 {latent + "kv_a_proj_with_mqa.weight", {32 + 8, hidden}},
                                 {latent + "kv_a_layernorm.weight", {32}},
                                 {latent + "embed_q.weight", {4, 32, 16}},
                                 {latent + "unembed_out.weight", {4, 16, 32}},
                                 {latent + "o_proj.weight", {hidden, 64}}};
  tensors.insert(tensors.end(), std::begin(others), std::end(others));
  expectSameModel(config("kimi_linear", {{"num_hidden_layers", 2},
                                         {"kv_lora_rank", 32},
                                         {"qk_nope_head_dim", 16},
                                         {"qk_rope_head_dim", 8},
                                         {"v_head_dim", 16},
                                         {"num_experts", 4},
                                         {"num_experts_per_token", 2},
                                         {"num_shared_experts", 1},
                                         {"moe_intermediate_size", 32},
                                         {"first_k_dense_replace", 0},
                                         {"linear_attn_config",
                                          {{"full_attn_layers", {2}}, {"num_heads", 4}, {"head_dim", 16}, {"short_conv_kernel_size", 4}}}}),
                  tensors);
}

TEST(ConvertFamilies, TheUnifiedGemma4IsConverted) {
  const std::string base = "model.language_model.";
  std::vector<FolderTensor> tensors{{base + "embed_tokens.weight", {vocabulary, hidden}}, {base + "norm.weight", {hidden}}};
  for (int i = 0; i < 2; ++i) {
    const std::string layer = base + "layers." + std::to_string(i) + ".", attention = layer + "self_attn.";
    const int dim = i == 0 ? 16 : 32, kvHeads = i == 0 ? 2 : 1;
    for (const char* norm : {"input_layernorm", "post_attention_layernorm", "pre_feedforward_layernorm", "post_feedforward_layernorm"})
      tensors.push_back({layer + norm + ".weight", {hidden}});
    tensors.push_back({layer + "layer_scalar", {1}});
    tensors.push_back({attention + "q_proj.weight", {4 * dim, hidden}});
    tensors.push_back({attention + "k_proj.weight", {kvHeads * dim, hidden}});
    if (i == 0) tensors.push_back({attention + "v_proj.weight", {kvHeads * dim, hidden}});
    tensors.push_back({attention + "o_proj.weight", {hidden, 4 * dim}});
    for (const char* norm : {"q_norm", "k_norm"}) tensors.push_back({attention + norm + ".weight", {dim}});
    addFeedForward(tensors, layer + "mlp.", feedForward);
  }
  const auto ropes = nlohmann::json::parse(R"({"sliding_attention": {"rope_type": "default", "rope_theta": 10000.0},
    "full_attention": {"rope_type": "proportional", "partial_rotary_factor": 0.25, "rope_theta": 1000000.0}})");
  auto text = config("gemma4_unified_text", {{"num_hidden_layers", 2},
                                             {"num_global_key_value_heads", 1},
                                             {"global_head_dim", 32},
                                             {"attention_k_eq_v", true},
                                             {"layer_types", {"sliding_attention", "full_attention"}},
                                             {"final_logit_softcapping", 30.0},
                                             {"hidden_activation", "gelu_pytorch_tanh"},
                                             {"rope_parameters", ropes}});
  text.erase("hidden_act");
  text.erase("rope_theta");
  expectSameModel({{"model_type", "gemma4_unified"}, {"tie_word_embeddings", true}, {"text_config", text}}, tensors);
}

// A text model inside another one, whose tensors have a name that only some of these have.
TEST(ConvertFamilies, ATextModelInsideAnotherIsConverted) {
  auto tensors = attentionTensors("model.text_model.", 2);
  tensors.push_back({"lm_head.weight", {vocabulary, hidden}});
  for (int i = 0; i < layers; ++i) {
    const std::string layer = "model.text_model.layers." + std::to_string(i) + ".";
    tensors.push_back({layer + "post_attention_layernorm.weight", {hidden}});
    addFeedForward(tensors, layer + "mlp.", feedForward);
  }
  expectSameModel({{"model_type", "picture_reader"}, {"text_config", config("llama", {{"rms_norm_eps", 1e-6}})}}, tensors);
}

TEST(ConvertFamilies, Gpt2IsReadAsItWasFirstPublished) {
  std::vector<FolderTensor> tensors{
      {"wte.weight", {vocabulary, hidden}}, {"wpe.weight", {256, hidden}}, {"ln_f.weight", {hidden}}, {"ln_f.bias", {hidden}}};
  for (int i = 0; i < layers; ++i) {
    const std::string layer = "h." + std::to_string(i) + ".";
    tensors.push_back({layer + "attn.bias", {1, 1, 256, 256}});  // the causal mask
    for (const char* norm : {"ln_1", "ln_2"}) {
      tensors.push_back({layer + norm + ".weight", {hidden}});
      tensors.push_back({layer + norm + ".bias", {hidden}});
    }
    const std::tuple<const char*, int, int> matrices[] = {{"attn.c_attn", hidden, 3 * hidden},
                                                          {"attn.c_proj", hidden, hidden},
                                                          {"mlp.c_fc", hidden, 4 * hidden},
                                                          {"mlp.c_proj", 4 * hidden, hidden}};
    for (const auto& [name, inputs, outputs] : matrices) {
      tensors.push_back({layer + name + ".weight", {inputs, outputs}});
      tensors.push_back({layer + name + ".bias", {outputs}});
    }
  }
  expectSameModel({{"model_type", "gpt2"},
                   {"vocab_size", vocabulary},
                   {"n_embd", hidden},
                   {"n_head", 4},
                   {"n_layer", layers},
                   {"n_positions", 256},
                   {"activation_function", "gelu_new"},
                   {"bos_token_id", 317},
                   {"eos_token_id", 319}},
                  tensors);
}

TEST(ConvertFamilies, WhatGgufCannotStateIsRefusedByName) {
  auto tensors = attentionTensors("model.", 2);
  for (int i = 0; i < layers; ++i) addFeedForward(tensors, "model.layers." + std::to_string(i) + ".mlp.", feedForward);
  const TemporaryFolder folder;
  const auto in = folder.path() / "in", out = folder.path() / "out.gguf";
  // GGUF has no key for the pattern; readers assume that every fourth layer has no window.
  writeFolder(in, config("cohere2", {{"sliding_window", 8}, {"sliding_window_pattern", 2}, {"tie_word_embeddings", true}}), tensors);
  const auto report = convertFile(in, out, "f32");
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, ErrorKind::unsupported);
  EXPECT_NE(report.error().what.find("sliding window of layer 1"), std::string::npos) << report.error().what;
  EXPECT_FALSE(fs::exists(out));
  EXPECT_FALSE(fs::exists(out.string() + ".partial"));
}

}  // namespace
}  // namespace minerva::convert
