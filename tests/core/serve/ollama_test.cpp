// Ollama's interface: the same texts as OpenAI's, in lines of JSON.
#include "tests/core/serve/serve_test.h"

#include <cstdio>
#include <sstream>
#include <tuple>

namespace minerva::serve {
namespace {

class OllamaTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { m_running = std::make_unique<Running>(Running::start(2, {})); }
  static void TearDownTestSuite() { m_running.reset(); }
  static Answer ask(const char* path, const Json& body) { return post(*m_running, path, body.dump()); }
  static Json chatBody() {
    return {{"model", "builtin-model"},
            {"messages", Json::array({{{"role", "user"}, {"content", "Hello"}}})},
            {"options", {{"temperature", 0}, {"num_predict", 16}}}};
  }
  static std::string text() { return ask("/v1/chat/completions", chatOf("Hello")).json()["choices"][0]["message"]["content"]; }
  static std::vector<Json> linesOf(const std::string& body) {
    std::vector<Json> lines;
    std::istringstream in(body);
    for (std::string line; std::getline(in, line);) lines.push_back(Json::parse(line));
    return lines;
  }

  static std::unique_ptr<Running> m_running;
};
std::unique_ptr<Running> OllamaTest::m_running;

TEST_F(OllamaTest, AChatStreamsUnlessToldNotTo) {
  const Answer streamed = ask("/api/chat", chatBody());
  EXPECT_EQ(streamed.type, "application/x-ndjson");
  std::string joined;
  const std::vector<Json> lines = linesOf(streamed.body);
  for (const Json& line : lines) {
    joined += line["message"]["content"].get<std::string>();
    EXPECT_EQ(line["done"], &line == &lines.back());
  }
  EXPECT_EQ(joined, text());
  EXPECT_EQ(lines.back()["done_reason"], "length");
  EXPECT_EQ(lines.back()["eval_count"], 16);
  Json body = chatBody();
  body["stream"] = false;
  const Json whole = ask("/api/chat", body).json();
  EXPECT_EQ(whole["message"]["content"], text());
  EXPECT_EQ(whole["done"], true);
  EXPECT_EQ(whole["prompt_eval_count"], lines.back()["prompt_eval_count"]);
}

TEST_F(OllamaTest, APromptIsAMessageUnlessItIsRaw) {
  Json body{
      {"model", "builtin-model:latest"}, {"prompt", "Hello"}, {"stream", false}, {"options", {{"temperature", 0}, {"num_predict", 16}}}};
  EXPECT_EQ(ask("/api/generate", body).json()["response"], text());
  body["raw"] = true;
  const Json plain = ask("/v1/completions", {{"prompt", "Hello"}, {"temperature", 0}, {"max_tokens", 16}}).json();
  EXPECT_EQ(ask("/api/generate", body).json()["response"], plain["choices"][0]["text"]);
}

TEST_F(OllamaTest, WithoutAPromptAModelIsLoaded) {
  for (const Json& more :
       {Json::object(), Json{{"prompt", ""}}, Json{{"prompt", nullptr}, {"keep_alive", "5m"}}, Json{{"keep_alive", 0}}}) {
    Json body{{"model", "builtin-model"}};
    body.update(more);
    const Json line = ask("/api/generate", body).json();
    EXPECT_EQ(line["model"], "builtin-model");
    EXPECT_TRUE(line["created_at"].is_string());
    EXPECT_EQ(line["response"], "");
    EXPECT_EQ(line["done"], true);
    EXPECT_EQ(line["done_reason"], "load") << "this server's only model stays";
  }
  const Json line = ask("/api/chat", {{"model", "builtin-model"}, {"messages", Json::array()}}).json();
  EXPECT_EQ(line["message"], (Json{{"role", "assistant"}, {"content", ""}}));
  EXPECT_EQ(line["done_reason"], "load");
  Json body = chatBody();
  body["messages"][0]["images"] = Json::array();
  EXPECT_EQ(ask("/api/chat", body).status, 200) << "no image is none";
}

TEST_F(OllamaTest, SaysWhatItServes) {
  const auto tags = m_running->client().Get("/api/tags"), version = m_running->client().Get("/api/version");
  ASSERT_TRUE(tags && version);
  EXPECT_EQ(Json::parse(tags->body)["models"][0]["name"], "builtin-model") << "codex -m compares with it";
  int major = 0, minor = 0, patch = 0;
  const auto words = Json::parse(version->body)["version"].get<std::string>();
  ASSERT_EQ(std::sscanf(words.c_str(), "%d.%d.%d", &major, &minor, &patch), 3) << words;
  EXPECT_GE(std::tuple(major, minor, patch), std::tuple(0, 13, 4)) << "Codex refuses earlier ones, VS Code's Copilot those before 0.6.4";
  EXPECT_EQ(words, std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch));
}

