// What an embedder promises beside the right vectors (tests/golden): batches, prompts, cut texts, errors.
#include "core/format/model_file.h"
#include "core/engine/embedder.h"

#include "core/engine/engine.h"
#include "gpu/available.h"
#include "tests/core/format/temporary_folder.h"
#include "tests/support/reference_data.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace minerva::engine {
namespace {

const std::vector<std::string> texts{"the water in the house", "a", "they think that the word is about the world", "time (day)"};

std::filesystem::path embeddingModel(const std::string& path) { return tests::referenceData("oracle-2026/embeddings") / path; }

class EmbedderTest : public testing::Test {
 protected:
  void SetUp() override {
    auto created = createBackend("cpu", {});
    ASSERT_TRUE(created);
    m_backend = std::move(*created);
  }
  Result<std::unique_ptr<Embedder>> load(EmbedderOptions options) { return Embedder::load(*m_backend, options, {}, {}); }
  std::unique_ptr<Embedder> loaded(EmbedderOptions options) {
    auto made = load(std::move(options));
    EXPECT_TRUE(made) << made.error().message();
    return made ? std::move(*made) : nullptr;
  }

  std::unique_ptr<backend::Backend> m_backend;
};

void expectNear(std::span<const float> a, std::span<const float> b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-5) << i;
}

TEST_F(EmbedderTest, EveryBatchGivesTheSameVectors) {
  const auto all = loaded({.path = embeddingModel("bert-cls/hf"), .precision = backend::Precision::exact});
  const auto two = loaded({.path = embeddingModel("bert-cls/hf"), .texts = 2, .precision = backend::Precision::exact});
  const auto few = loaded({.path = embeddingModel("bert-cls/gguf/bert-cls-BF16.gguf"), .rows = 4, .precision = backend::Precision::exact});
  ASSERT_TRUE(all && two && few);
  const auto a = all->embed(texts), b = two->embed(texts), c = few->embed(texts);
  ASSERT_TRUE(a && b && c);
  EXPECT_EQ(a->steps, 1U);
  EXPECT_EQ(b->steps, 2U);
  EXPECT_EQ(c->steps, 4U);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    expectNear(a->of(i), b->of(i));
    expectNear(a->of(i), c->of(i));
    const auto alone = all->embed(std::span(texts).subspan(i, 1));
    ASSERT_TRUE(alone);
    expectNear(a->of(i), alone->of(0));
  }
}

TEST_F(EmbedderTest, AFolderAndAGgufFileGiveTheSameTokens) {
  const auto folder = loaded({.path = embeddingModel("bert-cls/hf")}),
             gguf = loaded({.path = embeddingModel("bert-cls/gguf/bert-cls-BF16.gguf")});
  ASSERT_TRUE(folder && gguf);
  for (const std::string& text : {texts[0], texts[3], std::string("Thé  WATER,[MASK]?!"), std::string("水 day\tx"), std::string()}) {
    EXPECT_EQ(folder->tokensOf(text), gguf->tokensOf(text)) << text;
  }
  // [CLS] and [SEP] around nothing; a special token in the text counts as such.
  EXPECT_EQ(folder->tokensOf(""), (std::vector<text::TokenId>{2, 3}));
  EXPECT_EQ(folder->tokensOf("[MASK]"), (std::vector<text::TokenId>{2, 4, 3}));
}

TEST_F(EmbedderTest, ALongTextIsCutBeforeItsLastToken) {
  const auto embedder = loaded({.path = embeddingModel("bert-cls/hf"), .textLength = 8, .precision = backend::Precision::exact});
  ASSERT_TRUE(embedder);
  EXPECT_EQ(embedder->info().textLength, 8);
  std::vector<text::TokenId> ids = embedder->tokensOf(texts[2]);
  ASSERT_GT(ids.size(), 8U);
  ids.erase(ids.begin() + 7, ids.end() - 1);
  const auto cut = embedder->embed(std::span(texts).subspan(2, 1)),
             wanted = embedder->embedTokens(std::vector<std::vector<text::TokenId>>{ids});
  ASSERT_TRUE(cut && wanted);
  EXPECT_EQ(cut->shortened, 1U);
  EXPECT_EQ(cut->tokens, std::vector<int>{8});
  expectNear(cut->of(0), wanted->of(0));
}

