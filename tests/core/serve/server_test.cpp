// A running server, asked over HTTP: its replies are the engine's own, and whatever clients do, the next reply is right.
#include "tests/core/serve/serve_test.h"

#include "core/engine/prompt.h"

#include <arpa/inet.h>
#include <atomic>
#include <netinet/in.h>
#include <sys/socket.h>
#include <thread>
#include <tuple>

namespace minerva::serve {
namespace {

const char* const chatRoute = "/v1/chat/completions";

// The engine's greedy reply to "Hello", without a server.
const engine::Reply& ownReply() {
  static const engine::Reply reply = [] {
    auto backend = createBackend("cpu", {.threads = 2});
    engine::LoadOptions load;
    load.path = builtInModel;
    auto engine = engine::Engine::load(**backend, load, {}, {});
    engine::Request request;
    request.chat.messages.push_back({{"role", "user"}, {"content", "Hello"}});
    request.sampling.temperature = 0;
    request.maxTokens = 16;
    engine::ReplyRun run(**engine, request);
    while (run.step()) {
    }
    return *run.take();
  }();
  return reply;
}

std::string contentOf(const Answer& answer, std::size_t choice = 0) {
  const Json json = answer.json();
  return answer.status == 200 ? json["choices"][choice]["message"]["content"].get<std::string>() : answer.body;
}

double metric(const Running& running, const std::string& name) {
  const auto result = running.client().Get("/metrics");
  const std::string text = result ? "\n" + result->body : "";
  const std::size_t at = text.find("\nminerva_" + name + " ");
  return at == std::string::npos ? -1 : std::stod(text.substr(at + name.size() + 10));
}

class ServerTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { m_running = std::make_unique<Running>(Running::start(4, {.waiting = 400})); }
  static void TearDownTestSuite() { m_running.reset(); }
  static Answer chat(const Json& body) { return post(*m_running, chatRoute, body.dump()); }
  static void expectStillRight() { EXPECT_EQ(contentOf(chat(chatOf("Hello"))), ownReply().text); }

  static std::unique_ptr<Running> m_running;
};
std::unique_ptr<Running> ServerTest::m_running;

int listeningSocketOn(int port) {
  for (int socket = 3; socket < 1024; ++socket) {
    int listens = 0;
    socklen_t size = sizeof listens;
    sockaddr_in address{};
    socklen_t length = sizeof address;
    if (getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || listens == 0) continue;
    if (getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length) == 0 && ntohs(address.sin_port) == port) return socket;
  }
  return -1;
}

TEST_F(ServerTest, ListensAgainWhenItsSocketFails) {
  for (int time = 0; time < 3; ++time) {
    const int socket = listeningSocketOn(m_running->server->port());
    ASSERT_GE(socket, 0);
    shutdown(socket, SHUT_RDWR);  // so that accept() fails
    bool answered = false;
    for (int i = 0; i < 200 && !answered; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      const auto health = m_running->client().Get("/health");
      answered = health && health->status == 200;
    }
    ASSERT_TRUE(answered);
  }
  const Running another = Running::start(1, {});
  shutdown(listeningSocketOn(another.server->port()), SHUT_RDWR);
  another.server->stop();  // whether it listens at this moment or not
}

TEST_F(ServerTest, APageOfAProgramMayAskAndReadTheAnswer) {
  const httplib::Headers asks{
      {"Origin", "app://notes"}, {"Access-Control-Request-Method", "POST"}, {"Access-Control-Request-Headers", "authorization"}};
  const auto may = m_running->client().Options(chatRoute, asks);
  ASSERT_TRUE(may);
  EXPECT_EQ(may->status, 204) << may->body;
  EXPECT_EQ(may->get_header_value("Access-Control-Allow-Origin"), "app://notes");
  EXPECT_EQ(may->get_header_value("Access-Control-Allow-Headers"), "authorization");
  for (const char* body : {R"({"messages":[{"role":"user","content":"a"}],"max_tokens":1})", "{}"}) {
    const auto answer = m_running->client().Post(chatRoute, {{"Origin", "app://notes"}}, body, "application/json");
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->get_header_value("Access-Control-Allow-Origin"), "app://notes") << "errors, too: " << answer->body;
  }
  EXPECT_EQ(m_running->client().Options(chatRoute, {{"Origin", "https://evil.example"}, {"Access-Control-Request-Method", "POST"}})->status,
            403);
  EXPECT_EQ(m_running->client().Options("/nowhere", asks)->status, 404);
}

