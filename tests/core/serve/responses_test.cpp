// /v1/responses: the same replies as /v1/chat/completions, in the fields and events of OpenAI's reference
// (https://platform.openai.com/docs/api-reference/responses, November 2026).
#include "tests/core/serve/caller.h"
#include "tests/core/serve/typed_events.h"

#include "core/serve/responses_request.h"

namespace minerva::serve {
namespace {

const char* const responsesRoute = "/v1/responses";

class ResponsesTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { m_running = std::make_unique<Running>(Running::start(2, {})); }
  static void TearDownTestSuite() { m_running.reset(); }
  static Json ask(const Json& body, int status = 200) {
    const Answer answer = post(*m_running, responsesRoute, body.dump());
    EXPECT_EQ(answer.status, status) << answer.body;
    return answer.json();
  }
  static std::string chatText(const Json& messages, int tokens = 16) {
    const Json body{{"messages", messages}, {"temperature", 0}, {"max_tokens", tokens}};
    const Answer answer = post(*m_running, "/v1/chat/completions", body.dump());
    return answer.status == 200 ? answer.json()["choices"][0]["message"]["content"].get<std::string>() : answer.body;
  }
  static Json question(int tokens = 16) { return {{"input", "Hello"}, {"temperature", 0}, {"max_output_tokens", tokens}}; }

  static std::unique_ptr<Running> m_running;
};
std::unique_ptr<Running> ResponsesTest::m_running;

TEST_F(ResponsesTest, AReplyHasEveryFieldOfTheReference) {
  const Json response = ask(question());
  const std::vector<std::string> required{
      "background",        "completed_at", "created_at", "error",       "id",     "incomplete_details",  "instructions",
      "max_output_tokens", "metadata",     "model",      "object",      "output", "parallel_tool_calls", "previous_response_id",
      "reasoning",         "status",       "store",      "temperature", "text",   "tool_choice",         "tools",
      "top_logprobs",      "top_p",        "truncation", "usage",       "user"};
  EXPECT_EQ(namesOf(response), required);
  EXPECT_TRUE(response["id"].get<std::string>().starts_with("resp_"));
  EXPECT_EQ(response["object"], "response");
  EXPECT_EQ(response["model"], "builtin-model");
  EXPECT_TRUE(response["error"].is_null());
  EXPECT_EQ(response["max_output_tokens"], 16);
  EXPECT_EQ(response["temperature"], 0);
  EXPECT_EQ(response["text"], Json::parse(R"({"format":{"type":"text"}})"));
  EXPECT_EQ(response["reasoning"], Json::parse(R"({"effort":null,"summary":null})"));
  EXPECT_EQ(response["tool_choice"], "auto");
  EXPECT_EQ(response["tools"], Json::array());
  EXPECT_EQ(response["truncation"], "disabled");
  EXPECT_EQ(response["store"], true);
  ASSERT_EQ(response["output"].size(), 1U);
  const Json& message = response["output"][0];
  EXPECT_EQ(namesOf(message), (std::vector<std::string>{"content", "id", "role", "status", "type"}));
  EXPECT_EQ(message["type"], "message");
  EXPECT_EQ(message["role"], "assistant");
  EXPECT_EQ(message["content"][0], (Json{{"type", "output_text"},
                                         {"text", chatText(chatOf("Hello")["messages"])},
                                         {"annotations", Json::array()},
                                         {"logprobs", Json::array()}}));
  const Json& usage = response["usage"];
  EXPECT_EQ(namesOf(usage),
            (std::vector<std::string>{"input_tokens", "input_tokens_details", "output_tokens", "output_tokens_details", "total_tokens"}));
  EXPECT_EQ(usage["output_tokens_details"], Json::parse(R"({"reasoning_tokens":0})"));
  EXPECT_EQ(usage["total_tokens"], usage["input_tokens"].get<int>() + usage["output_tokens"].get<int>());
}

TEST_F(ResponsesTest, AReplyThatIsCutIsIncomplete) {
  const Json cut = ask(question(2));
  EXPECT_EQ(cut["status"], "incomplete");
  EXPECT_EQ(cut["incomplete_details"], Json::parse(R"({"reason":"max_output_tokens"})"));
  EXPECT_TRUE(cut["completed_at"].is_null());
  EXPECT_EQ(cut["output"][0]["status"], "incomplete");
  EXPECT_EQ(cut["usage"]["output_tokens"], 2);
  Json body = question(200);
  body["text"] = Json::parse(R"({"format":{"type":"json_schema","name":"n","strict":true,"schema":{"enum":["yes","no"]}}})");
  const Json whole = ask(body);
  EXPECT_EQ(whole["status"], "completed");
  EXPECT_TRUE(whole["incomplete_details"].is_null());
  EXPECT_TRUE(whole["completed_at"].is_number_integer());
  EXPECT_EQ(whole["output"][0]["status"], "completed");
  const auto text = whole["output"][0]["content"][0]["text"].get<std::string>();
  EXPECT_TRUE(text == "\"yes\"" || text == "\"no\"") << text;
  EXPECT_EQ(whole["text"], body["text"]);
}

TEST_F(ResponsesTest, ItemsAreTheMessagesOfAChat) {
  const Json items = Json::parse(R"([{"role":"user","content":"Hello"},
    {"type":"message","role":"assistant","id":"msg_1","status":"completed","content":[{"type":"output_text","text":"Hi.","annotations":[]}]},
    {"type":"message","role":"user","content":[{"type":"input_text","text":"Tell me"},{"type":"input_text","text":"a story."}]}])");
  const Json messages = Json::parse(R"([{"role":"system","content":"Be short."},{"role":"user","content":"Hello"},
    {"role":"assistant","content":"Hi."},{"role":"user","content":"Tell me\na story."}])");
  Json body = question();
  body.update({{"input", items}, {"instructions", "Be short."}});
  const Json response = ask(body);
  EXPECT_EQ(response["output"][0]["content"][0]["text"], chatText(messages));
  EXPECT_EQ(response["instructions"], "Be short.");
}