// Open WebUI puts a tag behind a name without one, and looks for that among the models.
TEST_F(OllamaTest, AModelIsKnownWithATagAndWithout) {
  for (const char* path : {"/api/tags", "/api/ps"})
    EXPECT_EQ(Json::parse(m_running->client().Get(path)->body)["models"][0]["model"], "builtin-model:latest") << path;
  const auto one = m_running->client().Get("/v1/models/builtin-model:latest");
  EXPECT_EQ(one->status, 200) << one->body;
  Json message = chatOf("Hello");
  message["model"] = "builtin-model:latest";
  for (const char* path : {"/api/chat", "/v1/chat/completions", "/v1/messages"}) EXPECT_EQ(ask(path, message).status, 200) << path;
}

// Of the form of Ollama 0.12.11 and later; the figures are those of /v1/chat/completions.
TEST_F(OllamaTest, ProbabilitiesOfTokens) {
  Json chat = chatOf("Hello");
  chat.update({{"logprobs", true}, {"top_logprobs", 2}});
  const Json expected = ask("/v1/chat/completions", chat).json()["choices"][0]["logprobs"]["content"];
  const auto expectSame = [&](const Json& found) {
    ASSERT_EQ(found.size(), expected.size()) << found;
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_FALSE(found[i].contains("id"));
      for (const char* field : {"token", "logprob", "bytes"}) EXPECT_EQ(found[i][field], expected[i][field]);
      ASSERT_EQ(found[i]["top_logprobs"].size(), 2U);
      EXPECT_EQ(found[i]["top_logprobs"][1]["token"], expected[i]["top_logprobs"][1]["token"]);
    }
  };
  Json body = chatBody();
  body.update({{"logprobs", true}, {"top_logprobs", 2}});
  Json joined = Json::array();
  for (const Json& line : linesOf(ask("/api/chat", body).body))
    for (const Json& one : line.value("logprobs", Json::array())) joined.push_back(one);
  expectSame(joined);
  body["stream"] = false;
  expectSame(ask("/api/chat", body).json()["logprobs"]);
  Json generate = body;
  generate.erase("messages");
  generate["prompt"] = "Hello";
  expectSame(ask("/api/generate", generate).json()["logprobs"]);
  body["top_logprobs"] = 0;
  EXPECT_FALSE(ask("/api/chat", body).json()["logprobs"][0].contains("top_logprobs"));
  body["top_logprobs"] = 21;
  EXPECT_EQ(ask("/api/chat", body).json()["logprobs"][0]["top_logprobs"].size(), 20U) << "more than are counted";
  body["logprobs"] = false;
  EXPECT_FALSE(ask("/api/chat", body).json().contains("logprobs"));
}

// As Ollama does, which leaves out the oldest turns; the system's message and the last turn stay.
TEST_F(OllamaTest, AChatThatIsTooLongLosesItsOldestTurns) {
  std::string much;
  while (much.size() < 1200) much += "the fox ran ";
  Json messages = Json::array({{{"role", "system"}, {"content", "Be brief."}}});
  for (int i = 0; i < 12; ++i) {
    messages.push_back({{"role", "user"}, {"content", std::to_string(i) + much}});
    messages.push_back({{"role", "assistant"}, {"content", much}});
  }
  messages.push_back({{"role", "user"}, {"content", "Hello"}});
  Json body = chatBody();
  body.update({{"stream", false}, {"messages", messages}});
  const Answer answer = ask("/api/chat", body);
  ASSERT_EQ(answer.status, 200) << answer.body;
  // As many turns as fit, and no fewer.
  const auto counted = [&](int turns) {
    Json some = Json::array({messages[0]});
    for (std::size_t i = messages.size() - 1 - 2 * static_cast<std::size_t>(turns); i < messages.size(); ++i) some.push_back(messages[i]);
    return ask("/v1/messages/count_tokens", {{"messages", some}}).json()["input_tokens"].get<int>();
  };
  int turns = 0;
  while (counted(turns + 1) < m_running->engine->info().contextLength) ++turns;
  EXPECT_GT(turns, 0);
  EXPECT_EQ(answer.json()["prompt_eval_count"], counted(turns));
  body["truncate"] = false;
  EXPECT_EQ(ask("/api/chat", body).status, 400);
  body.erase("truncate");
  for (int i = 0; i < 5; ++i) much += much;
  body["messages"] = Json::array({{{"role", "user"}, {"content", much}}});
  EXPECT_EQ(ask("/api/chat", body).status, 400) << "the last turn alone";
}