// Clients shorten the conversation when they see the code.
TEST_F(ServerTest, APromptThatIsTooLongHasACodeAndTheNameOfItsField) {
  std::string text;
  for (int i = 0; i < m_running->engine->info().contextLength; ++i) text += "fox ";
  const std::vector<std::tuple<const char*, Json, const char*>> requests{{chatRoute, chatOf(text), "messages"},
                                                                         {"/v1/completions", {{"prompt", text}}, "prompt"},
                                                                         {"/v1/responses", {{"input", text}}, "input"}};
  for (const auto& [path, body, field] : requests) {
    const Answer answer = post(*m_running, path, body.dump());
    EXPECT_EQ(answer.status, 400) << path;
    const Json error = answer.json()["error"];
    EXPECT_EQ(error["code"], "context_length_exceeded") << answer.body;
    EXPECT_EQ(error["param"], field) << answer.body;
  }
  expectStillRight();
}

TEST_F(ServerTest, FieldsThatAskForNothingPass) {
  for (const char* change :
       {R"({"function_call":"none"})", R"({"function_call":"auto"})",
        R"({"messages":[{"role":"user","content":"a"},{"role":"assistant","content":null},{"role":"user","content":"b"}]})"}) {
    Json body = chatOf("Hello");
    body.update(Json::parse(change));
    EXPECT_EQ(chat(body).status, 200) << change;
  }
  Json body = chatOf("Hello");
  body["function_call"] = {{"name", "f"}};
  EXPECT_EQ(chat(body).status, 400);
  for (int i = 0; i < 40; ++i) body["stop"].push_back("never " + std::to_string(i));
  body.erase("function_call");
  EXPECT_EQ(chat(body).status, 200) << "clients of Ollama send many";
  for (const auto& [best, n, status] : {std::tuple(1, 1, 200), {2, 2, 200}, {2, 1, 400}}) {
    const Json plain{{"prompt", "Once"}, {"max_tokens", 1}, {"best_of", best}, {"n", n}};
    EXPECT_EQ(post(*m_running, "/v1/completions", plain.dump()).status, status) << plain;
  }
}

TEST_F(ServerTest, SaysThatItIsThereAndWhatItServes) {
  const auto health = m_running->client().Get("/health");
  ASSERT_TRUE(health);
  EXPECT_EQ(Json::parse(health->body)["status"], "ok");
  const auto models = m_running->client().Get("/v1/models");
  ASSERT_TRUE(models);
  const Json list = Json::parse(models->body);
  EXPECT_EQ(list["object"], "list");
  EXPECT_EQ(list["data"][0]["id"], "builtin-model");
  EXPECT_EQ(list["data"][0]["object"], "model");
}

TEST_F(ServerTest, AChatIsTheEnginesOwnGreedyText) {
  const Json reply = chat(chatOf("Hello")).json();
  EXPECT_EQ(reply["object"], "chat.completion");
  const Json& choice = reply["choices"][0];
  EXPECT_EQ(choice["message"]["role"], "assistant");
  EXPECT_EQ(choice["message"]["content"], ownReply().text);
  EXPECT_EQ(choice["finish_reason"], ownReply().reason == engine::FinishReason::length ? "length" : "stop");
  EXPECT_EQ(reply["usage"]["prompt_tokens"], ownReply().timings.promptTokens);
  EXPECT_EQ(reply["usage"]["completion_tokens"], ownReply().timings.generatedTokens);
  EXPECT_EQ(reply["usage"]["total_tokens"], ownReply().timings.promptTokens + ownReply().timings.generatedTokens);
}