TEST_F(EmbedderTest, PromptsAreTheModels) {
  TemporaryFolder folder;
  std::filesystem::copy(embeddingModel("bert-cls/hf"), folder.path() / "m", std::filesystem::copy_options::recursive);
  folder.write("m/config_sentence_transformers.json",
               R"({"prompts": {"query": "the house: ", "document": ""}, "default_prompt_name": "query"})");
  folder.write("m/sentence_bert_config.json", R"({"max_seq_length": 100})");
  const auto embedder = loaded({.path = folder.path() / "m", .precision = backend::Precision::exact});
  ASSERT_TRUE(embedder);
  EXPECT_EQ(embedder->info().textLength, 100);
  EXPECT_EQ(embedder->info().prompts.size(), 2U);
  const std::vector<std::string> plain{"water"}, whole{"the house: water"};
  const auto usual = embedder->embed(plain), named = embedder->embed(plain, {.prompt = "query"}),
             none = embedder->embed(plain, {.prompt = ""}), typed = embedder->embed(plain, {.prompt = "", .before = "the house: "}),
             document = embedder->embed(plain, {.prompt = "document"}), spelled = embedder->embed(whole, {.prompt = ""});
  ASSERT_TRUE(usual && named && none && typed && document && spelled);
  expectNear(usual->of(0), spelled->of(0));
  expectNear(named->of(0), spelled->of(0));
  expectNear(typed->of(0), spelled->of(0));
  expectNear(none->of(0), document->of(0));
  EXPECT_NE(none->tokens, usual->tokens);
  const auto unknown = embedder->embed(plain, {.prompt = "passage"});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().expected, "one of document, query");
}

TEST_F(EmbedderTest, SaysWhatItCannotDo) {
  const auto generating = load({.path = std::filesystem::path(MINERVA_TEST_DATA) / "golden/models/llama-gqa-bf16/hf"});
  ASSERT_FALSE(generating);
  EXPECT_EQ(generating.error().kind, ErrorKind::unsupported);
  EXPECT_FALSE(load({.path = embeddingModel("bert-cls/hf"), .rows = 0}));
  const auto embedder = loaded({.path = embeddingModel("bert-cls/hf")});
  ASSERT_TRUE(embedder);
  EXPECT_FALSE(embedder->embedTokens(std::vector<std::vector<text::TokenId>>{{}}));
  EXPECT_FALSE(embedder->embedTokens(std::vector<std::vector<text::TokenId>>{{2, 1 << 20, 3}}));
  EXPECT_FALSE(embedder->embedTokens(std::vector<std::vector<text::TokenId>>{std::vector<text::TokenId>(10000, 5)}));
  std::stop_source stop;
  stop.request_stop();
  const auto cancelled = embedder->embed(texts, {}, stop.get_token());
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().kind, ErrorKind::cancelled);
  EXPECT_TRUE(embedder->embed(texts));  // it goes on
}

TEST_F(EmbedderTest, TheEngineRefusesAnEmbeddingModel) {
  const auto engine = Engine::load(*m_backend, {.path = embeddingModel("bert-cls/hf")}, {}, {});
  ASSERT_FALSE(engine);
  EXPECT_EQ(engine.error().kind, ErrorKind::unsupported);
  EXPECT_NE(engine.error().what.find("embedding model"), std::string::npos);
}

// Every device takes whole texts only.
TEST_F(EmbedderTest, APartOfATextIsNoStep) {
  const auto file = format::ModelFile::open(embeddingModel("bert-cls/hf"));
  ASSERT_TRUE(file);
  const auto config = model::readModelConfig(**file);
  ASSERT_TRUE(config) << config.error().message();
  const auto plan = model::buildPlan(*config);
  ASSERT_TRUE(plan) << plan.error().message();
  EXPECT_EQ(plan->kv.size(), 1U);  // all layers use one state in turn
  auto placed = m_backend->place(*plan, {.contextLength = 64, .slots = 2, .maxRows = 64, .maxOutputRows = 2}, {}, {});
  ASSERT_TRUE(placed) << placed.error().message();
  using Rows = std::vector<backend::StepRow>;
  const auto step = [&](const Rows& rows) { return (*placed)->step(rows).has_value(); };
  EXPECT_TRUE(step({{2, 0, 0, false}, {3, 1, 0, true}, {2, 0, 1, true}}));
  EXPECT_FALSE(step({{3, 2, 0, true}}));                                      // its beginning was in another step
  EXPECT_FALSE(step({{2, 0, 0, false}, {2, 0, 1, true}, {3, 1, 0, true}}));   // another text in between
  EXPECT_FALSE(step({{2, 0, 0, true}, {3, 1, 0, true}}));                     // not the last row
  EXPECT_FALSE(step({{2, 0, 0, false}, {3, 1, 0, false}, {2, 0, 1, true}}));  // no vector wanted
}

}  // namespace
}  // namespace minerva::engine
