// Events of an engine, told by hand, as replies: calls of tools, reasoning, several choices, failures in mid-stream.
#include "core/serve/completion.h"

#include "core/serve/driver.h"
#include "core/serve/route.h"
#include "tests/core/serve/serve_test.h"
#include "tests/core/serve/typed_events.h"
#include "tests/support/no_threads.h"

#include <set>

namespace minerva::serve {
namespace {

// Takes every request for one whose events are told by hand.
class FakeDesk final : public Desk {
 public:
  explicit FakeDesk(std::function<std::unique_ptr<Job>()> job) : m_job(std::move(job)) {}
  [[nodiscard]] Result<std::unique_ptr<Job>> submit(std::vector<engine::Request>) override { return m_job(); }
  [[nodiscard]] Figures figures() const override { return {}; }

 private:
  std::function<std::unique_ptr<Job>()> m_job;
};

class CompletionTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto backend = createBackend("cpu", {.threads = 1});
    m_backend = std::move(*backend);
    engine::LoadOptions load;
    load.path = builtInModel;
    m_engine = std::move(*engine::Engine::load(*m_backend, load, {}, {}));
    m_driver = std::make_unique<Driver>(*m_engine, 4);
  }
  static void TearDownTestSuite() {
    m_driver.reset();
    m_engine.reset();
    m_backend.reset();
  }

  void tell(engine::RequestId id, auto body) { m_events->push({id, Clock::now(), std::move(body), 0}); }
  static engine::TokenEvent token(const char* text, const char* reasoning = "") {
    engine::TokenEvent event;
    event.text = text;
    event.reasoning = reasoning;
    return event;
  }
  static engine::TokenEvent call() {
    engine::TokenEvent event;
    event.toolCall = "<call>";
    event.calls.push_back({.name = "weather", .arguments = {{"city", R"("Paris")"}, {"days", "2"}}, .text = "", .place = 0});
    return event;
  }
  static engine::Finished end(engine::FinishReason reason, int generated = 3) {
    engine::Finished finished;
    finished.reason = reason;
    finished.timings.promptTokens = 10;
    finished.timings.generatedTokens = generated;
    return finished;
  }
  Result<Reply> reply(std::vector<engine::RequestId> ids, const Completion& how) {
    auto job = std::make_unique<Job>(*m_driver, m_events, std::move(ids));
    auto generation = Generation::over(std::move(job), {.choicesPerPrompt = how.choicesPerPrompt, .callsAsText = how.callsAsText});
    if (!generation) return fail(generation.error());
    return replyWith(std::move(*generation), how, "m");
  }
  // A route's answer to a request that offers a tool, after the events of request 1001 were told.
  Json answerOf(Result<Reply> (*route)(Context&, const Call&), Json body) {
    FakeDesk desk([this] { return std::make_unique<Job>(*m_driver, m_events, std::vector<engine::RequestId>{1001}); });
    const Options options;
    Turn turn;
    std::stop_source stopping;
    Grammars grammars;
    Context context{options, turn, stopping, grammars};
    context.engine = &m_driver->model();
    context.driver = &desk;
    if (!body.contains("tools"))
      body["tools"] = Json::array({{{"type", "function"}, {"name", "weather"}, {"function", {{"name", "weather"}}}}});
    if (!body.contains("stream")) body["stream"] = false;
    const auto made = route(context, {body, {}});
    EXPECT_TRUE(made) << made.error().message();
    if (made && made->stream) return streamed(*made);
    return made ? Json::parse(made->body) : Json();
  }
  static std::string streamed(const Reply& reply) {
    std::string text;
    reply.stream([&](std::string_view piece) {
      text += piece;
      return true;
    });
    return text;
  }

  static std::unique_ptr<backend::Backend> m_backend;
  static std::unique_ptr<engine::Engine> m_engine;
  static std::unique_ptr<Driver> m_driver;
  std::shared_ptr<EventQueue> m_events = std::make_shared<EventQueue>();
};
std::unique_ptr<backend::Backend> CompletionTest::m_backend;
std::unique_ptr<engine::Engine> CompletionTest::m_engine;
std::unique_ptr<Driver> CompletionTest::m_driver;