// All that llama-server b11669 answers to the same requests (bench/compare_servers.py), and what only OpenAI's own servers have.
TEST_F(ServerTest, AReplyHasTheFieldsOfOpenAiAndLlamaServer) {
  const auto expectFields = [](const Json& object, const std::vector<std::string>& names) {
    std::vector<std::string> found;
    for (const auto& [name, value] : object.items()) found.push_back(name);
    EXPECT_EQ(found, names) << object;
  };
  const std::vector<std::string> timings{"cache_n",
                                         "prompt_n",
                                         "prompt_ms",
                                         "prompt_per_token_ms",
                                         "prompt_per_second",
                                         "predicted_n",
                                         "predicted_ms",
                                         "predicted_per_token_ms",
                                         "predicted_per_second"};
  Json body = chatOf("Tell me more");
  body.update({{"logprobs", true}, {"top_logprobs", 1}});
  const Json reply = chat(body).json();
  expectFields(reply, {"id", "object", "created", "model", "system_fingerprint", "choices", "usage", "timings"});
  EXPECT_EQ(reply["system_fingerprint"].get<std::string>().substr(0, 8), "minerva-");
  expectFields(reply["choices"][0], {"index", "message", "logprobs", "finish_reason"});
  expectFields(reply["choices"][0]["logprobs"]["content"][0], {"id", "token", "logprob", "bytes", "top_logprobs"});
  expectFields(reply["usage"],
               {"prompt_tokens", "completion_tokens", "total_tokens", "prompt_tokens_details", "completion_tokens_details"});
  expectFields(reply["timings"], timings);
  const Json& t = reply["timings"];
  EXPECT_EQ(t["cache_n"].get<int>() + t["prompt_n"].get<int>(), reply["usage"]["prompt_tokens"].get<int>());
  EXPECT_EQ(t["predicted_n"], 16);
  EXPECT_NEAR(t["prompt_per_token_ms"].get<double>() * t["prompt_n"].get<double>(), t["prompt_ms"].get<double>(), 1e-9);
  EXPECT_NEAR(t["predicted_per_token_ms"].get<double>() * 15, t["predicted_ms"].get<double>(), 1e-9) << "the first comes with the prompt";
  EXPECT_NEAR(t["predicted_per_second"].get<double>() * t["predicted_per_token_ms"].get<double>(), 1000, 1e-6);
  body["stream"] = true;
  const std::vector<std::string> events = eventsOf(chat(body).body);
  expectFields(Json::parse(events[0]), {"id", "object", "created", "model", "system_fingerprint", "choices"});
  expectFields(Json::parse(events[events.size() - 2])["timings"], timings);
  const auto models = m_running->client().Get("/v1/models");
  ASSERT_TRUE(models);
  const Json model = Json::parse(models->body)["data"][0];
  expectFields(model, {"id", "object", "created", "owned_by", "meta"});
  expectFields(model["meta"], {"n_ctx", "n_ctx_train", "n_vocab", "n_embd", "n_params", "size", "ftype", "architecture", "type"});
  EXPECT_EQ(model["meta"]["n_vocab"], m_running->engine->tokenizer()->vocabularySize());
}

TEST_F(ServerTest, EarlierPromptsAreReusedAndCounted) {
  const std::string asked = "Tell me about the sea and the wind, the sand and the stones, the boats and the birds, the rain and the fish";
  (void)chat(chatOf(asked));
  const Json reply = chat(chatOf(asked)).json();
  EXPECT_GT(reply["usage"]["prompt_tokens"].get<int>(), 32) << "fewer are computed again as fast";
  EXPECT_EQ(reply["usage"]["prompt_tokens_details"]["cached_tokens"].get<int>(), reply["usage"]["prompt_tokens"].get<int>() - 1);
}

