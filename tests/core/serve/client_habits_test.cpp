// What clients send to any server, and the words that they look for in its answers.
#include "tests/core/serve/serve_test.h"

#include <regex>
#include <tuple>

namespace minerva::serve {
namespace {

class HabitsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { m_running = std::make_unique<Running>(Running::start(2, {})); }
  static void TearDownTestSuite() { m_running.reset(); }
  static std::string textOf(const char* path) {
    const Answer answer = post(*m_running, path, chatOf("Hello").dump());
    return answer.status == 200 ? answer.json()["choices"][0]["message"]["content"].get<std::string>() : answer.body;
  }

  static std::unique_ptr<Running> m_running;
};
std::unique_ptr<Running> HabitsTest::m_running;

TEST_F(HabitsTest, AnOverflowIsToldInTheWordsThatClientsKnow) {
  std::string text;
  for (int i = 0; i < m_running->engine->info().contextLength; ++i) text += "fox ";
  // What LiteLLM and Roo look for, and Claude Code, which takes the figures.
  const std::regex openAi("this model's maximum context length is ([0-9]+) tokens.* the prompt has ([0-9]+)", std::regex::icase);
  const std::regex anthropic("prompt is too long[^0-9]*([0-9]+)\\s*tokens?\\s*>\\s*([0-9]+)", std::regex::icase);
  const Json message = chatOf(text), generate{{"prompt", text}}, chat{{"messages", message["messages"]}, {"truncate", false}};
  const int most = m_running->engine->info().contextLength - 1;
  for (const auto& [path, body, words, figure] : {std::tuple("/v1/chat/completions", message, &openAi, 1U),
                                                  {"/v1/completions", generate, &openAi, 1U},
                                                  {"/v1/responses", Json{{"input", text}}, &openAi, 1U},
                                                  {"/api/chat", chat, &openAi, 1U},
                                                  {"/api/generate", generate, &openAi, 1U},
                                                  {"/v1/messages", message, &anthropic, 2U}}) {
    const Answer answer = post(*m_running, path, body.dump());
    const Json error = answer.json()["error"];
    const std::string said = error.is_string() ? error.get<std::string>() : error.value("message", answer.body);
    std::smatch found;
    ASSERT_TRUE(std::regex_search(said, found, *words)) << path << answer.body;
    EXPECT_EQ(std::stoi(found[figure]), most) << said;
    EXPECT_GT(std::stoi(found[3 - figure]), most) << said;
    EXPECT_NE(said.find("horten the conversation"), std::string::npos) << said;
  }
}

// llama.vscode names GPT-4 for embeddings, Claude Code's background tasks a small Claude, whatever server they use.
TEST_F(HabitsTest, TheOnlyModelAnswersForThoseOfServices) {
  for (const auto& [name, status] : {std::pair("gpt-4o", 200),
                                     {"GPT-4", 200},
                                     {"claude-haiku-4-5-20251001", 200},
                                     {"Claude-3", 200},
                                     {"gpt-oss-20b", 404},
                                     {"gpt-2", 404},
                                     {"gpt", 404},
                                     {"other", 404}}) {
    Json body = chatOf("Hello");
    body["model"] = name;
    for (const char* path : {"/v1/chat/completions", "/v1/messages", "/api/chat"})
      EXPECT_EQ(post(*m_running, path, body.dump()).status, status) << name;
    if (status == 200) {
      EXPECT_EQ(post(*m_running, "/v1/chat/completions", body.dump()).json()["model"], "builtin-model");
    }
  }
}

// Base addresses as users enter them: with /v1 or without, twice, with a slash behind them.
TEST_F(HabitsTest, AddressesThatUsersEnterLeadToTheRoutes) {
  const std::string text = textOf("/v1/chat/completions");
  for (const char* path :
       {"/chat/completions", "/v1/v1/chat/completions", "/v1/chat/completions/", "/v1//chat/completions", "//v1/chat/completions"})
    EXPECT_EQ(textOf(path), text) << path;
  for (const char* path : {"/v1/v1/messages", "/v1/messages/", "/api/chat/", "/api/generate/"}) {
    Json body = chatOf("Hello");
    body["prompt"] = "Hello";
    EXPECT_EQ(post(*m_running, path, body.dump()).status, 200) << path;
  }
  EXPECT_EQ(post(*m_running, "/completions", R"({"prompt":"Once","max_tokens":1})").status, 200);
  EXPECT_EQ(post(*m_running, "/responses", R"({"input":"Once","max_output_tokens":1})").status, 200);
  for (const char* path : {"/embeddings", "/reranking", "/v1/reranking", "/rerank"})
    EXPECT_EQ(post(*m_running, path, "{}").status, 400) << path << ": the model is of another kind";
  for (const char* path : {"/models", "/v1/models/", "/models/", "/v1/v1/models"}) {
    const auto list = m_running->client().Get(path);
    EXPECT_EQ(Json::parse(list->body)["data"][0]["id"], "builtin-model") << path;
  }
  EXPECT_EQ(m_running->client().Get("/v1/v1/models/builtin-model/")->status, 200);
  EXPECT_EQ(post(*m_running, "/v1/v1/messages", "{").json()["type"], "error") << "in the form of its interface";
  EXPECT_EQ(post(*m_running, "/v2/chat/completions", chatOf("Hello").dump()).status, 404);
}

}  // namespace
}  // namespace minerva::serve
