// /v1/messages: the same replies as /v1/chat/completions, in the fields and events of Anthropic's reference
// (https://platform.claude.com/docs/en/api/messages, November 2026).
#include "core/serve/messages_request.h"
#include "tests/core/serve/caller.h"
#include "tests/core/serve/typed_events.h"

namespace minerva::serve {
namespace {

const char* const messagesRoute = "/v1/messages";
const char* const countRoute = "/v1/messages/count_tokens";

class MessagesTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { m_running = std::make_unique<Running>(Running::start(2, {})); }
  static void TearDownTestSuite() { m_running.reset(); }
  static Json ask(const Json& body, int status = 200, const char* route = messagesRoute) {
    const Answer answer = post(*m_running, route, body.dump());
    EXPECT_EQ(answer.status, status) << answer.body;
    return answer.json();
  }
  static Json chatChoice(const Json& messages, int tokens = 16, const Json& more = Json::object()) {
    Json body{{"messages", messages}, {"temperature", 0}, {"max_tokens", tokens}};
    body.update(more);
    return ask(body, 200, "/v1/chat/completions");
  }
  static std::string chatText(const Json& messages, int tokens = 16) {
    return chatChoice(messages, tokens)["choices"][0]["message"]["content"];
  }
  static Json greeting() { return Json::parse(R"([{"role":"user","content":"Hello"}])"); }
  static Json question(int tokens = 16) { return {{"messages", greeting()}, {"temperature", 0}, {"max_tokens", tokens}}; }

  static std::unique_ptr<Running> m_running;
};
std::unique_ptr<Running> MessagesTest::m_running;

TEST_F(MessagesTest, AReplyHasEveryFieldOfTheReference) {
  const Json message = ask(question());
  EXPECT_EQ(namesOf(message), (std::vector<std::string>{"container", "content", "diagnostics", "id", "model", "role", "stop_details",
                                                        "stop_reason", "stop_sequence", "type", "usage"}));
  EXPECT_TRUE(message["id"].get<std::string>().starts_with("msg_"));
  EXPECT_EQ(message["type"], "message");
  EXPECT_EQ(message["role"], "assistant");
  EXPECT_EQ(message["model"], "builtin-model");
  EXPECT_TRUE(message["stop_sequence"].is_null());
  const Json chat = chatChoice(greeting());
  ASSERT_EQ(message["content"].size(), 1U);
  EXPECT_EQ(message["content"][0], (Json{{"type", "text"}, {"text", chat["choices"][0]["message"]["content"]}, {"citations", nullptr}}));
  EXPECT_EQ(message["stop_reason"], chat["choices"][0]["finish_reason"] == "length" ? "max_tokens" : "end_turn");
  const Json& usage = message["usage"];
  EXPECT_EQ(namesOf(usage), (std::vector<std::string>{"cache_creation", "cache_creation_input_tokens", "cache_read_input_tokens",
                                                      "inference_geo", "input_tokens", "output_tokens", "output_tokens_details",
                                                      "server_tool_use", "service_tier", "speed"}));
  EXPECT_EQ(usage["input_tokens"].get<int>() + usage["cache_read_input_tokens"].get<int>(), chat["usage"]["prompt_tokens"]);
  EXPECT_EQ(usage["output_tokens"], chat["usage"]["completion_tokens"]);
}

TEST_F(MessagesTest, TheReasonOfTheEndIsTold) {
  EXPECT_EQ(ask(question(2))["stop_reason"], "max_tokens");
  const std::string whole = chatText(greeting(), 40);
  const std::string stop = whole.substr(whole.size() / 2, 3);
  Json body = question(40);
  body["stop_sequences"] = {"not in it", stop};
  const Json message = ask(body);
  EXPECT_EQ(message["stop_reason"], "stop_sequence");
  EXPECT_EQ(message["stop_sequence"], stop);
  EXPECT_EQ(message["content"][0]["text"], whole.substr(0, whole.find(stop)));
}

TEST_F(MessagesTest, AStreamTellsTheSameInTypedEvents) {
  const Json whole = ask(question());
  Json body = question();
  body["stream"] = true;
  const Answer answer = post(*m_running, messagesRoute, body.dump());
  EXPECT_EQ(answer.type, "text/event-stream");
  const std::vector<TypedEvent> events = typedEventsOf(answer.body);
  ASSERT_GE(events.size(), 6U);
  std::string text;
  for (const TypedEvent& event : events) {
    EXPECT_EQ(event.data["type"], event.type);
    if (event.type == "content_block_delta") text += event.data["delta"]["text"].get<std::string>();
  }
  EXPECT_EQ(text, whole["content"][0]["text"]);
  EXPECT_EQ(events[0].type, "message_start");
  const Json& start = events[0].data["message"];
  EXPECT_EQ(namesOf(start), namesOf(whole));
  EXPECT_EQ(start["content"], Json::array());
  EXPECT_TRUE(start["stop_reason"].is_null());
  EXPECT_EQ(start["usage"]["output_tokens"], 0);
  EXPECT_EQ(events[1].type, "content_block_start");
  EXPECT_EQ(events[1].data["index"], 0);
  EXPECT_EQ(events[1].data["content_block"], Json::parse(R"({"type":"text","text":"","citations":null})"));
  EXPECT_EQ(events[events.size() - 3].type, "content_block_stop");
  const TypedEvent& delta = events[events.size() - 2];
  EXPECT_EQ(delta.type, "message_delta");
  EXPECT_EQ(delta.data["delta"]["stop_reason"], whole["stop_reason"]);
  EXPECT_EQ(delta.data["usage"]["output_tokens"], whole["usage"]["output_tokens"]);
  EXPECT_EQ(delta.data["usage"]["input_tokens"], start["usage"]["input_tokens"]);
  EXPECT_EQ(events.back().type, "message_stop");
}

TEST_F(MessagesTest, BlocksAreTheMessagesOfAChat) {
  Json body = question();
  body["system"] = Json::parse(R"([{"type":"text","text":"x-anthropic-billing-header: cc_version=2.1; cch=5e2d1;"},
      {"type":"text","text":"Be","cache_control":{"type":"ephemeral"}},{"type":"text","text":"short."}])");
  body["messages"] = Json::parse(R"([{"role":"user","content":[{"type":"text","text":"Hello"}]},
      {"role":"assistant","content":[{"type":"text","text":"Hi."}]},{"role":"user","content":"And?"}])");
  body["metadata"] = {{"user_id", "u"}};
  EXPECT_EQ(ask(body)["content"][0]["text"],
            chatText(Json::parse(R"([{"role":"system","content":"Be\nshort."},{"role":"user","content":"Hello"},
      {"role":"assistant","content":"Hi."},{"role":"user","content":"And?"}])")));
  // A turn that the assistant has begun goes on.
  const std::string text = ask(question())["content"][0]["text"];
  body = question(8);
  body["messages"].push_back({{"role", "assistant"}, {"content", text.substr(0, 5)}});
  EXPECT_EQ(ask(body)["content"][0]["text"], chatText(body["messages"], 8));
}