TEST_F(ServerTest, ChunksJoinToTheWholeReply) {
  Json body = chatOf("Hello");
  body["stream"] = true;
  body["stream_options"] = {{"include_usage", true}};
  const Answer answer = chat(body);
  EXPECT_EQ(answer.type, "text/event-stream");
  const std::vector<std::string> events = eventsOf(answer.body);
  ASSERT_GE(events.size(), 4U);
  EXPECT_EQ(events.back(), "[DONE]");
  std::string text, reason;
  for (std::size_t i = 0; i + 2 < events.size(); ++i) {
    const Json chunk = Json::parse(events[i]);
    EXPECT_EQ(chunk["object"], "chat.completion.chunk");
    const Json& choice = chunk["choices"][0];
    EXPECT_EQ(choice["delta"].value("role", ""), i == 0 ? "assistant" : "");
    text += choice["delta"].value("content", "");
    if (!choice["finish_reason"].is_null()) reason += choice["finish_reason"].get<std::string>();
  }
  EXPECT_EQ(text, ownReply().text);
  EXPECT_EQ(reason, "length");
  const Json usage = Json::parse(events[events.size() - 2]);
  EXPECT_TRUE(usage["choices"].empty());
  EXPECT_EQ(usage["usage"]["completion_tokens"], 16);
}

TEST_F(ServerTest, AStreamIsCompressedForNobody) {
  Json body = chatOf("Hello");
  body["stream"] = true;
  const Answer answer = post(*m_running, chatRoute, body.dump(), {{"Accept-Encoding", "gzip, br"}});
  EXPECT_EQ(answer.body.substr(0, 6), "data: ");
}

TEST_F(ServerTest, StopsBeforeAStopString) {
  const std::string& whole = ownReply().text;
  const std::string stop = whole.substr(whole.size() / 2, 4);
  for (const Json& given : {Json(stop), Json::array({"never in it", stop})}) {
    Json body = chatOf("Hello");
    body["stop"] = given;
    const Json reply = chat(body).json();
    EXPECT_EQ(reply["choices"][0]["message"]["content"], whole.substr(0, whole.find(stop)));
    EXPECT_EQ(reply["choices"][0]["finish_reason"], "stop");
  }
}

TEST_F(ServerTest, ASeedRepeatsAndChoicesFollowIt) {
  Json body = chatOf("Tell me a story");
  body["temperature"] = 1.5;
  body["top_k"] = 0;
  body["min_p"] = 0;
  body["seed"] = 7;
  body["n"] = 3;
  const Answer first = chat(body), again = chat(body);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(contentOf(first, i), contentOf(again, i));
  EXPECT_NE(contentOf(first, 0), contentOf(first, 1));
  body["n"] = 1;
  body["seed"] = 9;
  EXPECT_EQ(contentOf(chat(body)), contentOf(first, 2)) << "the third choice has the seed 7 + 2";
  EXPECT_EQ(first.json()["usage"]["prompt_tokens"], chat(body).json()["usage"]["prompt_tokens"]) << "a prompt counts once";
}

TEST_F(ServerTest, ContinuesTextAndTokensWithoutATemplate) {
  const auto tokens = m_running->engine->tokenizer()->encode("The sea", {.addSpecial = true, .parseSpecial = false});
  Json body{{"prompt", "The sea"}, {"temperature", 0}, {"max_tokens", 8}, {"ignore_eos", true}};
  const Json fromText = post(*m_running, "/v1/completions", body.dump()).json();
  body["prompt"] = tokens;
  const Json fromTokens = post(*m_running, "/v1/completions", body.dump()).json();
  body["prompt"] = Json::array({"Hello", "The sea"});
  const Json both = post(*m_running, "/v1/completions", body.dump()).json();
  EXPECT_EQ(fromText["object"], "text_completion");
  EXPECT_FALSE(fromText["choices"][0]["text"].get<std::string>().empty());
  EXPECT_EQ(fromText["choices"][0]["text"], fromTokens["choices"][0]["text"]);
  EXPECT_EQ(both["choices"][1]["text"], fromText["choices"][0]["text"]);
  EXPECT_EQ(both["choices"][1]["index"], 1);
  EXPECT_EQ(both["usage"]["completion_tokens"], 16);
}