TEST_F(ResponsesTest, AStreamTellsTheSameInTypedEvents) {
  const Json whole = ask(question(6));
  Json body = question(6);
  body["stream"] = true;
  const Answer answer = post(*m_running, responsesRoute, body.dump());
  EXPECT_EQ(answer.type, "text/event-stream");
  const std::vector<TypedEvent> events = typedEventsOf(answer.body);
  ASSERT_GT(events.size(), 8U);
  std::vector<std::string> types;
  std::string text;
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].data["type"], events[i].type);
    EXPECT_EQ(events[i].data["sequence_number"], i);
    if (types.empty() || types.back() != events[i].type) types.push_back(events[i].type);
    if (events[i].type != "response.output_text.delta") continue;
    EXPECT_EQ(namesOf(events[i].data),
              (std::vector<std::string>{"content_index", "delta", "item_id", "logprobs", "output_index", "sequence_number", "type"}));
    text += events[i].data["delta"].get<std::string>();
  }
  EXPECT_EQ(types, (std::vector<std::string>{"response.created", "response.in_progress", "response.output_item.added",
                                             "response.content_part.added", "response.output_text.delta", "response.output_text.done",
                                             "response.content_part.done", "response.output_item.done", "response.incomplete"}));
  EXPECT_EQ(text, whole["output"][0]["content"][0]["text"]);
  const auto dataOf = [&](const std::string& type) { return std::ranges::find(events, type, &TypedEvent::type)->data; };
  EXPECT_EQ(dataOf("response.created")["response"]["status"], "in_progress");
  EXPECT_EQ(dataOf("response.created")["response"]["output"], Json::array());
  EXPECT_TRUE(dataOf("response.created")["response"]["usage"].is_null());
  EXPECT_EQ(dataOf("response.output_item.added")["item"]["content"], Json::array());
  EXPECT_EQ(dataOf("response.content_part.added")["part"]["text"], "");
  EXPECT_EQ(dataOf("response.output_text.done")["text"], text);
  EXPECT_EQ(dataOf("response.content_part.done")["part"], whole["output"][0]["content"][0]);
  Json last = events.back().data["response"];
  EXPECT_EQ(last["output"][0], dataOf("response.output_item.done")["item"]);
  EXPECT_EQ(last["id"], events.front().data["response"]["id"]);
  // All but what is new in each reply.
  Json expected = whole;
  for (Json* one : {&last, &expected}) {
    for (const char* field : {"id", "created_at", "usage"}) one->erase(field);
    (*one)["output"][0].erase("id");
  }
  EXPECT_EQ(last, expected);
}

