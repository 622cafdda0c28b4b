// /v1/embeddings and /api/embed: the vectors of Transformers (tests/data/embedding), as numbers and in base64.
#include "core/serve/route.h"
#include "tests/core/serve/serve_test.h"

#include <array>
#include <cstring>
#include <fstream>
#include <future>
#include <utility>

namespace minerva::serve {
namespace {

const std::filesystem::path embeddingData = std::filesystem::path(MINERVA_TEST_DATA) / "embedding/tiny-xlm-roberta";

// p<i>.tokens and p<i>.embedding.
struct ReferenceVectors {
  std::vector<std::vector<std::int32_t>> tokens;
  std::vector<std::vector<float>> vectors;
};

ReferenceVectors referenceVectors() {
  std::ifstream in(embeddingData / "ref.safetensors", std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  std::uint64_t size = 0;
  std::memcpy(&size, bytes.data(), sizeof size);
  const Json header = Json::parse(bytes.substr(8, size));
  const auto read = [&](const std::string& name, auto& values) {
    const std::size_t begin = header[name]["data_offsets"][0], end = header[name]["data_offsets"][1];
    values.resize((end - begin) / sizeof values[0]);
    std::memcpy(values.data(), bytes.data() + 8 + size + begin, end - begin);
  };
  ReferenceVectors out;
  for (std::size_t i = 0; header.contains("p" + std::to_string(i) + ".tokens"); ++i) {
    read("p" + std::to_string(i) + ".tokens", out.tokens.emplace_back());
    read("p" + std::to_string(i) + ".embedding", out.vectors.emplace_back());
  }
  return out;
}

std::vector<float> fromBase64Floats(const std::string& text) {
  std::string bytes;
  unsigned held = 0;
  int bits = 0;
  for (const char c : text) {
    if (c == '=') break;
    const std::size_t digit = std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/").find(c);
    held = held << 6 | static_cast<unsigned>(digit);
    bits += 6;
    if (bits >= 8) bytes += static_cast<char>(held >> (bits -= 8) & 0xFF);
  }
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

class EmbeddingsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    m_backend = std::move(*createBackend("cpu", {.threads = 1}));
    engine::EmbedderOptions load;
    load.path = embeddingData / "hf";
    load.precision = backend::Precision::exact;
    auto embedder = engine::Embedder::load(*m_backend, load, {}, {});
    ASSERT_TRUE(embedder) << embedder.error().message();
    m_embedder = std::move(*embedder);
    auto server = Server::start({.engine = nullptr, .slots = 0, .embedder = m_embedder.get()}, {.model = "vectors"});
    ASSERT_TRUE(server) << server.error().message();
    m_server = std::move(*server);
  }
  static void TearDownTestSuite() {
    m_server.reset();
    m_embedder.reset();
    m_backend.reset();
  }
  static Answer ask(const char* path, const Json& body) {
    httplib::Client client("127.0.0.1", m_server->port());
    const auto result = client.Post(path, body.dump(), "application/json");
    return result ? Answer{result->status, result->body, ""} : Answer{};
  }
  static void expectNear(const std::vector<float>& found, const std::vector<float>& wanted) {
    ASSERT_EQ(found.size(), wanted.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], wanted[i], 1e-5) << i;
  }

