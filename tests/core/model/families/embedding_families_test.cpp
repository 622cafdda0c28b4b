// Embedding models: what their folders and files say, and what they can have wrong.
#include "core/format/model_file.h"
#include "core/model/plan.h"
#include "tests/core/format/temporary_folder.h"
#include "tests/support/reference_data.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>

namespace minerva::model {
namespace {

using Json = nlohmann::json;

std::filesystem::path embeddingFolder(const std::string& name) { return tests::referenceData("oracle-2026/embeddings") / name; }

Result<ModelConfig> readEmbeddingModel(const std::filesystem::path& path) {
  MINERVA_ASSIGN(const auto file, format::ModelFile::open(path));
  return readModelConfig(*file);
}

// The error of a copy of a folder of which one JSON file was changed.
Error refusedCopy(const std::string& name, const std::string& changed, const std::function<void(Json&)>& change) {
  TemporaryFolder folder;
  std::filesystem::copy(embeddingFolder(name), folder.path() / "m", std::filesystem::copy_options::recursive);
  Json json = Json::parse(TemporaryFolder::read(folder.path() / "m" / changed));
  change(json);
  folder.write("m/" + changed, json.dump());
  const auto config = readEmbeddingModel(folder.path() / "m");
  EXPECT_FALSE(config) << changed;
  return config ? Error{} : config.error();
}

TEST(EmbeddingFamilies, SayHowTextsArePooled) {
  const auto file = format::ModelFile::open(embeddingFolder("bert-cls/hf"));
  ASSERT_TRUE(file);
  const auto bert = readModelConfig(**file);
  ASSERT_TRUE(bert) << bert.error().message();
  EXPECT_EQ(bert->embedding.pooling, Pooling::first);
  EXPECT_TRUE(bert->embedding.normalised);
  EXPECT_TRUE(bert->warnings.empty()) << bert->warnings.front();
  const auto plan = buildPlan(*bert);
  ASSERT_TRUE(plan) << plan.error().message();
  EXPECT_EQ(plan->logits, none);
  EXPECT_EQ(plan->resultColumns(), 32);
  // The first token's row is all that the last layer's feed-forward computes.
  const auto pool = std::ranges::find_if(plan->ops, [](const Op& op) { return std::holds_alternative<PoolOp>(op); });
  ASSERT_NE(pool, plan->ops.end());
  EXPECT_GE(plan->ops.end() - pool, 5);
  EXPECT_NE(toString(*plan).find("first token of each text's rows"), std::string::npos);
}

TEST(EmbeddingFamilies, WindowsReachToBothSides) {
  for (const char* path : {"embedding-gemma/hf", "embedding-gemma/gguf/embedding-gemma-BF16.gguf"}) {
    const auto gemma = readEmbeddingModel(embeddingFolder(path));
    ASSERT_TRUE(gemma) << gemma.error().message();
    EXPECT_EQ(gemma->embedding.pooling, Pooling::mean);
    ASSERT_EQ(gemma->embedding.dense.size(), 2U);
    EXPECT_EQ(gemma->embedding.dense[0].weight.shape.rows(), 64);
    EXPECT_EQ(gemma->layers[0].visible, (Visible{.window = 13, .bidirectional = true}));  // 12 to each side
    EXPECT_EQ(gemma->layers[5].visible, (Visible{.bidirectional = true}));
  }
  for (const char* path : {"modernbert/hf", "modernbert/gguf/modernbert-BF16.gguf"}) {
    const auto modern = readEmbeddingModel(embeddingFolder(path));
    ASSERT_TRUE(modern) << modern.error().message();
    EXPECT_EQ(modern->layers[0].visible, (Visible{.bidirectional = true}));
    EXPECT_EQ(modern->layers[1].visible, (Visible{.window = 9, .bidirectional = true}));
    EXPECT_EQ(modern->layers[3].rope, 0);
    EXPECT_FALSE(modern->layers[0].attentionNorm.present());
    EXPECT_TRUE(modern->layers[1].attentionNorm.present());
  }
}

TEST(EmbeddingFamilies, WithoutModulesTheMeanIsUsed) {
  TemporaryFolder folder;
  std::filesystem::copy(embeddingFolder("bert-cls/hf"), folder.path() / "m", std::filesystem::copy_options::recursive);
  std::filesystem::remove(folder.path() / "m" / "modules.json");
  const auto config = readEmbeddingModel(folder.path() / "m");
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(config->embedding.pooling, Pooling::mean);
  EXPECT_EQ(config->warnings.size(), 1U);
}

TEST(EmbeddingFamilies, RefuseWhatTheyDoNotKnow) {
  const char* pooling = "1_Pooling/config.json";
  EXPECT_EQ(refusedCopy("bert-cls/hf", pooling, [](Json& j) { j["pooling_mode_mean_tokens"] = true; }).actual, "cls_token and mean_tokens");
  const Error weighted = refusedCopy("bert-cls/hf", pooling, [](Json& j) {
    j["pooling_mode_cls_token"] = false;
    j["pooling_mode_weightedmean_tokens"] = true;
  });
  EXPECT_EQ(weighted.kind, ErrorKind::unsupported);
  EXPECT_EQ(refusedCopy("bert-cls/hf", pooling, [](Json& j) { j["include_prompt"] = false; }).kind, ErrorKind::unsupported);
  EXPECT_EQ(refusedCopy("bert-cls/hf", "modules.json", [](Json& j) { j[1]["type"] = "x.CNN"; }).actual, "CNN");
  EXPECT_EQ(refusedCopy("bert-cls/hf", "modules.json", [](Json& j) { std::swap(j[1], j[2]); }).kind, ErrorKind::unsupported);
  EXPECT_EQ(refusedCopy("embedding-gemma/hf", "2_Dense/config.json", [](Json& j) { j["activation_function"] = "torch.nn.Tanh"; }).kind,
            ErrorKind::unsupported);
  EXPECT_EQ(refusedCopy("bert-cls/hf", "config.json", [](Json& j) { j["position_embedding_type"] = "relative_key"; }).kind,
            ErrorKind::unsupported);
  EXPECT_EQ(refusedCopy("bert-cls/hf", "config.json", [](Json& j) { j["is_decoder"] = true; }).kind, ErrorKind::unsupported);
}

TEST(EmbeddingFamilies, RefuseDamagedFolders) {
  for (const char* outside : {"../1_Pooling", "..", "a/b", "/etc"}) {
    EXPECT_EQ(refusedCopy("bert-cls/hf", "modules.json", [&](Json& j) { j[1]["path"] = outside; }).kind, ErrorKind::corrupt) << outside;
  }
  EXPECT_EQ(refusedCopy("bert-cls/hf", "modules.json", [](Json& j) { j = Json::object(); }).kind, ErrorKind::corrupt);
  EXPECT_EQ(refusedCopy("bert-cls/hf", "modules.json", [](Json& j) { j[1].erase("type"); }).kind, ErrorKind::corrupt);
  EXPECT_EQ(refusedCopy("bert-cls/hf", "config.json", [](Json& j) { j["max_position_embeddings"] = 300; }).kind, ErrorKind::corrupt);
  EXPECT_EQ(refusedCopy("bert-cls/hf", "config.json", [](Json& j) { j["intermediate_size"] = 65; }).kind, ErrorKind::corrupt);
  TemporaryFolder folder;
  std::filesystem::copy(embeddingFolder("embedding-gemma/hf"), folder.path() / "m", std::filesystem::copy_options::recursive);
  std::filesystem::remove(folder.path() / "m" / "3_Dense" / "model.safetensors");
  const auto missing = readEmbeddingModel(folder.path() / "m");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().what.find("3_Dense/linear.weight"), std::string::npos) << missing.error().message();
}

TEST(EmbeddingFamilies, APaddingTokenOutsideThePositionsIsRefused) {
  const auto folder = std::filesystem::path(MINERVA_TEST_DATA) / "embedding" / "tiny-xlm-roberta" / "hf";
  for (const std::int64_t token : {std::int64_t{-1}, std::int64_t{1} << 20, std::numeric_limits<std::int64_t>::max()}) {
    const TemporaryFolder copy;
    std::filesystem::copy(folder, copy.path() / "m", std::filesystem::copy_options::recursive);
    Json json = Json::parse(TemporaryFolder::read(folder / "config.json"));
    json["pad_token_id"] = token;
    std::ofstream(copy.path() / "m" / "config.json") << json;
    const auto config = readEmbeddingModel(copy.path() / "m");
    ASSERT_FALSE(config);
    EXPECT_NE(config.error().message().find("pad_token_id"), std::string::npos) << config.error().message();
  }
}

}  // namespace
}  // namespace minerva::model
