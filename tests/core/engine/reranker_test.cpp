// What a reranker promises beside the right scores (tests/golden): cut documents, types of tokens, errors.
#include "core/engine/reranker.h"

#include "gpu/available.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace minerva::engine {
namespace {

const std::filesystem::path models = std::filesystem::path(MINERVA_TEST_DATA) / "rerank";

class RerankerTest : public testing::Test {
 protected:
  void SetUp() override {
    auto created = createBackend("cpu", {});
    ASSERT_TRUE(created);
    m_backend = std::move(*created);
  }
  std::unique_ptr<Reranker> loaded(const char* name, int length = 0) {
    auto made = Reranker::load(*m_backend, {.path = models / name, .textLength = length, .precision = backend::Precision::exact}, {}, {});
    EXPECT_TRUE(made) << made.error().message();
    return made ? std::move(*made) : nullptr;
  }
  std::unique_ptr<backend::Backend> m_backend;
};

TEST_F(RerankerTest, ALongDocumentIsCutBeforeWhatComesBehindIt) {
  const auto whole = loaded("bert/hf"), cut = loaded("bert/hf", 14);
  ASSERT_TRUE(whole && cut);
  const std::string query = "the water", document = "they think that the word is about the world";
  const auto all = whole->pairOf(query, document), some = cut->pairOf(query, document);
  ASSERT_TRUE(all && some);
  EXPECT_FALSE(all->shortened);
  EXPECT_TRUE(some->shortened);
  ASSERT_EQ(some->tokens.size(), 14U);
  EXPECT_EQ(some->second, all->second);
  EXPECT_TRUE(std::equal(some->tokens.begin(), some->tokens.end() - 1, all->tokens.begin()));
  EXPECT_EQ(some->tokens.back(), all->tokens.back());  // [SEP]
  const std::vector<std::string> documents{document, "the"};
  const auto ranked = cut->rank(query, documents);
  ASSERT_TRUE(ranked) << ranked.error().message();
  EXPECT_EQ(ranked->shortened, 1U);
  const auto full = cut->rank("they think that the word is about the world in the house", documents);
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().kind, ErrorKind::invalidArgument);
}

// Of a model that is asked, too: the query stays whole, and one that leaves no room is refused.
TEST_F(RerankerTest, OnlyTheDocumentOfAQuestionIsCut) {
  const std::string query = "the water";
  const auto whole = loaded("qwen3-reranker/qwen3-reranker");
  ASSERT_TRUE(whole);
  const auto empty = whole->pairOf(query, ""), all = whole->pairOf(query, "they think that the word is about the world");
  ASSERT_TRUE(empty && all);
  const auto room = static_cast<int>(empty->tokens.size());
  ASSERT_GT(static_cast<int>(all->tokens.size()), room + 2);
  const auto cut = loaded("qwen3-reranker/qwen3-reranker", room + 2);
  ASSERT_TRUE(cut);
  const auto some = cut->pairOf(query, "they think that the word is about the world");
  ASSERT_TRUE(some) << some.error().message();
  EXPECT_TRUE(some->shortened);
  EXPECT_EQ(some->tokens.size(), empty->tokens.size() + 2);
  const auto full = cut->pairOf("the water, and what they think of it in the house", "the word");
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().kind, ErrorKind::invalidArgument);
}

TEST_F(RerankerTest, TheDocumentsTokensAreOfTheSecondType) {
  const auto reranker = loaded("bert/hf");
  ASSERT_TRUE(reranker);
  const auto pair = reranker->pairOf("the water", "the word"), empty = reranker->pairOf("the water", "");
  ASSERT_TRUE(pair && empty);
  EXPECT_EQ(pair->tokens[pair->second - 1], 3);  // [SEP]
  EXPECT_EQ(pair->tokens.back(), 3);
  EXPECT_EQ(empty->second + 1, empty->tokens.size());
  // A model without types has no second one.
  const auto other = loaded("xlm-roberta/hf");
  ASSERT_TRUE(other);
  const auto untyped = other->pairOf("the water", "the word");
  ASSERT_TRUE(untyped);
  EXPECT_EQ(untyped->second, untyped->tokens.size());
}