TEST_F(CompletionTest, WithoutAThreadNothingIsServed) {
  engine::LoadOptions load;
  load.path = builtInModel;
  const tests::NoThreads none;
  const auto engine = engine::Engine::load(*m_backend, load, {}, {});
  ASSERT_TRUE(engine) << engine.error().message();
  Driver driver(**engine, 4);
  const auto refused = driver.submit(std::vector<engine::Request>(1));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::outOfMemory);
  Model served;
  served.desk = [](bool, const std::function<bool()>&) { return Result<std::shared_ptr<EngineDesk>>(); };
  const auto server = Server::start(served, {});
  ASSERT_FALSE(server);
  EXPECT_EQ(server.error().kind, ErrorKind::outOfMemory);
}

TEST_F(CompletionTest, CallsOfToolsAndReasoning) {
  tell(1001, engine::Started{});
  tell(1001, token("", "I think"));
  tell(1001, call());
  tell(1001, end(engine::FinishReason::endOfTurn));
  const auto got = reply({1001}, {});
  ASSERT_TRUE(got);
  const Json choice = Json::parse(got->body)["choices"][0];
  EXPECT_EQ(choice["finish_reason"], "tool_calls");
  EXPECT_TRUE(choice["message"]["content"].is_null());
  EXPECT_EQ(choice["message"]["reasoning_content"], "I think");
  const Json& called = choice["message"]["tool_calls"][0];
  EXPECT_EQ(called["type"], "function");
  EXPECT_EQ(called["function"]["name"], "weather");
  EXPECT_EQ(Json::parse(called["function"]["arguments"].get<std::string>()), (Json{{"city", "Paris"}, {"days", 2}}));
}

TEST_F(CompletionTest, CallsOfToolsInAStream) {
  tell(1001, engine::Started{});
  tell(1001, call());
  tell(1001, call());
  tell(1001, end(engine::FinishReason::endOfTurn));
  const auto got = reply({1001}, {.stream = true});
  ASSERT_TRUE(got);
  const auto events = eventsOf(streamed(*got));
  ASSERT_EQ(events.size(), 5U);
  EXPECT_EQ(Json::parse(events[1])["choices"][0]["delta"]["tool_calls"][0]["index"], 0);
  EXPECT_EQ(Json::parse(events[2])["choices"][0]["delta"]["tool_calls"][0]["index"], 1);
  EXPECT_EQ(Json::parse(events[3])["choices"][0]["finish_reason"], "tool_calls");
}