// Codex tells an overflow by this event, after which it shortens the conversation; a status is an invalid request to it.
TEST_F(ResponsesTest, AStreamWhosePromptIsTooLongFailsWithACode) {
  std::string text;
  for (int i = 0; i < m_running->engine->info().contextLength; ++i) text += "fox ";
  Json body{{"input", text}, {"stream", true}};
  const Answer answer = post(*m_running, responsesRoute, body.dump());
  EXPECT_EQ(answer.status, 200) << answer.body;
  const std::vector<TypedEvent> events = typedEventsOf(answer.body);
  ASSERT_EQ(events.size(), 2U) << answer.body;
  EXPECT_EQ(events[0].type, "response.created");
  EXPECT_EQ(events[0].data["response"]["status"], "in_progress");
  EXPECT_EQ(events[1].type, "response.failed");
  EXPECT_EQ(events[1].data["sequence_number"], 1);
  const Json& failed = events[1].data["response"];
  EXPECT_EQ(failed["status"], "failed");
  EXPECT_EQ(failed["error"]["code"], "context_length_exceeded");
  EXPECT_EQ(failed["id"], events[0].data["response"]["id"]);
  body["stream"] = false;
  EXPECT_EQ(ask(body, 400)["error"]["code"], "context_length_exceeded");
}

TEST_F(ResponsesTest, ProbabilitiesOfTokensCoverTheText) {
  Json body = question(6);
  body.update({{"include", {"message.output_text.logprobs"}}, {"top_logprobs", 2}});
  const Json part = ask(body)["output"][0]["content"][0];
  std::string joined;
  for (const Json& one : part["logprobs"]) {
    EXPECT_EQ(namesOf(one), (std::vector<std::string>{"bytes", "id", "logprob", "token", "top_logprobs"}));
    EXPECT_EQ(one["top_logprobs"].size(), 2U);
    EXPECT_EQ(one["top_logprobs"][0]["token"], one["token"]) << "greedy";
    joined += one["token"].get<std::string>();
  }
  EXPECT_EQ(joined, part["text"]);
}