TEST_F(MessagesTest, TokensOfAPromptAreCounted) {
  const Json usage = ask(question())["usage"];
  const int expected = usage["input_tokens"].get<int>() + usage["cache_read_input_tokens"].get<int>();
  EXPECT_EQ(ask({{"messages", greeting()}}, 200, countRoute), (Json{{"input_tokens", expected}}));
  const std::string tooLong = [] {
    std::string text;
    while (text.size() < 20000) text += "word ";
    return text;
  }();
  const Json long1 = Json::array({{{"role", "user"}, {"content", tooLong}}});
  EXPECT_GT(ask({{"messages", long1}}, 200, countRoute)["input_tokens"], 1024) << "more than the context holds";
  EXPECT_EQ(ask({{"messages", long1}, {"max_tokens", 4}}, 400)["error"]["type"], "invalid_request_error");
}

TEST_F(MessagesTest, WhatIsNotServedIsRefusedInWords) {
  const auto expectRefused = [](const Json& more, const char* field, const char* words, int status = 400) {
    SCOPED_TRACE(more.dump());
    Json body = question();
    body.update(more);
    const Json answer = ask(body, status);
    EXPECT_EQ(namesOf(answer), (std::vector<std::string>{"error", "request_id", "type"}));
    EXPECT_EQ(answer["type"], "error");
    EXPECT_EQ(namesOf(answer["error"]), (std::vector<std::string>{"message", "type"}));
    EXPECT_EQ(answer["error"]["type"], status == 404 ? "not_found_error" : "invalid_request_error");
    const auto message = answer["error"]["message"].get<std::string>();
    EXPECT_NE(message.find(field), std::string::npos) << message;
    EXPECT_NE(message.find(words), std::string::npos) << message;
  };
  expectRefused({{"model", "another"}}, "model", "another", 404);
  expectRefused({{"messages", Json::array()}}, "messages", "not empty");
  expectRefused({{"messages", 5}}, "messages", "array");
  expectRefused({{"max_tokens", 0}}, "max_tokens", "from 1");
  expectRefused({{"temperature", 1000}}, "temperature", "number from");
  expectRefused({{"stop_sequences", 5}}, "stop_sequences", "string");
  expectRefused({{"system", 5}}, "system", "blocks");
  expectRefused({{"mcp_servers", Json::array({1})}}, "mcp_servers", "");
  expectRefused({{"thinking", {{"type", "much"}}}}, "thinking.type", "adaptive");
  expectRefused({{"output_config", {{"effort", "much"}}}}, "output_config.effort", "an effort of the model");
  expectRefused(Json::parse(R"({"output_config":{"format":{"type":"xml"}}})"), "output_config.format.type", "xml");
  expectRefused(Json::parse(R"({"output_config":{"format":{"type":"json_schema","schema":{"type":"thing"}}}})"),
                "output_config.format.schema.type", "thing");
  expectRefused(Json::parse(R"({"output_config":{"format":{"type":"json_schema","schema":{"not":{"type":"null"}}}}})"),
                "output_config.format.schema.not", "not supported");
  expectRefused(Json::parse(R"({"tools":[{"input_schema":{}}]})"), "tools[0].name", "a string");
  expectRefused(Json::parse(R"({"tools":[{"name":"f"}],"tool_choice":{"type":"some"}})"), "tool_choice.type", "any");
  expectRefused(Json::parse(R"({"tools":[{"name":"f"}],"tool_choice":{"type":"tool"}})"), "tool_choice.name", "a string");
  const auto expectBlockRefused = [&](const char* role, const char* block, const char* field, const char* words) {
    expectRefused({{"messages", Json::array({{{"role", role}, {"content", Json::array({Json::parse(block)})}}})}}, field, words);
  };
  const char* const at = "messages[0].content[0]";
  expectBlockRefused("user", R"({"type":"image","source":{"type":"base64","media_type":"image/png","data":"x"}})", at, "text only");
  expectBlockRefused("user", R"({"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"x"}})", at,
                     "text only");
  expectBlockRefused("user", R"({"type":"tool_result","tool_use_id":"c","content":"x"})", "tool_use_id", "before it");
  expectBlockRefused("user", R"({"type":"text"})", ".text", "a string");
  expectBlockRefused("user", "7", at, "a block");
  expectBlockRefused("assistant", R"({"type":"tool_use","id":"c","name":"f","input":"x"})", ".input", "an object");
  expectBlockRefused("assistant", R"({"type":"server_tool_use","id":"c","name":"f","input":{}})", at, "text only");
  expectRefused(Json::parse(R"({"messages":[{"role":"robot","content":"x"}]})"), "messages[0].role", "user, assistant");
  expectRefused(Json::parse(R"({"messages":[7]})"), "messages[0]", "a message");
  expectRefused(Json::parse(R"({"messages":[{"role":"user"}]})"), "messages[0].content", "none");
  const Answer noRoute = post(*m_running, "/v1/messages/batches", "{}");
  EXPECT_EQ(noRoute.status, 404);
  EXPECT_EQ(noRoute.json()["error"]["type"], "not_found_error") << noRoute.body;
}