// The calls of a list are complete together, when all of their arguments were told.
TEST_F(CompletionTest, CallsAreStreamedWhileTheyAreWritten) {
  const auto piece = [](std::size_t number, const char* more, bool begins = false) {
    engine::TokenEvent event;
    event.callPieces.push_back({.call = number, .name = "weather", .begins = begins, .arguments = more});
    return event;
  };
  const auto whole = [](const char* city, std::size_t told) {
    return text::ToolCall{.name = "weather", .arguments = {{"city", city}}, .text = "", .place = 0, .told = told};
  };
  const auto tellAll = [&] {
    tell(1001, engine::Started{});
    tell(1001, token("I look."));
    tell(1001, piece(0, "{", true));
    tell(1001, piece(0, R"("city":"Par)"));
    tell(1001, piece(0, R"(is"})"));
    tell(1001, piece(1, R"({"city":"O)", true));
    engine::TokenEvent last = token("Both.");
    last.calls = {whole(R"("Paris")", 16), whole(R"("Oslo")", 10)};
    tell(1001, last);
    tell(1001, end(engine::FinishReason::endOfTurn));
  };
  const auto streamOf = [&](Result<Reply> (*route)(Context&, const Call&), Json body) {
    tellAll();
    body.update({{"stream", true}, {"max_tokens", 100}});
    return answerOf(route, body).get<std::string>();
  };
  std::vector<Json> deltas;
  std::set<std::string> ids;
  for (const std::string& event : eventsOf(streamOf(answerChat, chatOf("Weather?")))) {
    if (event == "[DONE]") continue;
    Json delta = Json::parse(event)["choices"][0]["delta"];
    if (delta.contains("tool_calls") && delta["tool_calls"][0].contains("id"))
      ids.insert(std::exchange(delta["tool_calls"][0]["id"], "ID").get<std::string>());
    deltas.push_back(std::move(delta));
  }
  EXPECT_EQ(ids.size(), 2U);
  const auto call = [](const char* text) { return Json{{"tool_calls", Json::array({Json::parse(text)})}}; };
  const std::vector<Json> expected{
      {{"role", "assistant"}, {"content", ""}},
      {{"content", "I look."}},
      call(R"({"id":"ID","type":"function","function":{"name":"weather","arguments":"{"},"index":0})"),
      call(R"({"function":{"arguments":"\"city\":\"Par"},"index":0})"),
      call(R"({"function":{"arguments":"is\"}"},"index":0})"),
      call(R"({"id":"ID","type":"function","function":{"name":"weather","arguments":"{\"city\":\"O"},"index":1})"),
      call(R"({"function":{"arguments":"slo\"}"},"index":1})"),
      {{"content", "Both."}},
      Json::object()};
  EXPECT_EQ(deltas, expected) << Json(deltas);
  const auto texts = [](const std::vector<TypedEvent>& events, const std::string& delta) {
    std::vector<std::string> all;
    for (const TypedEvent& event : events) {
      if (event.type == "content_block_start" || event.type == "response.output_item.added") all.emplace_back();
      if (event.type.ends_with("delta") && event.type != "message_delta") {
        const Json& more = event.data["delta"];
        all.back() += more.is_string()        ? more.get<std::string>()
                      : more.contains("text") ? more["text"].get<std::string>()
                                              : more[delta].get<std::string>();
      }
    }
    return all;
  };
  const std::vector<std::string> blocks{"I look.", R"({"city":"Paris"})", R"({"city":"Oslo"})", "Both."};
  const Json tools = Json::parse(R"([{"name":"weather","input_schema":{"type":"object"}}])");
  Json body = chatOf("Weather?");
  body["tools"] = tools;
  const std::vector<TypedEvent> message = typedEventsOf(streamOf(answerMessages, body));
  EXPECT_EQ(texts(message, "partial_json"), blocks);
  EXPECT_EQ(std::ranges::count(message, "content_block_stop", &TypedEvent::type), 4);
  const std::vector<TypedEvent> response = typedEventsOf(streamOf(answerResponses, {{"input", "Weather?"}}));
  EXPECT_EQ(texts(response, ""), blocks);
  const Json output = response.back().data["response"]["output"];
  ASSERT_EQ(output.size(), 4U);
  EXPECT_EQ(output[1]["arguments"], blocks[1]);
  EXPECT_EQ(output[2]["arguments"], blocks[2]);
  for (const Json& item : output) EXPECT_EQ(item["status"], "completed");
}

