// Tools of /v1/responses that a chat has no form for, and what agents send back with every turn.
#include "core/serve/responses_items.h"
#include "core/serve/responses_request.h"
#include "tests/core/serve/caller.h"
#include "tests/core/serve/typed_events.h"

namespace minerva::serve {
namespace {

const char* const agentRoute = "/v1/responses";

Json responsesMessages(const Json& items, const Json& tools = Json::array()) {
  const auto chat = chatOfResponses({{"input", items}, {"tools", tools}});
  return chat ? chat->chat["messages"] : Json(chat.error().message());
}

Json calledTurn(const char* name, const Json& arguments) {
  return {
      {"role", "assistant"},
      {"content", ""},
      {"tool_calls", Json::array({{{"id", "c"}, {"type", "function"}, {"function", {{"name", name}, {"arguments", arguments.dump()}}}}})}};
}

// As Codex sends a server of MCP. The call comes back with both names, or Codex does not find the tool.
TEST(ResponsesTools, OfANamespaceAreFunctions) {
  const Json tools = Json::parse(R"([{"type":"namespace","name":"mcp__files","description":"d","tools":[
      {"type":"function","name":"read","parameters":{"type":"object","properties":{"path":{"enum":["a","b"]}},"required":["path"],
        "additionalProperties":false}}]}])");
  const TemporaryFolder folder;
  const Running running = callerOf(folder, hermesCalls);
  Json body{{"input", "Read."}, {"temperature", 0}, {"max_output_tokens", 200}, {"tool_choice", "required"}, {"parallel_tool_calls", false},
            {"tools", tools}};
  const Json whole = post(running, agentRoute, body.dump()).json();
  ASSERT_EQ(whole["output"].size(), 1U) << whole;
  const Json item = whole["output"][0];
  EXPECT_EQ(item["namespace"], "mcp__files");
  EXPECT_EQ(item["name"], "read");
  EXPECT_EQ(whole["tools"], tools);
  body["stream"] = true;
  for (const TypedEvent& event : typedEventsOf(post(running, agentRoute, body.dump()).body)) {
    if (!event.type.starts_with("response.output_item.")) continue;
    EXPECT_EQ(event.data["item"]["namespace"], "mcp__files") << event.type;
    EXPECT_EQ(event.data["item"]["name"], "read") << event.type;
  }
  // Sent back, it is the call that the model wrote.
  const Json output{{"type", "function_call_output"}, {"call_id", item["call_id"]}, {"output", "text"}};
  const Json messages = responsesMessages(Json::array({item, output}), tools);
  EXPECT_EQ(messages[0]["tool_calls"][0]["function"]["name"], "mcp__files__read") << messages;
  EXPECT_EQ(messages[1]["name"], "mcp__files__read");
  body.update(
      {{"stream", false}, {"input", Json::array({{{"role", "user"}, {"content", "Read."}}, item, output})}, {"tool_choice", "auto"}});
  EXPECT_EQ(post(running, agentRoute, body.dump()).status, 200);
}

TEST(ResponsesTools, HaveNamesOfTheirOwn) {
  const auto read = ResponsesTools::read(Json::parse(R"([{"type":"function","name":"a__b"},{"type":"web_search"},
      {"type":"namespace","name":"a","tools":[{"type":"function","name":"b"}]},{"type":"namespace","name":"c__","tools":[
        {"type":"custom","name":"d"}]},{"type":"namespace","name":"empty"}])"));
  ASSERT_TRUE(read) << read.error().message();
  std::vector<std::string> names;
  for (const Json& tool : read->functions()) names.push_back(tool["function"]["name"]);
  EXPECT_EQ(names, (std::vector<std::string>{"a__b", "a__b_", "c__d"}));
  EXPECT_EQ(read->nameFor("a", "b"), "a__b_");
  EXPECT_EQ(read->nameFor("", "a__b"), "a__b");
  EXPECT_EQ(read->nameFor("gone", "f"), "gone__f");
  EXPECT_EQ(read->toolOf("c__d").space, "c__");
  EXPECT_TRUE(read->toolOf("c__d").isCustom);
  EXPECT_EQ(read->toolOf("other").name, "other");
  EXPECT_EQ(inResponsesFields({.where = "tools[1].function.parameters.type"}, *read).where, "tools[2].tools[0].parameters.type");
  EXPECT_FALSE(ResponsesTools::read(Json::parse(R"([{"type":"namespace","name":"a","tools":7}])")));
}

