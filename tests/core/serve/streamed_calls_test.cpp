// Calls in streams, asked of a running server with the built-in model: put together, they are those of a reply that comes as a whole.
#include "tests/core/serve/caller.h"
#include "tests/core/serve/typed_events.h"

#include <string>
#include <vector>

namespace minerva::serve {
namespace {

Json questionWith(const char* properties) {
  Json body = chatOf("How is the weather?");
  body.update({{"max_tokens", 400}, {"tool_choice", "required"}, {"temperature", 0}, {"parallel_tool_calls", false}});
  Json schema{{"type", "object"}, {"properties", Json::parse(properties)}, {"required", Json::array()}};
  for (const std::string& name : namesOf(schema["properties"])) schema["required"].push_back(name);
  body["tools"] = Json::array({{{"type", "function"}, {"function", {{"name", "weather"}, {"parameters", std::move(schema)}}}}});
  return body;
}

struct Streamed {
  std::string id, name, arguments, reason, content;
  int pieces = 0;
  Json usage;
};

// Of a reply with one call.
Streamed callIn(const Answer& answer) {
  Streamed all;
  for (const std::string& event : eventsOf(answer.body)) {
    if (event == "[DONE]") continue;
    const Json chunk = Json::parse(event);
    if (chunk.contains("usage")) all.usage = chunk["usage"];
    if (chunk["choices"].empty()) continue;
    const Json& choice = chunk["choices"][0];
    if (choice["finish_reason"].is_string()) all.reason = choice["finish_reason"];
    all.content += choice["delta"].value("content", "");
    if (!choice["delta"].contains("tool_calls")) continue;
    const Json& call = choice["delta"]["tool_calls"][0];
    EXPECT_EQ(call["index"], 0);
    EXPECT_EQ(call.contains("id"), all.pieces == 0) << chunk;
    EXPECT_EQ(call["function"].contains("name"), all.pieces == 0) << chunk;
    all.id += call.value("id", "");
    all.name += call["function"].value("name", "");
    all.arguments += call["function"]["arguments"].get<std::string>();
    ++all.pieces;
  }
  return all;
}

TEST(StreamedCalls, AreThoseOfAWholeReply) {
  Json body = questionWith(
      R"({"city":{"enum":["Oslo, the old town","Rome"]},"days":{"type":"integer","minimum":10,"maximum":99},"tags":{"type":"array",
      "items":{"enum":["sun","rain"]},"minItems":2,"maxItems":3}})");
  for (const char* format :
       {hermesCalls, "[TOOL_CALLS]", "[TOOL_CALLS] [ARGS]", "\"parameters\": dictionary of argument name and its value",
        "<tool_call> <function=", "<tool_call> <arg_key>", "<minimax:tool_call>", "<｜tool▁calls▁begin｜> ```json",
        "<|tool_calls_section_begin|>", "<|tool_call|>", "<tool_calls>", "<tool> ' + tool|tojson", "tools", ""}) {
    const TemporaryFolder folder;
    const Running running = callerOf(folder, format);
    body["stream"] = false;
    const Answer answer = post(running, "/v1/chat/completions", body.dump());
    ASSERT_EQ(answer.status, 200) << format << answer.body;
    const Json whole = answer.json();
    ASSERT_TRUE(whole["choices"][0]["message"].contains("tool_calls")) << format << answer.body;
    const Json call = whole["choices"][0]["message"]["tool_calls"][0]["function"];
    body["stream"] = true;
    body["stream_options"] = {{"include_usage", true}};
    const Streamed got = callIn(post(running, "/v1/chat/completions", body.dump()));
    EXPECT_EQ(got.name, call["name"]) << format;
    EXPECT_EQ(got.arguments, call["arguments"]) << format;
    EXPECT_EQ(got.content, "") << format;
    EXPECT_EQ(got.reason, "tool_calls") << format;
    EXPECT_TRUE(got.id.starts_with("call_")) << format;
    EXPECT_EQ(got.usage["completion_tokens"], whole["usage"]["completion_tokens"]) << format;
    EXPECT_GT(got.pieces, 5) << format << got.arguments;
  }
}

// It remains a call, and the reason says that it is not complete. So it does in a reply that comes as a whole.
TEST(StreamedCalls, ThatAreCutOff) {
  const TemporaryFolder folder;
  const Running running = callerOf(folder, hermesCalls);
  Json body = questionWith(R"({"city":{"enum":["Oslo, the old town by the sea, which is the capital of Norway"]}})");
  const std::string whole =
      post(running, "/v1/chat/completions", body.dump()).json()["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"];
  bool wasCut = false;
  for (int most = 20; most < 60; most += 3) {
    body["max_tokens"] = most;
    body["stream"] = false;
    const Json choice = post(running, "/v1/chat/completions", body.dump()).json()["choices"][0];
    body["stream"] = true;
    const Streamed got = callIn(post(running, "/v1/chat/completions", body.dump()));
    if (got.reason != "length" || got.pieces == 0) continue;
    wasCut = true;
    EXPECT_EQ(got.name, "weather");
    EXPECT_EQ(got.content, "");
    EXPECT_TRUE(whole.starts_with(got.arguments)) << got.arguments;
    EXPECT_EQ(choice["finish_reason"], "length");
    EXPECT_EQ(choice["message"]["tool_calls"][0]["function"]["arguments"], got.arguments) << choice;
  }
  EXPECT_TRUE(wasCut);
}

}  // namespace
}  // namespace minerva::serve