// gpt-oss's calls end with the reply, also where that is cut off.
TEST_F(CompletionTest, ACallThatIsCutOffIsNoWholeOne) {
  const auto tellAll = [&] {
    tell(1001, engine::Started{});
    tell(1001, token("Let me look."));
    engine::Finished cut = end(engine::FinishReason::length);
    cut.callsTail.push_back({.name = "weather", .arguments = {}, .text = R"({"city": "Pa)", .place = 0});
    tell(1001, cut);
  };
  tellAll();
  const Json ollama = answerOf(answerOllamaChat, chatOf("Weather?"))["message"];
  EXPECT_FALSE(ollama.contains("tool_calls")) << ollama;
  EXPECT_EQ(ollama["content"], "Let me look.{\"city\": \"Pa");
  tellAll();
  const Json output = answerOf(answerResponses, {{"input", "Weather?"}})["output"];
  ASSERT_EQ(output.size(), 2U) << output;
  EXPECT_EQ(output[1]["type"], "function_call");
  EXPECT_EQ(output[1]["status"], "incomplete");
  EXPECT_EQ(output[1]["arguments"], "{\"city\": \"Pa");
}

// What pieces told of the calls is not missing in a reply that comes as a whole.
TEST_F(CompletionTest, ACallThatIsCutOffKeepsThoseBeforeIt) {
  const Json first = Json::parse(R"({"city":"Oslo"})"),
             messageTools = Json::parse(R"([{"name":"weather","input_schema":{"type":"object"}}])");
  const auto tellAll = [&] {
    tell(1001, engine::Started{});
    engine::TokenEvent told;
    told.callPieces.push_back({.call = 0, .name = "weather", .begins = true, .arguments = R"({"city":"Oslo"})"});
    tell(1001, told);
    engine::Finished cut = end(engine::FinishReason::length);
    cut.callPiecesTail.push_back({.call = 1, .name = "weather", .begins = true, .arguments = R"({"ci)"});
    cut.callsTail = {{.name = "weather", .arguments = {{"city", R"("Oslo")"}}, .text = "", .place = 0, .told = 15},
                     {.name = "weather", .arguments = {}, .text = R"({"ci)", .place = 0, .told = 4}};
    tell(1001, cut);
  };
  tellAll();
  const Json choice = answerOf(answerChat, chatOf("Weather?"))["choices"][0], calls = choice["message"]["tool_calls"];
  ASSERT_EQ(calls.size(), 2U) << choice;
  EXPECT_EQ(choice["finish_reason"], "length");
  EXPECT_EQ(calls[0]["function"]["arguments"], first.dump());
  EXPECT_EQ(calls[1]["function"]["arguments"], R"({"ci)");
  tellAll();
  Json body = chatOf("Weather?");
  body.update({{"tools", messageTools}, {"max_tokens", 100}});
  const Json content = answerOf(answerMessages, body)["content"];
  ASSERT_EQ(content.size(), 2U) << content;
  EXPECT_EQ(content[0]["input"], first);
  EXPECT_EQ(content[1], Json::parse(R"({"type":"text","text":"{\"ci","citations":null})"))
      << "a call without its arguments would be carried out";
}

// The client sent it as a tool that takes a text, and gets it called with one.
TEST_F(CompletionTest, ACallOfACustomToolHasAText) {
  tell(1001, engine::Started{});
  engine::TokenEvent called = call();
  called.calls[0].arguments = {{"input", R"("*** Begin Patch\n")"}};
  tell(1001, called);
  tell(1001, end(engine::FinishReason::endOfTurn));
  const Json tools = Json::parse(R"([{"type":"custom","name":"weather"}])");
  const Json stream = answerOf(answerResponses, {{"input", "Weather?"}, {"tools", tools}, {"stream", true}});
  const std::vector<TypedEvent> events = typedEventsOf(stream.get<std::string>());
  std::vector<std::string> types;
  for (const TypedEvent& event : events) types.push_back(event.type);
  ASSERT_EQ(types, (std::vector<std::string>{"response.created", "response.in_progress", "response.output_item.added",
                                             "response.custom_tool_call_input.delta", "response.custom_tool_call_input.done",
                                             "response.output_item.done", "response.completed"}));
  EXPECT_EQ(events[2].data["item"]["input"], "");
  EXPECT_EQ(events[4].data["input"], "*** Begin Patch\n");
  const Json& item = events[5].data["item"];
  EXPECT_EQ(namesOf(item), (std::vector<std::string>{"call_id", "id", "input", "name", "status", "type"}));
  EXPECT_EQ(item["type"], "custom_tool_call");
  EXPECT_EQ(item["name"], "weather");
  EXPECT_EQ(item["input"], "*** Begin Patch\n");
}

TEST_F(CompletionTest, OneCallIsTheLastOfAReplyThatMayHaveOne) {
  const auto tellAll = [&] {
    tell(1001, engine::Started{});
    engine::TokenEvent two = call();
    two.calls.push_back(two.calls[0]);
    tell(1001, two);
    tell(1001, token("More."));
    tell(1001, call());
    tell(1001, end(engine::FinishReason::endOfTurn));
  };
  const auto callsOf = [&](const Json& parallel) {
    tellAll();
    Json body = chatOf("Weather?");
    body["parallel_tool_calls"] = parallel;
    return answerOf(answerChat, body)["choices"][0];
  };
  EXPECT_EQ(callsOf(false)["message"]["tool_calls"].size(), 1U);
  EXPECT_TRUE(callsOf(false)["message"]["content"].is_null());
  EXPECT_EQ(callsOf(false)["finish_reason"], "tool_calls");
  for (const Json& parallel : {Json(true), Json()}) EXPECT_EQ(callsOf(parallel)["message"]["tool_calls"].size(), 3U);
  for (const bool parallel : {false, true}) {
    tellAll();
    const Json response = answerOf(answerResponses, {{"input", "Weather?"}, {"parallel_tool_calls", parallel}});
    EXPECT_EQ(response["parallel_tool_calls"], parallel);
    EXPECT_EQ(response["output"].size(), parallel ? 4U : 1U) << response["output"];
  }
}

TEST_F(CompletionTest, AReplyThatIsLongEnoughHasEnded) {
  engine::Request request;
  request.prompt = "Once";
  request.ignoreEndOfTurn = true;
  std::vector<engine::Request> requests{request};
  auto job = m_driver->submit(std::move(requests));
  ASSERT_TRUE(job);
  const std::uint64_t finished = m_driver->figures().finished;
  std::optional<engine::FinishReason> reason;
  for (int tokens = 0; !reason;) {
    const auto event = (*job)->next(std::chrono::minutes(1));
    ASSERT_TRUE(event);
    if (std::holds_alternative<engine::TokenEvent>(event->body) && ++tokens == 3) (*job)->end(0);
    if (const auto* last = std::get_if<engine::Finished>(&event->body)) reason = last->reason;
  }
  EXPECT_EQ(*reason, engine::FinishReason::endOfTurn);
  EXPECT_EQ(m_driver->figures().finished, finished + 1);
}

TEST_F(CompletionTest, WithoutToolsACallIsText) {
  tell(1001, engine::Started{});
  engine::TokenEvent between = call();
  between.text = "a b";
  between.calls.at(0).place = 2;
  tell(1001, between);
  tell(1001, end(engine::FinishReason::endOfTurn));
  const auto got = reply({1001}, {.callsAsText = true});
  ASSERT_TRUE(got);
  const Json choice = Json::parse(got->body)["choices"][0];
  EXPECT_EQ(choice["message"]["content"], "a <call>b");
  EXPECT_EQ(choice["finish_reason"], "stop");
}

TEST_F(CompletionTest, ChoicesAreKeptApart) {
  tell(1001, engine::Started{});
  tell(1001, token("a"));
  tell(1002, engine::Started{});
  tell(1002, token("x"));
  tell(1001, token("b"));
  tell(1002, end(engine::FinishReason::length, 4));
  tell(1001, end(engine::FinishReason::stopString));
  const auto got = reply({1001, 1002}, {.choicesPerPrompt = 2});
  ASSERT_TRUE(got);
  const Json json = Json::parse(got->body);
  EXPECT_EQ(json["choices"][0]["message"]["content"], "ab");
  EXPECT_EQ(json["choices"][0]["finish_reason"], "stop");
  EXPECT_EQ(json["choices"][1]["message"]["content"], "x");
  EXPECT_EQ(json["choices"][1]["finish_reason"], "length");
  EXPECT_EQ(json["usage"]["prompt_tokens"], 10);
  EXPECT_EQ(json["usage"]["completion_tokens"], 7);
}

TEST_F(CompletionTest, AFailureInMidStreamIsAnErrorObject) {
  tell(1001, engine::Started{});
  tell(1001, token("a"));
  tell(1001, engine::Failed{{.kind = ErrorKind::deviceLost, .what = "The device is gone"}, {}});
  const auto got = reply({1001}, {.stream = true});
  ASSERT_TRUE(got);
  const auto events = eventsOf(streamed(*got));
  EXPECT_EQ(Json::parse(events.back())["error"]["type"], "server_error");
}

TEST_F(CompletionTest, AFailureBeforeTheStartIsTheStatus) {
  tell(1001, engine::Failed{{.kind = ErrorKind::invalidArgument, .what = "Too long"}, {}});
  EXPECT_FALSE(reply({1001}, {.stream = true}));
}

// Every wait finds a token with text at once, for as long as it takes: a model that writes without a pause.
TEST_F(CompletionTest, AReplyWithoutPausesEndsWithItsClientAndItsTime) {
  for (const auto& [how, where] : {std::pair{Generation::How{.gone = [] { return true; }}, "connection"},
                                   std::pair{Generation::How{.most = std::chrono::seconds(0)}, "reply"}}) {
    tell(1001, engine::Started{});
    auto generation = Generation::over(std::make_unique<Job>(*m_driver, m_events, std::vector<engine::RequestId>{1001}), how);
    std::optional<Error> ended;
    if (!generation) ended = generation.error();
    for (const TimePoint began = Clock::now(); !ended && Clock::now() - began < std::chrono::seconds(10);) {
      tell(1001, token("a"));
      if (const auto piece = (*generation)->next(); !piece) ended = piece.error();
    }
    ASSERT_TRUE(ended);
    EXPECT_EQ(ended->kind, ErrorKind::cancelled);
    EXPECT_EQ(ended->where, where);
    while (m_events->pop(std::chrono::milliseconds(0))) {
    }
  }
}

}  // namespace
}  // namespace minerva::serve