  static std::unique_ptr<backend::Backend> m_backend;
  static std::unique_ptr<engine::Embedder> m_embedder;
  static std::unique_ptr<Server> m_server;
};
std::unique_ptr<backend::Backend> EmbeddingsTest::m_backend;
std::unique_ptr<engine::Embedder> EmbeddingsTest::m_embedder;
std::unique_ptr<Server> EmbeddingsTest::m_server;

TEST_F(EmbeddingsTest, AreThoseOfTransformers) {
  const ReferenceVectors reference = referenceVectors();
  ASSERT_GE(reference.tokens.size(), 3U);
  const Json numbers = ask("/v1/embeddings", {{"model", "vectors"}, {"input", reference.tokens}}).json();
  const Json base64 = ask("/v1/embeddings", {{"input", reference.tokens}, {"encoding_format", "base64"}}).json();
  const Json ollama = ask("/api/embed", {{"model", "vectors:latest"}, {"input", reference.tokens}}).json();
  int tokens = 0;
  for (std::size_t i = 0; i < reference.tokens.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(numbers["data"][i]["index"], i);
    expectNear(numbers["data"][i]["embedding"].get<std::vector<float>>(), reference.vectors[i]);
    expectNear(fromBase64Floats(base64["data"][i]["embedding"]), reference.vectors[i]);
    expectNear(ollama["embeddings"][i].get<std::vector<float>>(), reference.vectors[i]);
    tokens += static_cast<int>(reference.tokens[i].size());
  }
  EXPECT_EQ(numbers["usage"]["prompt_tokens"], tokens);
  EXPECT_EQ(ollama["prompt_eval_count"], tokens);
}

TEST_F(EmbeddingsTest, OfATextAreTheEmbeddersOwn) {
  const std::vector<std::string> texts{"the water in the house"};
  const auto own = m_embedder->embed(texts);
  ASSERT_TRUE(own);
  const Json answer = ask("/v1/embeddings", {{"input", texts[0]}}).json();
  const auto vector = own->of(0);
  EXPECT_EQ(answer["data"][0]["embedding"].get<std::vector<float>>(), std::vector<float>(vector.begin(), vector.end()));
}

TEST_F(EmbeddingsTest, WhatIsWrongIsSaid) {
  const int own = m_embedder->info().dimensions;
  const std::vector<Json> wrong = {Json::object(),
                                   {{"input", nullptr}},
                                   {{"input", 5}},
                                   {{"input", Json::array()}},
                                   {{"input", Json::array({Json::array()})}},
                                   {{"input", Json::array({"a", 1})}},
                                   {{"input", Json::array({"a", Json::array({1})})}},
                                   {{"input", Json::array({-1})}},
                                   {{"input", Json::array({1'000'000'000})}},
                                   {{"input", std::vector<std::string>(3000, "a")}},
                                   {{"input", "a"}, {"encoding_format", "float16"}},
                                   {{"input", "a"}, {"encoding_format", 1}},
                                   {{"input", "a"}, {"dimensions", own - 1}}};
  for (const Json& body : wrong) {
    const Answer answer = ask("/v1/embeddings", body);
    EXPECT_EQ(answer.status, 400) << body.dump().substr(0, 80) << answer.body.substr(0, 200);
    EXPECT_TRUE(answer.json()["error"]["message"].is_string());
  }
  EXPECT_EQ(ask("/v1/embeddings", {{"input", "a"}, {"model", "other"}}).status, 404);
  EXPECT_EQ(ask("/v1/embeddings", {{"input", "a"}, {"dimensions", own}}).status, 200);
}

std::string longText(const engine::Embedder& embedder) {
  std::string text;
  for (int i = 0; i < embedder.info().textLength; ++i) text += "water ";
  return text + "house";
}

TEST_F(EmbeddingsTest, ALongTextIsCutUnlessOllamasClientRefusesThat) {
  const std::string text = longText(*m_embedder);
  for (const Json& more : {Json::object(), Json{{"truncate", true}}, Json{{"truncate", nullptr}}}) {
    Json body{{"input", Json::array({"a", text})}};
    body.update(more);
    EXPECT_EQ(ask("/api/embed", body).status, 200) << more;
  }
  const Answer refused = ask("/api/embed", {{"input", Json::array({"a", text})}, {"truncate", false}});
  EXPECT_EQ(refused.status, 400);
  EXPECT_NE(refused.body.find("A text is longer than the model takes (input[1])"), std::string::npos) << refused.body;
  EXPECT_EQ(ask("/api/embed", {{"input", "a"}, {"truncate", false}}).status, 200);
  EXPECT_EQ(ask("/api/embed", {{"input", "a"}, {"truncate", 1}}).status, 400);
}

TEST_F(EmbeddingsTest, WhichOfManyInputsIsWrongIsSaid) {
  const std::vector<int> tooMany(static_cast<std::size_t>(m_embedder->info().textLength) + 1, 5);
  const Answer refused = ask("/v1/embeddings", {{"input", Json::array({Json::array({5}), tooMany})}});
  EXPECT_EQ(refused.status, 400);
  EXPECT_EQ(refused.json()["error"]["param"], "input[1]") << refused.body;
}

TEST_F(EmbeddingsTest, TheModelWritesNoText) {
  for (const char* path : {"/v1/chat/completions", "/v1/completions", "/api/chat", "/api/generate"}) {
    const Answer answer = ask(path, chatOf("Hello"));
    EXPECT_EQ(answer.status, 400) << path;
    EXPECT_NE(answer.body.find("vectors"), std::string::npos) << answer.body;
  }
  httplib::Client client("127.0.0.1", m_server->port());
  for (const char* path : {"/v1/models", "/api/tags", "/metrics", "/health"}) {
    const auto result = client.Get(path);
    ASSERT_TRUE(result) << path;
    EXPECT_EQ(result->status, 200) << path;
  }
}

TEST(TurnOfEmbeddings, IsNotWaitedForByAClientThatHasGone) {
  const Options options;
  Turn one;
  std::stop_source stopping;
  Grammars grammars;
  const Context context{options, one, stopping, grammars};
  const Json body = Json::object();
  bool isGone = false;
  const Call call{body, [&] { return std::exchange(isGone, true); }};
  EXPECT_TRUE(waitForTurn(context, call)) << "it is free";
  std::promise<void> held, done;
  std::jthread another([&] {
    EXPECT_TRUE(one.try_lock_for(std::chrono::milliseconds(0)));
    held.set_value();
    done.get_future().wait();
    one.unlock();
  });
  held.get_future().wait();
  const auto left = waitForTurn(context, call);
  stopping.request_stop();
  const auto stopped = waitForTurn(context, {body, [] { return false; }});
  done.set_value();
  ASSERT_TRUE(!left && !stopped);
  EXPECT_EQ(left.error().kind, ErrorKind::cancelled);
  EXPECT_EQ(left.error().where, "connection");
  EXPECT_EQ(stopped.error().kind, ErrorKind::cancelled);
  EXPECT_EQ(stopped.error().where, "server");
}

}  // namespace
}  // namespace minerva::serve