TEST(ResponsesTools, ThatAreCustomTakeOneText) {
  const Json tools = Json::parse(R"([{"type":"custom","name":"apply_patch","description":"Edits.",
      "format":{"type":"grammar","syntax":"lark","definition":"start: LINE"}}])");
  const auto read = ResponsesTools::read(tools);
  ASSERT_TRUE(read);
  const Json function = read->functions()[0]["function"];
  EXPECT_EQ(function["description"], "Edits.");
  EXPECT_NE(function["parameters"]["properties"]["input"]["description"].get<std::string>().find("start: LINE"), std::string::npos);
  EXPECT_EQ(customInput({.name = "f", .arguments = {{"input", R"("*** Begin\n")"}}, .text = "", .place = 0}), "*** Begin\n");
  EXPECT_EQ(Json::parse(customArguments("a \"b\"")), (Json{{"input", "a \"b\""}}));
}

// A thread that was begun with another service.
TEST(ResponsesTools, ItemsOfOtherServicesLetAThreadGoOn) {
  const Json user{{"role", "user"}, {"content", "Hi"}};
  const auto itemsOf = [&](const char* items) { return responsesMessages(Json::parse(items)); };
  const Json tool{{"role", "tool"}, {"tool_call_id", "c"}, {"name", "apply_patch"}, {"content", "Done"}};
  EXPECT_EQ(itemsOf(R"([{"type":"custom_tool_call","call_id":"c","name":"apply_patch","input":"*** Begin"},
                        {"type":"custom_tool_call_output","call_id":"c","output":"Done"}])"),
            Json::array({calledTurn("apply_patch", {{"input", "*** Begin"}}), tool}));
  Json shell = tool;
  shell["name"] = "local_shell";
  EXPECT_EQ(itemsOf(R"([{"type":"local_shell_call","call_id":"c","status":"completed","action":{"type":"exec","command":["ls"]}},
                        {"type":"function_call_output","call_id":"c","output":"Done"}])"),
            Json::array({calledTurn("local_shell", Json::parse(R"({"type":"exec","command":["ls"]})")), shell}));
  for (const char* type : {"web_search_call", "tool_search_call", "tool_search_output", "compaction", "image_generation_call"})
    EXPECT_EQ(responsesMessages(Json::array({user, {{"type", type}, {"id", "x"}}})), Json::array({user})) << type;
}

// What a tool returned is sent with every further turn: refused, it would end the session.
TEST(ResponsesTools, AnImageInAResultIsNamed) {
  const std::string note = "[image: this model reads text only]";
  const Json call{{"type", "function_call"}, {"call_id", "c"}, {"name", "look"}, {"arguments", "{}"}};
  const Json output = Json::parse(
      R"({"type":"function_call_output","call_id":"c","output":[{"type":"input_text","text":"a.png"},{"type":"input_image","image_url":"x"}]})");
  EXPECT_EQ(responsesMessages(Json::array({call, output}))[1]["content"], "a.png\n" + note);
  const Running running = Running::start(1, {});
  const Json seen = Json::parse(R"({"input":[{"role":"user","content":[{"type":"input_image","image_url":"x"}]}]})");
  const Answer refused = post(running, agentRoute, seen.dump());
  EXPECT_EQ(refused.status, 400);
  EXPECT_NE(refused.body.find("The image data you provided does not represent a valid image"), std::string::npos)
      << "Codex leaves images out when it reads that: " << refused.body;
}

// Clients that keep nothing with the service have reasoning in this form alone.
TEST(ResponsesTools, ReasoningComesBackSealed) {
  const TemporaryFolder folder;
  const Running running = thinkerOf(folder);
  Json body =
      Json::parse(R"({"input":"Hello","temperature":0,"max_output_tokens":16,"store":false,"include":["reasoning.encrypted_content"]})");
  Json item = post(running, agentRoute, body.dump()).json()["output"][0];
  const std::string thought = item["content"][0]["text"];
  ASSERT_TRUE(item["encrypted_content"].is_string()) << item;
  item.erase("content");
  const Json call{{"type", "function_call"}, {"call_id", "c"}, {"name", "f"}, {"arguments", "{}"}};
  Json expected = calledTurn("f", Json::object());
  const Json found = responsesMessages(Json::array({item, call}))[0];
  EXPECT_EQ(found.value("reasoning_content", ""), thought) << found;
  item["content"] = Json::array();
  EXPECT_EQ(responsesMessages(Json::array({item, call}))[0], found);
  item["encrypted_content"] = "gAAAAABo";  // of a service
  EXPECT_EQ(responsesMessages(Json::array({item, call}))[0], expected);
  body.erase("include");
  EXPECT_FALSE(post(running, agentRoute, body.dump()).json()["output"][0].contains("encrypted_content"));
}

}  // namespace
}  // namespace minerva::serve