TEST(Messages, CallsAndTheirResultsAreTurnsOfAChat) {
  const Json body = Json::parse(R"({"model":"m","max_tokens":9,"top_k":5,"messages":[
      {"role":"user","content":"Weather?"},
      {"role":"assistant","content":[{"type":"thinking","thinking":"Two cities.","signature":"s"},
        {"type":"redacted_thinking","data":"x"},{"type":"text","text":"I look."},
        {"type":"tool_use","id":"c1","name":"weather","input":{"city":"Oslo"}},
        {"type":"tool_use","id":"c2","name":"weather","input":{}}]},
      {"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"rain"},
        {"type":"tool_result","tool_use_id":"c2","content":[{"type":"text","text":"sun"}],"is_error":true},
        {"type":"text","text":"Well?"},
        {"type":"document","source":{"type":"text","media_type":"text/plain","data":"A page."}}]}],
    "tools":[{"name":"weather","description":"d","input_schema":{"type":"object"}},{"type":"web_search_20250305","name":"web_search"}],
    "tool_choice":{"type":"tool","name":"weather","disable_parallel_tool_use":true},
    "thinking":{"type":"enabled","budget_tokens":1024},"output_config":{"effort":"low"}})");
  const Json expected = Json::parse(R"({"model":"m","top_k":5,"max_tokens":9,"messages":[{"role":"user","content":"Weather?"},
      {"role":"assistant","content":[{"type":"text","text":"I look."}],"tool_calls":[
        {"id":"c1","type":"function","function":{"name":"weather","arguments":{"city":"Oslo"}}},
        {"id":"c2","type":"function","function":{"name":"weather","arguments":{}}}],"reasoning_content":"Two cities."},
      {"role":"tool","tool_call_id":"c1","name":"weather","content":"rain"},
      {"role":"tool","tool_call_id":"c2","name":"weather","content":"sun"},
      {"role":"user","content":[{"type":"text","text":"Well?"},{"type":"text","text":"A page."}]}],
    "tools":[{"type":"function","function":{"name":"weather","description":"d","parameters":{"type":"object"}}}],
    "tool_choice":{"type":"function","function":{"name":"weather"}},"parallel_tool_calls":false,
    "chat_template_kwargs":{"enable_thinking":true},"reasoning_effort":"low"})");
  const Result<Json> chat = chatOfMessages(body);
  ASSERT_TRUE(chat) << chat.error().message();
  EXPECT_EQ(*chat, expected) << chat->dump();
  const Result<Json> any = chatOfMessages(
      Json::parse(R"({"messages":[{"role":"user","content":"a"}],"tool_choice":{"type":"any"},"thinking":{"type":"disabled"}})"));
  ASSERT_TRUE(any);
  EXPECT_EQ((*any)["tool_choice"], "required");
  EXPECT_EQ((*any)["chat_template_kwargs"]["enable_thinking"], false);
}