TEST_F(OllamaTest, SaysThatItRuns) {
  const auto got = m_running->client().Get("/"), head = m_running->client().Head("/");
  ASSERT_TRUE(got && head);
  EXPECT_EQ(got->status, 200);
  EXPECT_EQ(got->body, "Minerva is running");
  EXPECT_EQ(head->status, 200);
  EXPECT_EQ(m_running->client().Get("/other")->status, 404);
}

// What VS Code's Copilot and Zed ask before they offer a model.
TEST_F(OllamaTest, ShowsAModel) {
  for (const Json& body : {Json{{"model", "builtin-model:latest"}}, Json{{"name", "builtin-model"}}, Json::object()}) {
    const Json shown = ask("/api/show", body).json();
    const std::string family = shown["model_info"]["general.architecture"];
    EXPECT_FALSE(family.empty());
    EXPECT_EQ(shown["model_info"][family + ".context_length"], m_running->engine->info().contextLength) << shown;
    EXPECT_EQ(shown["model_info"]["general.basename"], "builtin-model");
    EXPECT_EQ(shown["capabilities"][0], "completion");
    EXPECT_EQ(shown["details"]["family"], family);
  }
  EXPECT_EQ(ask("/api/show", {{"model", "other"}}).status, 404);
  EXPECT_EQ(ask("/api/show", {{"model", 1}}).status, 400);
}

TEST_F(OllamaTest, ListsWhatIsInMemory) {
  const auto got = m_running->client().Get("/api/ps");
  ASSERT_TRUE(got);
  const Json models = Json::parse(got->body)["models"];
  ASSERT_EQ(models.size(), 1U);
  EXPECT_EQ(models[0]["name"], "builtin-model");
  EXPECT_GT(models[0]["size"], 0);
  EXPECT_EQ(models[0]["size_vram"], 0);
  EXPECT_EQ(models[0]["context_length"], m_running->engine->info().contextLength);
}

TEST_F(OllamaTest, ErrorsAreTheMessageAlone) {
  const std::vector<std::pair<const char*, int>> changes = {{R"({"model":"other"})", 404},
                                                            {R"({"model":1})", 400},
                                                            {R"({"messages":[{"role":"user"}]})", 400},
                                                            {R"({"messages":[{"role":"user","content":"a","images":["aGk="]}]})", 400},
                                                            {R"({"messages":1})", 400},
                                                            {R"({"messages":[],"model":"other"})", 404},
                                                            {R"({"options":1})", 400},
                                                            {R"({"options":{"temperature":"hot"}})", 400},
                                                            {R"({"options":{"num_predict":-3}})", 400},
                                                            {R"({"options":{"repeat_last_n":1e30}})", 400},
                                                            {R"({"format":"yaml"})", 400},
                                                            {R"({"format":{"type":"text"}})", 400},
                                                            {R"({"think":1})", 400},
                                                            {R"({"template":"{{ .Prompt }}"})", 400},
                                                            {R"({"stream":"no"})", 400}};
  for (const auto& [change, status] : changes) {
    Json body = chatBody();
    body.update(Json::parse(change));
    const Answer answer = ask("/api/chat", body);
    EXPECT_EQ(answer.status, status) << change << answer.body;
    EXPECT_TRUE(answer.json()["error"].is_string()) << change << answer.body;
  }
  EXPECT_EQ(ask("/api/generate", {{"prompt", 1}}).status, 400);
  EXPECT_EQ(ask("/api/embed", {{"input", "a"}}).status, 400);
}

}  // namespace
}  // namespace minerva::serve
