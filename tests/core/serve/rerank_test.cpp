// /v1/rerank: the scores of Transformers (tests/data/rerank) in the form of Jina's, Cohere's and llama-server's interfaces.
#include "tests/core/serve/serve_test.h"

#include <fstream>

namespace minerva::serve {
namespace {

const std::filesystem::path rerankData = std::filesystem::path(MINERVA_TEST_DATA) / "rerank";

struct Reference {
  std::string query;
  std::vector<std::string> documents;
  std::vector<double> scores;
  int tokens = 0;

  static Reference of(const std::string& id) {
    std::ifstream in(rerankData / "rerankers.json");
    const Json all = Json::parse(in);
    Reference out{all["query"], all["documents"], {}, 0};
    for (const Json& one : all["cases"]) {
      if (one["id"] != id) continue;
      out.scores = one["scores"].get<std::vector<double>>();
      for (const Json& tokens : one["tokens"]) out.tokens += static_cast<int>(tokens.size());
    }
    return out;
  }
};

class RerankServer : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    m_backend = std::move(*createBackend("cpu", {.threads = 1}));
    auto reranker = engine::Reranker::load(*m_backend, {.path = rerankData / "bert/hf", .precision = backend::Precision::exact}, {}, {});
    ASSERT_TRUE(reranker) << reranker.error().message();
    m_reranker = std::move(*reranker);
    auto server =
        Server::start({.engine = nullptr, .slots = 0, .embedder = nullptr, .desk = {}, .reranker = m_reranker.get()}, {.model = "ranks"});
    ASSERT_TRUE(server) << server.error().message();
    m_server = std::move(*server);
  }
  static void TearDownTestSuite() {
    m_server.reset();
    m_reranker.reset();
    m_backend.reset();
  }
  static Answer ask(const char* path, const Json& body) {
    httplib::Client client("127.0.0.1", m_server->port());
    const auto result = client.Post(path, body.dump(), "application/json");
    return result ? Answer{result->status, result->body, ""} : Answer{};
  }

  static std::unique_ptr<backend::Backend> m_backend;
  static std::unique_ptr<engine::Reranker> m_reranker;
  static std::unique_ptr<Server> m_server;
};
std::unique_ptr<backend::Backend> RerankServer::m_backend;
std::unique_ptr<engine::Reranker> RerankServer::m_reranker;
std::unique_ptr<Server> RerankServer::m_server;

TEST_F(RerankServer, TheBestComeFirstWithTheReferencesScores) {
  const Reference reference = Reference::of("bert");
  ASSERT_EQ(reference.scores.size(), 5U);
  for (const char* path : {"/v1/rerank", "/rerank"}) {
    const Json reply = ask(path, {{"model", "ranks"}, {"query", reference.query}, {"documents", reference.documents}}).json();
    EXPECT_EQ(reply["model"], "ranks");
    EXPECT_EQ(reply["object"], "list");
    EXPECT_EQ(reply["usage"], (Json{{"prompt_tokens", reference.tokens}, {"total_tokens", reference.tokens}}));
    ASSERT_EQ(reply["results"].size(), 5U) << reply;
    std::vector<std::size_t> order{0, 1, 2, 3, 4};
    std::ranges::sort(order, std::greater(), [&](std::size_t i) { return reference.scores[i]; });
    for (std::size_t i = 0; i < 5; ++i) {
      const Json& one = reply["results"][i];
      EXPECT_EQ(one.size(), 2U) << one;
      EXPECT_EQ(one["index"], order[i]);
      EXPECT_NEAR(one["relevance_score"].get<double>(), reference.scores[order[i]], 1e-5);
    }
  }
}

TEST_F(RerankServer, OnlyTheBestAndTheirTextsIfAskedFor) {
  const Reference reference = Reference::of("bert");
  Json documents = reference.documents;
  documents[3] = {{"text", reference.documents[3]}};  // an object is the same
  const Json reply =
      ask("/v1/rerank", {{"query", reference.query}, {"documents", documents}, {"top_n", 2}, {"return_documents", true}}).json();
  ASSERT_EQ(reply["results"].size(), 2U) << reply;
  EXPECT_EQ(reply["results"][0]["index"], 3);  // 0.512, then 0.463
  EXPECT_EQ(reply["results"][0]["document"], (Json{{"text", reference.documents[3]}}));
  EXPECT_EQ(reply["results"][1]["index"], 0);
}

TEST_F(RerankServer, TellsOfDocumentsThatWereCut) {
  std::string all;
  for (int i = 0; i < 2000; ++i) all += "the word ";
  const Json reply = ask("/v1/rerank", {{"query", "the water"}, {"documents", {all, "the world"}}}).json();
  ASSERT_EQ(reply["meta"]["warnings"].size(), 1U) << reply;
  EXPECT_TRUE(reply["meta"]["warnings"][0].get<std::string>().ends_with("with the query: 1")) << reply;
  EXPECT_FALSE(ask("/v1/rerank", {{"query", "the water"}, {"documents", {"the world"}}}).json().contains("meta"));
}

TEST_F(RerankServer, SaysWhatIsWrong) {
  const auto expectWrong = [](const char* path, const Json& body, const char* param, const char* words) {
    const Answer answer = ask(path, body);
    EXPECT_EQ(answer.status, 400) << answer.body;
    EXPECT_EQ(answer.json()["error"]["param"], param) << answer.body;
    EXPECT_NE(answer.json()["error"]["message"].get<std::string>().find(words), std::string::npos) << answer.body;
  };
  const Json documents{"a", "b"};
  expectWrong("/v1/rerank", {{"documents", documents}}, "query", "none");
  expectWrong("/v1/rerank", {{"query", ""}, {"documents", documents}}, "query", "empty");
  expectWrong("/v1/rerank", {{"query", "a"}}, "documents", "1 to 2048");
  expectWrong("/v1/rerank", {{"query", "a"}, {"documents", Json::array()}}, "documents", "1 to 2048");
  expectWrong("/v1/rerank", {{"query", "a"}, {"documents", {"a", 5}}}, "documents[1]", "a text");
  expectWrong("/v1/rerank", {{"query", "a"}, {"documents", documents}, {"top_n", 0}}, "top_n", "from 1");
  expectWrong("/v1/chat/completions", chatOf("Hello"), "model", "a language model");
  expectWrong("/v1/embeddings", {{"input", "a"}}, "model", "It answers /v1/rerank");
  EXPECT_EQ(ask("/v1/rerank", {{"query", "a"}, {"documents", documents}, {"model", "other"}}).status, 404);
  const Running writer = Running::start(1, {});
  const Json error = post(writer, "/v1/rerank", Json{{"query", "a"}, {"documents", documents}}.dump()).json()["error"];
  EXPECT_EQ(error["param"], "model");
  EXPECT_NE(error["message"].get<std::string>().find("expected a reranker, found builtin-model, a language model"), std::string::npos)
      << error;
}

}  // namespace
}  // namespace minerva::serve
