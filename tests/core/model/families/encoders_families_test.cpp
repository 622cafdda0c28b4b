// Encoders beside BERT (tests/data/convert), and the decoders that also have ALiBi: what their folders and files say, and what is refused.
#include "core/format/model_file.h"
#include "core/model/plan.h"
#include "tests/core/format/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>

namespace minerva::model {
namespace {

using Json = nlohmann::json;

const std::filesystem::path data = MINERVA_TEST_DATA;

std::filesystem::path encoder(const std::string& name) { return data / "convert" / name / "hf"; }
std::filesystem::path encoderGguf(const std::string& name) { return data / "convert" / name / (name + ".gguf"); }

class EncoderFamilies : public testing::Test {
 protected:
  // Its views are of a file that stays open.
  ModelConfig read(const std::filesystem::path& path) {
    auto file = format::ModelFile::open(path);
    EXPECT_TRUE(file);
    m_files.push_back(std::move(*file));
    auto config = readModelConfig(*m_files.back());
    EXPECT_TRUE(config) << config.error().message();
    return config ? *config : ModelConfig{};
  }
  // Of a copy of a folder whose config.json was changed.
  ModelConfig readCopy(const std::filesystem::path& folder, const std::function<void(Json&)>& change) {
    const TemporaryFolder copy;
    std::filesystem::copy(folder, copy.path() / "m", std::filesystem::copy_options::recursive);
    Json json = Json::parse(TemporaryFolder::read(copy.path() / "m" / "config.json"));
    change(json);
    copy.write("m/config.json", json.dump());
    return read(copy.path() / "m");
  }