TEST_F(ResponsesTest, WhatIsNotServedIsRefusedInWords) {
  const auto expectRefused = [](const Json& more, const char* param, const char* words) {
    SCOPED_TRACE(more.dump());
    Json body = question();
    body.update(more);
    const Json error = ask(body, 400)["error"];
    EXPECT_EQ(error["param"], param) << error;
    EXPECT_NE(error["message"].get<std::string>().find(words), std::string::npos) << error;
  };
  expectRefused({{"store", "yes"}}, "store", "true or false");
  expectRefused({{"previous_response_id", "resp_1"}}, "previous_response_id", "Send the whole conversation");
  expectRefused({{"previous_response_id", 5}}, "previous_response_id", "a string");
  expectRefused({{"background", true}}, "background", "keeps none");
  expectRefused({{"truncation", "much"}}, "truncation", "disabled or auto");
  expectRefused({{"input", Json::array()}}, "input", "not empty");
  expectRefused({{"input", 5}}, "input", "text or an array of items");
  expectRefused({{"max_output_tokens", 0}}, "max_output_tokens", "from 1");
  expectRefused({{"temperature", 1000}}, "temperature", "number from");
  expectRefused({{"reasoning", {{"effort", "much"}}}}, "reasoning.effort", "an effort of the model");
  expectRefused(Json::parse(R"({"tools":[{"type":"web_search"}],"tool_choice":{"type":"web_search"}})"), "tool_choice.type", "function");
  expectRefused(Json::parse(R"({"tools":[{"type":"function"}]})"), "tools[0].name", "a string");
  expectRefused(Json::parse(R"({"text":{"format":{"type":"json_schema","name":"n","schema":{"type":"thing"}}}})"),
                "text.format.schema.type", "thing");
  expectRefused(Json::parse(R"({"text":{"format":{"type":"xml"}}})"), "text.format.type", "xml");
  const auto expectItemRefused = [&](const char* item, const char* param, const char* words) {
    expectRefused({{"input", Json::array({Json::parse(item)})}}, param, words);
  };
  expectItemRefused(R"({"role":"user","content":[{"type":"input_image","image_url":"x"}]})", "input[0].content[0].type", "text only");
  expectItemRefused(R"({"type":"item_reference","id":"x"})", "input[0].type", "still keeps");
  expectItemRefused(R"({"type":"computer_call"})", "input[0].type", "function_call");
  expectItemRefused(R"({"type":"function_call_output","call_id":"c","output":"x"})", "input[0].call_id", "before it");
  expectItemRefused(R"({"role":"robot","content":"x"})", "input[0].role", "user, assistant");
  expectItemRefused("7", "input[0]", "an item");
  Json kept = question();
  kept.update({{"store", false}, {"previous_response_id", nullptr}, {"truncation", "disabled"}});
  ask(kept);
  // What Codex sends to any server.
  kept.update(Json::parse(R"({"store":true,"truncation":"auto","tools":[{"type":"web_search"},{"type":"custom","name":"apply_patch"},
      {"type":"function","name":"shell"}],"tool_choice":"auto"})"));
  const Json answered = ask(kept);
  EXPECT_EQ(answered["tools"], Json::parse(R"([{"type":"custom","name":"apply_patch"},
      {"type":"function","name":"shell","description":null,"parameters":null,"strict":false}])"));
  EXPECT_EQ(answered["store"], true);
  EXPECT_EQ(answered["truncation"], "disabled");
  const auto chat = chatOfResponses(kept);
  ASSERT_TRUE(chat) << chat.error().message();
  ASSERT_EQ(chat->chat["tools"].size(), 2U);
  EXPECT_EQ(chat->chat["tools"][1]["function"]["name"], "shell");
  kept["model"] = "another";
  EXPECT_EQ(ask(kept, 404)["error"]["code"], "model_not_found");
}

TEST(Responses, CallsAndTheirOutputsAreTurnsOfAChat) {
  const Json body = Json::parse(R"({"model":"m","input":[
      {"role":"user","content":"Weather?"},
      {"type":"reasoning","id":"rs_1","summary":[],"content":[{"type":"reasoning_text","text":"Two cities."}]},
      {"type":"function_call","call_id":"c1","name":"weather","arguments":"{\"city\":\"Oslo\"}"},
      {"type":"function_call","call_id":"c2","name":"weather","arguments":"{\"city\":\"Rome\"}"},
      {"type":"function_call_output","call_id":"c1","output":"rain"},
      {"type":"function_call_output","call_id":"c2","output":[{"type":"input_text","text":"sun"}]}],
    "tools":[{"type":"function","name":"weather","description":"d","parameters":{"type":"object"},"strict":true}],
    "tool_choice":{"type":"function","name":"weather"},"reasoning":{"effort":"low"},"max_output_tokens":9})");
  const Json expected = Json::parse(R"({"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Weather?"},
      {"role":"assistant","content":"","reasoning_content":"Two cities.","tool_calls":[
        {"id":"c1","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Oslo\"}"}},
        {"id":"c2","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Rome\"}"}}]},
      {"role":"tool","tool_call_id":"c1","name":"weather","content":"rain"},
      {"role":"tool","tool_call_id":"c2","name":"weather","content":"sun"}],
    "tools":[{"type":"function","function":{"name":"weather","description":"d","parameters":{"type":"object"},"strict":true}}],
    "tool_choice":{"type":"function","function":{"name":"weather"}},"reasoning_effort":"low"})");
  const auto chat = chatOfResponses(body);
  ASSERT_TRUE(chat) << chat.error().message();
  EXPECT_EQ(chat->chat, expected) << chat->chat.dump();
}