TEST_F(ServerTest, ControlTokensInAPlainPromptAreThoseTokens) {
  const auto tokensIn = [&](const char* path, Json body, const char* count) {
    body.update({{"stream", false}, {"max_tokens", 1}, {"options", {{"num_predict", 1}}}});
    const Json reply = post(*m_running, path, body.dump()).json();
    return reply.contains("usage") ? reply["usage"][count] : reply[count];
  };
  for (const char* prompt : {"<|user|>Hello<|end|><|assistant|>", "<|begin|><|user|>Hello<|end|><|assistant|>"}) {
    EXPECT_EQ(tokensIn("/v1/completions", {{"prompt", prompt}}, "prompt_tokens"), 5) << prompt;
    EXPECT_EQ(tokensIn("/api/generate", {{"prompt", prompt}, {"raw", true}}, "prompt_eval_count"), 5) << prompt;
  }
}

// As other servers do; a client that wants a turn of its own says so.
TEST_F(ServerTest, AConversationThatEndsWithTheAssistantIsContinued) {
  Json body = chatOf("Hello");
  body["messages"].push_back({{"role", "assistant"}, {"content", "Once upon"}});
  const auto with = [&](Json more) {
    Json changed = body;
    changed.update(more);
    const Answer answer = chat(changed);
    return std::pair(answer.json()["usage"]["prompt_tokens"].get<int>(), contentOf(answer));
  };
  const auto continued = with({{"continue_final_message", true}}), begun = with({{"continue_final_message", false}});
  ASSERT_LT(continued.first, begun.first);
  EXPECT_EQ(with(Json::object()), continued);
  EXPECT_EQ(with({{"add_generation_prompt", nullptr}}), continued);
  EXPECT_EQ(with({{"add_generation_prompt", false}}), continued);
  EXPECT_EQ(with({{"add_generation_prompt", true}}), begun);
  EXPECT_EQ(with({{"add_generation_prompt", true}, {"continue_final_message", true}}), continued);
  Json told{{"messages", body["messages"]}, {"stream", false}, {"options", {{"temperature", 0}, {"num_predict", 16}}}};
  const Json line = post(*m_running, "/api/chat", told.dump()).json();
  EXPECT_EQ(line["prompt_eval_count"], continued.first);
  EXPECT_EQ(line["message"]["content"], continued.second);
  // Nothing to continue: no text yet, or calls, which end a turn.
  const Json calls = Json::parse(R"([{"type":"function","function":{"name":"f","arguments":"{}"}}])");
  for (const Json& last :
       {Json{{"role", "assistant"}, {"content", ""}}, Json{{"role", "assistant"}, {"content", "A"}, {"tool_calls", calls}}}) {
    body["messages"].back() = last;
    EXPECT_EQ(with(Json::object()), with({{"continue_final_message", false}})) << last;
  }
}

TEST_F(ServerTest, FieldsThatAskForNothingAreTaken) {
  for (const char* change : {R"({"stop":""})", R"({"stop":[""]})", R"({"logprobs":false,"top_logprobs":0})", R"({"top_logprobs":0})"}) {
    Json body = chatOf("Hello");
    body.update(Json::parse(change));
    EXPECT_EQ(contentOf(chat(body)), ownReply().text) << change;
  }
  Json endless{{"prompt", "Hello"}, {"temperature", 0}, {"grammar", "root ::= [a-z]{20}"}, {"max_tokens", -1}};
  EXPECT_EQ(post(*m_running, "/v1/completions", endless.dump()).json()["choices"][0]["text"].get<std::string>().size(), 20U);
}