 private:
  std::vector<std::unique_ptr<const format::ModelFile>> m_files;
};

// The error of a copy of a folder whose config.json was changed.
Error errorOfCopy(const std::filesystem::path& folder, const std::function<void(Json&)>& change) {
  const TemporaryFolder copy;
  std::filesystem::copy(folder, copy.path() / "m", std::filesystem::copy_options::recursive);
  Json json = Json::parse(TemporaryFolder::read(copy.path() / "m" / "config.json"));
  change(json);
  copy.write("m/config.json", json.dump());
  const auto file = format::ModelFile::open(copy.path() / "m");
  EXPECT_TRUE(file);
  const auto config = readModelConfig(**file);
  EXPECT_FALSE(config) << json.dump();
  return config ? Error{} : config.error();
}

ErrorKind kindOfCopy(const std::filesystem::path& folder, const char* key, const Json& value) {
  return errorOfCopy(folder, [&](Json& json) { json[key] = value; }).kind;
}

TEST_F(EncoderFamilies, EverySecondLayerOfNomicIsAMixture) {
  for (const auto& path : {encoder("nomic-bert-moe"), encoderGguf("nomic-bert-moe")}) {
    const ModelConfig config = read(path);
    ASSERT_EQ(config.layers.size(), 3U);
    EXPECT_EQ(config.contextLength, 512);
    for (const std::size_t i : {0U, 1U, 2U}) EXPECT_EQ(config.layers[i].hasExperts(), i == 1) << i;
    EXPECT_EQ(config.layers[0].hasDense(), true);
    const Experts& experts = config.layers[1].experts;
    EXPECT_FALSE(experts.gated || experts.normalised);
    EXPECT_EQ(experts.count, 4);
    EXPECT_EQ(experts.used, 2);
    EXPECT_EQ(experts.resultBias.empty(), path.extension() == ".gguf");
    EXPECT_TRUE(config.warnings.empty()) << config.warnings.front();
    const auto plan = buildPlan(config);
    ASSERT_TRUE(plan) << plan.error().message();
  }
}

TEST_F(EncoderFamilies, WhatNomicsMixtureDoesNotHaveIsRefused) {
  const auto nomic = encoder("nomic-bert-moe");
  EXPECT_EQ(kindOfCopy(nomic, "expert_choice_router", true), ErrorKind::unsupported);
  EXPECT_EQ(kindOfCopy(nomic, "moe_normalize_expert_weights", true), ErrorKind::unsupported);
  EXPECT_EQ(kindOfCopy(nomic, "num_shared_experts", 1), ErrorKind::unsupported);
  EXPECT_EQ(kindOfCopy(nomic, "activation_function", "swiglu"), ErrorKind::unsupported);
  EXPECT_EQ(kindOfCopy(nomic, "num_experts", 5), ErrorKind::corrupt);
  EXPECT_EQ(kindOfCopy(nomic, "moe_top_k", 5), ErrorKind::corrupt);
  EXPECT_EQ(kindOfCopy(nomic, "moe_every_n_layers", 1), ErrorKind::corrupt);
}

TEST_F(EncoderFamilies, JinaBertHasSlopes) {
  for (const std::string id : {"jina-bert", "jina-bert-code"}) {
    for (const auto& path : {encoder(id), encoderGguf(id)}) {
      const ModelConfig config = read(path);
      EXPECT_EQ(config.alibi, 8.0F);
      EXPECT_TRUE(config.positionEmbedding.empty() && config.ropes.empty());
      const LayerConfig& layer = config.layers.front();
      EXPECT_TRUE(layer.visible.bidirectional);
      EXPECT_EQ(layer.attentionResultNorm.present(), id == "jina-bert-code");
      EXPECT_EQ(layer.qNorm.weights.present(), id == "jina-bert-code");
      EXPECT_TRUE(config.warnings.empty()) << config.warnings.front();
      const auto plan = buildPlan(config);
      ASSERT_TRUE(plan) << plan.error().message();
      EXPECT_NE(toString(*plan).find("less by distance (8)"), std::string::npos);
    }
  }
  for (const char* kind : {"reglu", "original"})
    EXPECT_EQ(kindOfCopy(encoder("jina-bert"), "feed_forward_type", kind), ErrorKind::unsupported);
  EXPECT_EQ(errorOfCopy(encoder("jina-bert"), [](Json& json) { json.erase("feed_forward_type"); }).kind, ErrorKind::unsupported);
}

// 2^-(8 / 8) of 8 heads and so on; 12 heads have those of 8, and then every other one of 16.
TEST_F(EncoderFamilies, SlopesAreThoseOfThePaper) {
  EXPECT_FLOAT_EQ(alibiSlope(8, 0, 8), 0.5F);
  EXPECT_FLOAT_EQ(alibiSlope(8, 7, 8), 1.0F / 256);
  EXPECT_FLOAT_EQ(alibiSlope(8, 7, 12), 1.0F / 256);
  EXPECT_FLOAT_EQ(alibiSlope(8, 8, 12), std::sqrt(0.5F));
  EXPECT_FLOAT_EQ(alibiSlope(8, 11, 12), std::pow(0.5F, 3.5F));
  EXPECT_FLOAT_EQ(alibiSlope(8, 0, 1), 1.0F / 256);
}

TEST_F(EncoderFamilies, AdaptersOfJinasThirdAreLeftAside) {
  const ModelConfig config = read(encoder("jina-v3"));
  EXPECT_EQ(config.family, "roberta");  // as its config.json says
  EXPECT_EQ(config.contextLength, 512);
  EXPECT_EQ(config.ropes.size(), 1U);
  ASSERT_EQ(config.warnings.size(), 1U);
  EXPECT_NE(config.warnings.front().find("adapters"), std::string::npos);
  EXPECT_EQ(read(encoderGguf("jina-v3")).family, "jina-bert-v3");
  EXPECT_EQ(kindOfCopy(encoder("jina-v3"), "position_embedding_type", "relative_key"), ErrorKind::unsupported);
}

TEST_F(EncoderFamilies, SeeBothDirections) {
  for (const std::string id : {"eurobert", "neo-bert", "llama-embed"}) {
    for (const auto& path : {encoder(id), encoderGguf(id)}) {
      const ModelConfig config = read(path);
      EXPECT_TRUE(std::ranges::all_of(config.layers, [](const LayerConfig& layer) { return layer.visible.bidirectional; })) << path;
      EXPECT_EQ(config.embedding.pooling, id == "neo-bert" ? Pooling::first : Pooling::mean);
      // llama.cpp's converter does not say how the rows of the last one are pooled.
      EXPECT_EQ(config.warnings.size(), id == "llama-embed" && path.extension() == ".gguf" ? 1U : 0U) << path;
    }
  }
  EXPECT_EQ(kindOfCopy(encoder("neo-bert"), "intermediate_size", 96), ErrorKind::corrupt);
  EXPECT_EQ(kindOfCopy(encoder("neo-bert"), "architectures", {"NeoBERTForSequenceClassification"}), ErrorKind::unsupported);
  EXPECT_EQ(kindOfCopy(encoder("eurobert"), "architectures", {"EuroBertForSequenceClassification"}), ErrorKind::unsupported);
}

TEST_F(EncoderFamilies, RotationOfGteIsStretched) {
  const auto gte = data / "embedding" / "gte" / "hf";
  const ModelConfig config = read(gte);
  const Rope& rope = config.ropes.front();
  EXPECT_NEAR(rope.frequencies[0], std::pow(8.0, -2.0 / 16), 1e-6);
  EXPECT_NEAR(rope.frequencies[7], std::pow(20000.0, -14.0 / 16) / 8, 1e-9);
  const auto scaled = [&](const Json& scaling) { return kindOfCopy(gte, "rope_scaling", scaling); };
  EXPECT_EQ(scaled({{"type", "ntk"}, {"factor", 8.0}, {"mixed_b", 0.6}}), ErrorKind::unsupported);
  EXPECT_EQ(scaled({{"type", "linear"}, {"factor", 8.0}}), ErrorKind::unsupported);
  EXPECT_EQ(scaled({{"type", "ntk"}, {"factor", 0}}), ErrorKind::corrupt);
  EXPECT_EQ(kindOfCopy(gte, "position_embedding_type", "absolute"), ErrorKind::unsupported);
  EXPECT_EQ(kindOfCopy(gte, "layer_norm_type", "rms_norm"), ErrorKind::unsupported);
  EXPECT_EQ(kindOfCopy(gte, "logn_attention_scale", true), ErrorKind::unsupported);
}

// As Transformers writes the same model: "ntk" is a linear stretch of a larger base. Its tensors begin with "gte." then.
TEST_F(EncoderFamilies, GteAsTransformersWritesIt) {
  const auto folder = data / "embedding" / "gte" / "hf";
  const ModelConfig published = read(folder);
  const TemporaryFolder copy;
  std::filesystem::copy(folder, copy.path() / "m", std::filesystem::copy_options::recursive);
  Json json = Json::parse(TemporaryFolder::read(folder / "config.json"));
  for (const char* key : {"rope_scaling", "rope_theta", "position_embedding_type", "layer_norm_type"}) json.erase(key);
  json["model_type"] = "gte";
  json["architectures"] = {"GteModel"};
  json["rope_parameters"] = {{"rope_type", "linear"}, {"factor", std::pow(8.0, 2.0 / 16)}, {"rope_theta", 20000.0 * 8}};
  copy.write("m/config.json", json.dump());
  std::string weights = TemporaryFolder::read(folder / "model.safetensors");
  for (auto at = weights.find("\"new."); at != std::string::npos; at = weights.find("\"new.", at)) weights.replace(at, 5, "\"gte.");
  copy.write("m/model.safetensors", weights);
  const ModelConfig written = read(copy.path() / "m");
  ASSERT_EQ(written.layers.size(), published.layers.size());
  ASSERT_EQ(written.ropes.front().frequencies.size(), published.ropes.front().frequencies.size());
  for (std::size_t i = 0; i < 8; ++i)
    EXPECT_NEAR(written.ropes.front().frequencies[i], published.ropes.front().frequencies[i],
                1e-6 * published.ropes.front().frequencies[i]);
  json["rope_parameters"] = {{"rope_type", "default"}, {"rope_theta", 160000.0}};  // snowflake-arctic-embed-m-v2.0's
  copy.write("m/config.json", json.dump());
  EXPECT_NEAR(read(copy.path() / "m").ropes.front().frequencies[4], std::pow(160000.0, -0.5), 1e-8);
}

// NVIDIA's rerankers: their rows are pooled as their configuration says, and the score is divided by a temperature.
TEST_F(EncoderFamilies, RerankersWhoseTextsAreOne) {
  const auto folder = data / "rerank" / "nemotron-reranker" / "hf";
  const auto with = [&](const char* key, const Json& value) { return readCopy(folder, [&](Json& json) { json[key] = value; }); };
  const ModelConfig config = read(folder);
  EXPECT_TRUE(config.warnings.empty());
  EXPECT_TRUE(config.layers.front().visible.bidirectional);
  EXPECT_EQ(config.embedding.pooling, Pooling::mean);
  ASSERT_TRUE(config.ranks());
  EXPECT_EQ(config.ranking->temperature, 0.5F);
  EXPECT_EQ(config.ranking->beforeQuery, "question:");
  EXPECT_EQ(config.ranking->beforeDocument, " \n \n passage:");
  EXPECT_EQ(with("pooling", nullptr).embedding.pooling, Pooling::mean);
  EXPECT_EQ(with("pooling", "cls").embedding.pooling, Pooling::first);
  EXPECT_EQ(with("pooling", "last").embedding.pooling, Pooling::last);
  EXPECT_EQ(with("temperature", nullptr).ranking->temperature, 1.0F);
  EXPECT_EQ(kindOfCopy(folder, "pooling", "weighted_avg"), ErrorKind::unsupported);
  EXPECT_EQ(kindOfCopy(folder, "temperature", 0), ErrorKind::corrupt);
}

TEST_F(EncoderFamilies, DecodersWithSlopes) {
  const auto mpt = data / "golden" / "models" / "tiny-mpt" / "hf", bloom = data / "golden" / "models" / "tiny-bloom" / "hf";
  EXPECT_EQ(read(mpt).alibi, 8.0F);
  EXPECT_EQ(read(bloom).alibi, 8.0F);
  EXPECT_EQ(kindOfCopy(bloom, "apply_residual_connection_post_layernorm", true), ErrorKind::unsupported);
  const auto attention = [&](const char* key, const Json& value) {
    return errorOfCopy(mpt, [&](Json& json) { json["attn_config"][key] = value; }).kind;
  };
  const auto limited = [&](const Json& limit) { return readCopy(mpt, [&](Json& json) { json["attn_config"]["clip_qkv"] = limit; }); };
  EXPECT_EQ(limited(6).attentionLimit, 6.0F);
  EXPECT_EQ(limited(0.5).attentionLimit, 0.5F);
  EXPECT_EQ(limited(nullptr).attentionLimit, 0.0F);
  EXPECT_EQ(attention("clip_qkv", -6.0), ErrorKind::corrupt);
  EXPECT_EQ(attention("clip_qkv", "6"), ErrorKind::corrupt);
  EXPECT_EQ(attention("qk_ln", true), ErrorKind::unsupported);
  EXPECT_EQ(attention("prefix_lm", true), ErrorKind::unsupported);
  EXPECT_EQ(attention("softmax_scale", 0.5), ErrorKind::unsupported);
  EXPECT_EQ(attention("alibi", false), ErrorKind::unsupported);
  EXPECT_EQ(attention("attn_type", "multiquery_attention"), ErrorKind::corrupt) << "the matrix has keys for every head";
  EXPECT_EQ(attention("attn_type", "grouped_query_attention"), ErrorKind::corrupt) << "in groups of no stated size";
  EXPECT_EQ(attention("attn_type", "linear_attention"), ErrorKind::unsupported);
  const ModelConfig grouped = read(data / "golden" / "models" / "tiny-mpt-limits" / "hf");
  EXPECT_EQ(grouped.attentionLimit, 0.75F);
  EXPECT_EQ(grouped.layers.front().kvHeadCount, 2);
  EXPECT_EQ(attention("alibi_bias_max", -1), ErrorKind::corrupt);
  EXPECT_EQ(kindOfCopy(mpt, "logit_scale", 0.5), ErrorKind::unsupported);
}

}  // namespace
}  // namespace minerva::model