// Pydantic's sets. A property of that name stays.
TEST(Messages, ItemsThatShouldDifferAreNotDemanded) {
  const Result<Json> chat = chatOfMessages(Json::parse(R"({"messages":[{"role":"user","content":"a"}],"output_config":{"format":{
      "type":"json_schema","schema":{"type":"object","properties":{"uniqueItems":{"type":"array","uniqueItems":true},
      "b":{"anyOf":[{"type":"array","uniqueItems":true,"items":{"enum":[{"uniqueItems":true}]}}]}}}}}})"));
  ASSERT_TRUE(chat) << chat.error().message();
  EXPECT_EQ((*chat)["response_format"]["json_schema"]["schema"],
            Json::parse(R"({"type":"object","properties":{"uniqueItems":{"type":"array"},
      "b":{"anyOf":[{"type":"array","items":{"enum":[{"uniqueItems":true}]}}]}}})"));
}

// What a tool returned is sent with every further turn: refused, it would end the session.
TEST(Messages, WhatIsNoTextInAResultIsNamed) {
  const Json body = Json::parse(R"({"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"look","input":{}}]},
      {"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":[{"type":"text","text":"a.png"},
        {"type":"image","source":{"type":"base64","media_type":"image/png","data":"x"}},
        {"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"x"}},
        {"type":"search_result","source":"s","title":"t","content":[{"type":"text","text":"found"}]},
        {"type":"tool_reference","tool_name":"grep"}]}]}]})");
  const auto chat = chatOfMessages(body);
  ASSERT_TRUE(chat) << chat.error().message();
  EXPECT_EQ((*chat)["messages"][1]["content"],
            "a.png\n[image: this model reads text only]\n[document: this model reads text only]\nfound\n[tool grep is available]");
}