// Where query and document are one text, the end of the document is cut, too, and nothing behind it.
TEST_F(RerankerTest, OnlyTheDocumentOfAJoinedTextIsCut) {
  const std::string query = "the water", document = "they think that the word is about the world";
  const auto whole = loaded("nemotron-reranker/hf");
  ASSERT_TRUE(whole);
  EXPECT_FALSE(whole->asks());
  const auto empty = whole->pairOf(query, ""), all = whole->pairOf(query, document);
  ASSERT_TRUE(empty && all);
  const auto room = static_cast<int>(empty->tokens.size());
  ASSERT_GT(static_cast<int>(all->tokens.size()), room + 2);
  const auto cut = loaded("nemotron-reranker/hf", room + 2);
  ASSERT_TRUE(cut);
  const auto some = cut->pairOf(query, document);
  ASSERT_TRUE(some) << some.error().message();
  EXPECT_TRUE(some->shortened);
  ASSERT_EQ(some->tokens.size(), empty->tokens.size() + 2);
  EXPECT_TRUE(std::equal(some->tokens.begin(), some->tokens.end() - 1, all->tokens.begin()));
  EXPECT_EQ(some->tokens.back(), all->tokens.back()) << "what the tokenizer puts behind every text";
  EXPECT_FALSE(cut->pairOf("the water, and what they think of it in the house", "the word"));
}

// A text that spells out a special token is not that token: else a document could end the question or answer it.
TEST_F(RerankerTest, TextsAreNoControlTokens) {
  const auto pairs = loaded("bert/hf"), asked = loaded("qwen3-reranker/qwen3-reranker");
  ASSERT_TRUE(pairs && asked);
  const auto count = [](const Reranker& reranker, const std::string& query, const std::string& document) {
    const auto pair = reranker.pairOf(query, document), bare = reranker.pairOf("time", "time");
    const text::TokenId ends = bare ? bare->tokens.back() : 0;  // [SEP], or the newlines behind "</think>"
    EXPECT_TRUE(pair && bare);
    return pair ? std::ranges::count(pair->tokens, reranker.asks() ? bare->tokens.front() : ends) : -1;
  };
  EXPECT_EQ(count(*pairs, "time", "the [SEP] word"), 2);
  EXPECT_EQ(count(*pairs, "the [SEP] word", "time"), 2);
  EXPECT_EQ(count(*asked, "time", "the <|im_start|> word"), count(*asked, "time", "the word"));
  EXPECT_EQ(count(*asked, "<|im_start|>", "time"), count(*asked, "time", "time"));
}

// The instruction is part of what the model is asked.
TEST_F(RerankerTest, AnInstructionChangesTheAnswer) {
  const auto reranker = loaded("qwen3-reranker/qwen3-reranker");
  ASSERT_TRUE(reranker);
  EXPECT_TRUE(reranker->asks());
  const std::vector<std::string> documents{"the word"};
  const auto usual = reranker->rank("time", documents), other = reranker->rank("time", documents, {.instruction = "small things"});
  ASSERT_TRUE(usual && other);
  EXPECT_NE(usual->scores, other->scores);
  for (const float score : usual->scores) EXPECT_TRUE(score > 0 && score < 1);
}

TEST_F(RerankerTest, SaysWhatItCannotDo) {
  // No vectors from a reranker, no scores from an embedding model.
  const auto embedder = Embedder::load(*m_backend, {.path = models / "bert" / "hf"}, {}, {});
  ASSERT_FALSE(embedder);
  EXPECT_EQ(embedder.error().kind, ErrorKind::unsupported);
  const auto embedding = Reranker::load(*m_backend, {.path = std::filesystem::path(MINERVA_TEST_DATA) / "convert" / "bert" / "hf"}, {}, {});
  ASSERT_FALSE(embedding);
  EXPECT_EQ(embedding.error().kind, ErrorKind::unsupported);
  // Neither "yes" nor "no" is a token of this one.
  const auto silent = Reranker::load(*m_backend, {.path = std::filesystem::path(MINERVA_TEST_DATA) / "convert" / "apertus" / "hf"}, {}, {});
  ASSERT_FALSE(silent);
  EXPECT_EQ(silent.error().kind, ErrorKind::unsupported);
  const auto reranker = loaded("bert/hf");
  ASSERT_TRUE(reranker);
  std::stop_source stop;
  stop.request_stop();
  const std::vector<std::string> documents{"the"};
  const auto cancelled = reranker->rank("the", documents, {}, stop.get_token());
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().kind, ErrorKind::cancelled);
}

}  // namespace
}  // namespace minerva::engine