TEST_F(ServerTest, AModelIsToldByItsName) {
  const auto one = m_running->client().Get("/v1/models/builtin-model"), other = m_running->client().Get("/v1/models/other");
  const auto all = m_running->client().Get("/v1/models");
  ASSERT_TRUE(one && other && all);
  EXPECT_EQ(Json::parse(one->body), Json::parse(all->body)["data"][0]);
  EXPECT_EQ(other->status, 404);
  EXPECT_EQ(Json::parse(other->body)["error"]["code"], "model_not_found");
  EXPECT_EQ(m_running->client().Get("/v1/modelsx")->status, 404);
  EXPECT_EQ(post(*m_running, "/v1/models/builtin-model", "{}").status, 405);
}

TEST_F(ServerTest, ContentInPartsIsTheSameAsText) {
  Json body = chatOf("x");
  body["messages"][0]["content"] = Json::array({{{"type", "text"}, {"text", "Hello"}}});
  EXPECT_EQ(contentOf(chat(body)), ownReply().text);
}

TEST_F(ServerTest, AFrequencyPenaltyChangesTheReply) {
  Json body = chatOf("Tell me a short story.");
  body["frequency_penalty"] = 2;
  body["presence_penalty"] = 2;
  body["max_tokens"] = 60;
  Json plain = chatOf("Tell me a short story.");
  plain["max_tokens"] = 60;
  EXPECT_NE(contentOf(chat(body)), contentOf(chat(plain)));
}

// Sixteen replies of a thousand tokens take seconds; the client leaves at once. Without control tokens, each token has text.
TEST_F(ServerTest, AClientThatVanishesFreesItsSlots) {
  for (const bool stream : {false, true}) {
    const double before = metric(*m_running, "requests_cancelled_total");
    {
      httplib::Client client = m_running->client();
      client.set_read_timeout(0, 100'000);
      Json body = chatOf("Hello");
      body.erase("max_tokens");
      body.update({{"n", 16}, {"ignore_eos", true}, {"stream", stream}});
      const auto tokens = static_cast<engine::TokenId>(m_running->engine->tokenizer()->vocabularySize());
      for (engine::TokenId id = 0; id < tokens; ++id)
        if (m_running->engine->tokenizer()->isControl(id)) body["logit_bias"][std::to_string(id)] = -100;
      bool left = false;
      httplib::Request request;
      request.method = "POST";
      request.path = chatRoute;
      request.body = body.dump();
      if (stream) request.content_receiver = [&](const char*, std::size_t, std::uint64_t, std::uint64_t) { return !(left = true); };
      EXPECT_FALSE(client.send(request));
      EXPECT_EQ(left, stream);
    }
    for (int i = 0; i < 60 && metric(*m_running, "requests_underway") > 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(metric(*m_running, "requests_underway"), 0);
    EXPECT_GE(metric(*m_running, "requests_cancelled_total") - before, 8);
    expectStillRight();
  }
}

TEST_F(ServerTest, TwoHundredConnectionsAtOnce) {
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 200; ++i) {
    threads.emplace_back([&] { right += contentOf(chat(chatOf("Hello"))) == ownReply().text ? 1 : 0; });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 200);
  EXPECT_EQ(metric(*m_running, "requests_underway"), 0);
}

TEST(ServerDoor, AFullQueueRefusesWithFigures) {
  const Running running = Running::start(1, {.waiting = 2});
  Json body = chatOf("Hello");
  body["n"] = 4;
  const Answer answer = post(running, chatRoute, body.dump());
  EXPECT_EQ(answer.status, 429);
  EXPECT_EQ(answer.json()["error"]["code"], "queue_full");
  EXPECT_NE(answer.json()["error"]["message"].get<std::string>().find("at most 3"), std::string::npos) << answer.body;
  EXPECT_EQ(post(running, chatRoute, chatOf("Hello").dump()).status, 200);
}

TEST(ServerDoor, AKeyIsAskedFor) {
  const Running running = Running::start(1, {.key = "secret"});
  const std::string body = chatOf("Hello").dump();
  for (const char* given : {"", "Bearer ", "Bearer secre", "Bearer secrets", "Bearer SECRET", "Basic secret", "secret"}) {
    const Answer answer = post(running, chatRoute, body, {{"Authorization", given}});
    EXPECT_EQ(answer.status, 401) << given;
    EXPECT_EQ(answer.json()["error"]["code"], "invalid_api_key");
  }
  EXPECT_EQ(post(running, chatRoute, body).status, 401);
  EXPECT_EQ(post(running, chatRoute, body, {{"Authorization", "Bearer secret"}}).status, 200);
  const auto health = running.client().Get("/health");
  ASSERT_TRUE(health);
  EXPECT_EQ(health->status, 200) << "open, for whoever waits for the start";
}

TEST(ServerDoor, AReplyUnderwayEndsWithTheServer) {
  Running running = Running::start(1, {});
  Json body = chatOf("Hello");
  body.erase("max_tokens");
  body.update({{"n", 16}, {"ignore_eos", true}});
  Answer answer;
  std::thread client([&] { answer = post(running, chatRoute, body.dump()); });
  while (metric(running, "requests_underway") < 1) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  running.server->stop();
  client.join();
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.json()["error"]["type"], "server_error");
}