TEST(Messages, AForcedCallIsABlock) {
  const TemporaryFolder folder;
  const Running running = callerOf(folder, hermesCalls);
  Json body = Json::parse(R"({"messages":[{"role":"user","content":"How is the weather?"}],"temperature":0,"max_tokens":200,
    "tool_choice":{"type":"any","disable_parallel_tool_use":true},"tools":[{"name":"weather","input_schema":{"type":"object",
      "properties":{"city":{"enum":["Oslo","Rome"]}},"required":["city"],"additionalProperties":false}}]})");
  const Json whole = post(running, messagesRoute, body.dump()).json();
  ASSERT_EQ(whole["content"].size(), 1U) << whole;
  const Json& block = whole["content"][0];
  EXPECT_EQ(namesOf(block), (std::vector<std::string>{"caller", "id", "input", "name", "type"}));
  EXPECT_TRUE(block["id"].get<std::string>().starts_with("toolu_"));
  EXPECT_EQ(block["type"], "tool_use");
  EXPECT_EQ(block["name"], "weather");
  EXPECT_TRUE(block["input"]["city"] == "Oslo" || block["input"]["city"] == "Rome") << block;
  EXPECT_EQ(whole["stop_reason"], "tool_use");
  body["stream"] = true;
  const std::vector<TypedEvent> events = typedEventsOf(post(running, messagesRoute, body.dump()).body);
  std::vector<std::string> types;
  std::string arguments;
  for (const TypedEvent& event : events) {
    if (types.empty() || types.back() != event.type) types.push_back(event.type);
    if (event.type != "content_block_delta") continue;
    EXPECT_EQ(event.data["delta"]["type"], "input_json_delta");
    arguments += event.data["delta"]["partial_json"].get<std::string>();
  }
  ASSERT_EQ(types, (std::vector<std::string>{"message_start", "content_block_start", "content_block_delta", "content_block_stop",
                                             "message_delta", "message_stop"}));
  EXPECT_GT(events.size(), 7U) << "the arguments come while they are written";
  EXPECT_EQ(events[1].data["content_block"]["name"], "weather");
  EXPECT_EQ(events[1].data["content_block"]["input"], Json::object());
  EXPECT_EQ(Json::parse(arguments), block["input"]);
  EXPECT_EQ(events[events.size() - 2].data["delta"]["stop_reason"], "tool_use");
  // A call that is cut off is not carried out.
  body["stream"] = false;
  body["max_tokens"] = 8;
  const Json cut = post(running, messagesRoute, body.dump()).json();
  EXPECT_EQ(cut["stop_reason"], "max_tokens");
  for (const Json& one : cut["content"]) EXPECT_EQ(one["type"], "text") << cut;
}

TEST(Messages, ReasoningIsABlockOfItsOwn) {
  const TemporaryFolder folder;
  const Running running = thinkerOf(folder);
  Json body = Json::parse(R"({"messages":[{"role":"user","content":"Hello"}],"temperature":0,"max_tokens":12})");
  const Json chat = post(running, "/v1/chat/completions", body.dump()).json();
  const std::string thought = chat["choices"][0]["message"]["reasoning_content"];
  EXPECT_FALSE(thought.empty());
  const Json whole = post(running, messagesRoute, body.dump()).json();
  ASSERT_EQ(whole["content"].size(), 1U) << whole;
  EXPECT_EQ(whole["content"][0], (Json{{"type", "thinking"}, {"thinking", thought}, {"signature", ""}}));
  EXPECT_EQ(whole["usage"]["output_tokens_details"]["thinking_tokens"], chat["usage"]["completion_tokens_details"]["reasoning_tokens"]);
  body["stream"] = true;
  const std::vector<TypedEvent> events = typedEventsOf(post(running, messagesRoute, body.dump()).body);
  ASSERT_GE(events.size(), 7U);
  EXPECT_EQ(events[1].data["content_block"], Json::parse(R"({"type":"thinking","thinking":"","signature":""})"));
  std::string streamed;
  for (const TypedEvent& event : events)
    if (event.type == "content_block_delta" && event.data["delta"]["type"] == "thinking_delta")
      streamed += event.data["delta"]["thinking"].get<std::string>();
  EXPECT_EQ(streamed, thought);
  EXPECT_EQ(events[events.size() - 4].data["delta"], Json::parse(R"({"type":"signature_delta","signature":""})"));
}

TEST(Messages, TheKeyMayHaveAnthropicsName) {
  const Running running = Running::start(1, {.key = "secret"});
  const std::string body = R"({"messages":[{"role":"user","content":"Hello"}],"max_tokens":2})";
  const Answer none = post(running, messagesRoute, body);
  EXPECT_EQ(none.status, 401);
  EXPECT_EQ(none.json()["error"]["type"], "authentication_error");
  EXPECT_EQ(post(running, messagesRoute, body, {{"X-Api-Key", "secret"}}).status, 200);
  EXPECT_EQ(post(running, messagesRoute, body, {{"X-Api-Key", "another"}}).status, 401);
  EXPECT_EQ(post(running, messagesRoute, body, {{"X-Api-Key", "secret"}, {"Authorization", "Bearer another"}}).status, 401);
}

}  // namespace
}  // namespace minerva::serve