TEST(Responses, ReasoningIsAnItem) {
  const TemporaryFolder folder;
  const Running running = thinkerOf(folder);
  const Json chat = post(running, "/v1/chat/completions", chatOf("Hello").dump()).json();
  Json body = Json::parse(R"({"input":"Hello","temperature":0,"max_output_tokens":16})");
  const Json whole = post(running, responsesRoute, body.dump()).json();
  ASSERT_EQ(whole["output"].size(), 1U) << whole;
  const Json& item = whole["output"][0];
  EXPECT_EQ(namesOf(item), (std::vector<std::string>{"content", "id", "status", "summary", "type"}));
  EXPECT_EQ(item["type"], "reasoning");
  EXPECT_EQ(item["content"][0], (Json{{"type", "reasoning_text"}, {"text", chat["choices"][0]["message"]["reasoning_content"]}}));
  body["stream"] = true;
  std::string streamed;
  for (const TypedEvent& event : typedEventsOf(post(running, responsesRoute, body.dump()).body))
    if (event.type == "response.reasoning_text.delta") streamed += event.data["delta"].get<std::string>();
  EXPECT_EQ(streamed, item["content"][0]["text"]);
}

TEST(Responses, AForcedCallIsAnItem) {
  const TemporaryFolder folder;
  const Running running = callerOf(folder, hermesCalls);
  Json body = Json::parse(
      R"({"input":"How is the weather?","temperature":0,"max_output_tokens":200,"tool_choice":"required","parallel_tool_calls":false,"stream":true,
    "tools":[{"type":"function","name":"weather","parameters":{"type":"object","properties":{"city":{"enum":["Oslo","Rome"]}},
      "required":["city"],"additionalProperties":false}}]})");
  const std::vector<TypedEvent> events = typedEventsOf(post(running, responsesRoute, body.dump()).body);
  std::vector<std::string> types;
  std::string streamed;
  for (const TypedEvent& event : events) {
    if (types.empty() || types.back() != event.type) types.push_back(event.type);
    if (event.type == "response.function_call_arguments.delta") streamed += event.data["delta"].get<std::string>();
  }
  ASSERT_EQ(types, (std::vector<std::string>{"response.created", "response.in_progress", "response.output_item.added",
                                             "response.function_call_arguments.delta", "response.function_call_arguments.done",
                                             "response.output_item.done", "response.completed"}));
  EXPECT_GT(events.size(), 8U) << "the arguments come while they are written";
  EXPECT_EQ(events[2].data["item"]["arguments"], "");
  const TypedEvent& ended = events[events.size() - 3];
  const Json item = events.back().data["response"]["output"][0];
  EXPECT_EQ(streamed, item["arguments"]);
  EXPECT_EQ(namesOf(item), (std::vector<std::string>{"arguments", "call_id", "id", "name", "status", "type"}));
  EXPECT_EQ(item["name"], "weather");
  EXPECT_EQ(item["status"], "completed");
  EXPECT_EQ(ended.data["arguments"], item["arguments"]);
  EXPECT_EQ(ended.data["item_id"], item["id"]);
  const Json arguments = Json::parse(item["arguments"].get<std::string>());
  EXPECT_TRUE(arguments["city"] == "Oslo" || arguments["city"] == "Rome") << arguments;
  body["stream"] = false;
  const Json whole = post(running, responsesRoute, body.dump()).json();
  EXPECT_EQ(whole["output"][0]["arguments"], item["arguments"]);
  EXPECT_EQ(whole["output"].size(), 1U);
  body["tools"][0]["parameters"]["properties"]["city"] = {{"not", {{"type", "null"}}}};
  body["tools"][0]["strict"] = true;
  EXPECT_EQ(post(running, responsesRoute, body.dump()).json()["error"]["param"], "tools[0].parameters.properties.city.not");
}

}  // namespace
}  // namespace minerva::serve