// A window's model comes and goes; only requests for the model itself may have it loaded.
TEST(ServerDoor, TheDeskIsToldWhetherItIsNeeded) {
  std::atomic<int> needed = 0, looked = 0;
  const auto desk = [&](bool isNeeded, const std::function<bool()>&) -> Result<std::shared_ptr<EngineDesk>> {
    ++(isNeeded ? needed : looked);
    return fail({.kind = ErrorKind::notFound, .what = "The model was unloaded"});
  };
  const auto server = Server::start({.engine = nullptr, .slots = 0, .embedder = nullptr, .desk = desk}, {});
  ASSERT_TRUE(server) << server.error().message();
  httplib::Client client("127.0.0.1", (*server)->port());
  for (const char* path : {"/health", "/metrics"}) EXPECT_EQ(client.Get(path)->status, 503) << path;
  // Clients take anything else than 200 for a server that is not there.
  for (const auto& [path, body] : {std::pair("/", "Minerva is running"),
                                   {"/api/tags", R"({"models":[]})"},
                                   {"/api/ps", R"({"models":[]})"},
                                   {"/v1/models", R"({"object":"list","data":[]})"}}) {
    const auto answer = client.Get(path);
    EXPECT_EQ(answer->status, 200) << path;
    EXPECT_EQ(answer->body, body) << path;
  }
  EXPECT_EQ(client.Get("/api/version")->status, 200);
  EXPECT_EQ(client.Get("/v1/models/any")->status, 404);
  EXPECT_EQ(client.Post("/api/show", R"({"model":"any"})", "application/json")->status, 404);
  EXPECT_EQ(looked, 9);
  EXPECT_EQ(needed, 0);
  for (const char* path : {chatRoute, "/v1/embeddings", "/api/chat"})
    EXPECT_EQ(client.Post(path, chatOf("Hello").dump(), "application/json")->status, 503);
  EXPECT_EQ(looked, 9);
  EXPECT_EQ(needed, 3);
}

TEST(ServerDoor, APortThatIsTakenIsAnError) {
  const Running first = Running::start(1, {});
  auto backend = createBackend("cpu", {.threads = 1});
  engine::LoadOptions load;
  load.path = builtInModel;
  auto engine = engine::Engine::load(**backend, load, {}, {});
  const auto second = Server::start({.engine = engine->get(), .slots = 1, .embedder = nullptr}, {.port = first.server->port()});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::io);
}

}  // namespace
}  // namespace minerva::serve
