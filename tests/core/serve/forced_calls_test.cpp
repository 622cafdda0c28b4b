// Calls that tool_choice demands, and the tools that it allows, asked of a running server with the built-in model.
#include "core/serve/tool_choice.h"
#include "tests/core/serve/caller.h"

#include <string>

namespace minerva::serve {
namespace {

// The function of the one call that the reply is; null if it is something else.
Json functionOf(const Answer& answer) {
  EXPECT_EQ(answer.status, 200) << answer.body;
  if (answer.status != 200) return {};
  const Json reply = answer.json()["choices"][0], calls = reply["message"].value("tool_calls", Json::array());
  EXPECT_EQ(reply["finish_reason"], "tool_calls") << answer.body;
  return calls.size() == 1 ? calls[0]["function"] : Json();
}

TEST(ForcedCalls, AreCallsOfTheToolsThatTheRequestHas) {
  const TemporaryFolder folder;
  const Running running = callerOf(folder, hermesCalls);
  const auto tool = [](const char* name, const char* parameters) {
    return Json{{"type", "function"}, {"function", {{"name", name}, {"parameters", Json::parse(parameters)}}}};
  };
  Json body = chatOf("How is the weather?");
  body.update({{"max_tokens", 200}, {"parallel_tool_calls", false}});
  body["tools"] = Json::array(
      {tool(
           "weather",
           R"({"type":"object","properties":{"city":{"enum":["Oslo","Rome"]},"days":{"type":"integer","minimum":1,"maximum":9}},"required":["city","days"]})"),
       tool("now", R"({"type":"object","properties":{},"additionalProperties":false})")});
  for (const Json& choice : {Json("required"), Json{{"type", "function"}, {"function", {{"name", "weather"}}}},
                             Json{{"type", "function"}, {"function", {{"name", "now"}}}}}) {
    for (const double temperature : {0.0, 1.0}) {
      body["tool_choice"] = choice;
      body["temperature"] = temperature;
      const Answer answer = post(running, "/v1/chat/completions", body.dump());
      const Json function = functionOf(answer);
      ASSERT_TRUE(function.is_object()) << answer.body;
      const Json arguments = Json::parse(function["arguments"].get<std::string>());
      EXPECT_TRUE(!choice.is_object() || function["name"] == choice["function"]["name"]) << answer.body;
      if (function["name"] == "now") {
        EXPECT_TRUE(arguments.empty());
      } else {
        ASSERT_EQ(function["name"], "weather");
        EXPECT_TRUE(arguments["city"] == "Oslo" || arguments["city"] == "Rome") << answer.body;
        EXPECT_TRUE(arguments["days"] >= 1 && arguments["days"] <= 9) << answer.body;
      }
    }
  }
  body["tool_choice"] = {{"type", "function"}, {"function", {{"name", "other"}}}};
  EXPECT_EQ(post(running, "/v1/chat/completions", body.dump()).status, 400);
  body["tool_choice"] = "required";
  Json& weather = body["tools"][0]["function"];
  weather["parameters"]["properties"]["city"] = {{"not", Json::object({{"type", "null"}})}};
  EXPECT_EQ(post(running, "/v1/chat/completions", body.dump()).status, 200) << "only strict tools must be followed to the letter";
  weather["strict"] = true;
  EXPECT_EQ(post(running, "/v1/chat/completions", body.dump()).json()["error"]["param"],
            "tools[0].function.parameters.properties.city.not");
}

// The format is that of a later turn, which needs no call.
TEST(ForcedCalls, ComeBeforeAFormat) {
  const TemporaryFolder folder;
  const Running running = callerOf(folder, hermesCalls);
  Json body = chatOf("How is the weather?");
  body.update({{"max_tokens", 200}, {"tool_choice", "required"}, {"response_format", {{"type", "json_object"}}}});
  body["tools"] = Json::parse(
      R"([{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{},"additionalProperties":false}}}])");
  const Answer answer = post(running, "/v1/chat/completions", body.dump());
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.json()["choices"][0]["message"]["tool_calls"][0]["function"]["name"], "f") << answer.body;
}

TEST(ForcedCalls, OfToolsThatAreAllowed) {
  const TemporaryFolder folder;
  const Running running = callerOf(folder, hermesCalls);
  Json body = chatOf("How is the weather?");
  body["max_tokens"] = 200;
  for (const char* name : {"f", "g", "h"})
    body["tools"].push_back(
        {{"type", "function"},
         {"function",
          {{"name", name}, {"parameters", {{"type", "object"}, {"properties", Json::object()}, {"additionalProperties", false}}}}}});
  const auto allowed = [](const char* mode, const Json& tools) {
    return Json{{"type", "allowed_tools"}, {"allowed_tools", {{"mode", mode}, {"tools", tools}}}};
  };
  const Json onlyG = Json::parse(R"([{"type":"function","function":{"name":"g"}}])");
  for (const Json& choice : {Json("any"), allowed("required", onlyG)}) {
    body["tool_choice"] = choice;
    const Answer answer = post(running, "/v1/chat/completions", body.dump());
    ASSERT_EQ(answer.status, 200) << answer.body;
    const Json calls = answer.json()["choices"][0]["message"]["tool_calls"];
    ASSERT_FALSE(calls.empty()) << answer.body;
    if (choice.is_object()) {
      EXPECT_EQ(calls[0]["function"]["name"], "g");
    }
  }
  for (const auto& [choice, where] :
       {std::pair(Json("sometimes"), "tool_choice"), std::pair(allowed("never", onlyG), "tool_choice.allowed_tools.mode"),
        std::pair(allowed("required", Json::array()), "tool_choice.allowed_tools"),
        std::pair(allowed("auto", Json::array({Json::object()})), "tool_choice.allowed_tools.tools[0]")}) {
    body["tool_choice"] = choice;
    const Answer answer = post(running, "/v1/chat/completions", body.dump());
    EXPECT_EQ(answer.status, 400) << choice;
    EXPECT_EQ(answer.json()["error"]["param"], where) << answer.body;
  }
}

// "The weather in Paris and Oslo" is one turn. A model that cannot end its turn goes on with calls, if it may.
TEST(ForcedCalls, MayBeSeveral) {
  Json body = chatOf("How is the weather?");
  body.update({{"max_tokens", 300}, {"tool_choice", "required"}, {"temperature", 0}});
  body["tools"] = Json::parse(
      R"([{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{},"additionalProperties":false}}}])");
  for (const char* shown :
       {hermesCalls, "<tool_call> <function=", "<seed:tool_call>", "<tool_call> <arg_key>", "[TOOL_CALLS] [ARGS]", "<|tool_call>"}) {
    const TemporaryFolder folder;
    const Running running = callerOf(folder, shown);
    const text::Tokenizer& tokenizer = *running.engine->tokenizer();
    for (std::size_t id = 0; id < tokenizer.vocabularySize(); ++id)
      if (tokenizer.isControl(static_cast<text::TokenId>(id))) body["logit_bias"][std::to_string(id)] = -100;
    const auto calls = [&](bool parallel) {
      body["parallel_tool_calls"] = parallel;
      const Answer answer = post(running, "/v1/chat/completions", body.dump());
      EXPECT_EQ(answer.status, 200) << answer.body;
      const Json message = answer.json()["choices"][0]["message"];
      return message.contains("tool_calls") ? message["tool_calls"].size() : 0;
    };
    EXPECT_GT(calls(true), 1U) << shown;
    EXPECT_EQ(calls(false), 1U) << shown;
  }
}

TEST(ToolChoices, ShowOnlyTheToolsThatAreAllowed) {
  const Json tools = Json::parse(R"([{"type":"function","function":{"name":"f"}},{"type":"function","function":{"name":"g"}}])");
  const auto shown = [&](const char* choice) {
    const auto read = readToolChoice(Json{{"tool_choice", Json::parse(choice)}});
    EXPECT_TRUE(read) << choice;
    return read ? toolsToShow(tools, *read) : Json();
  };
  EXPECT_EQ(shown(R"("auto")"), tools);
  EXPECT_TRUE(shown(R"("none")").is_null());
  EXPECT_EQ(shown(R"({"type":"function","function":{"name":"g"}})"), tools);
  EXPECT_EQ(shown(R"({"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function","function":{"name":"g"}}]}})"),
            Json::array({tools[1]}));
}

// In the model's own form, otherwise in one without markers.
TEST(ForcedCalls, OfEveryFormat) {
  Json body = chatOf("How is the weather?");
  body.update({{"max_tokens", 200}, {"tool_choice", "required"}, {"temperature", 1}, {"parallel_tool_calls", false}});
  body["tools"] = Json::parse(R"([{"type":"function","function":{"name":"weather","parameters":{"type":"object",
      "properties":{"city":{"enum":["Oslo","Rome"]}},"required":["city"]}}}])");
  for (const char* shown :
       {"[TOOL_CALLS]", "[TOOL_CALLS] [ARGS]", "\"parameters\": dictionary of argument name and its value",
        "<tool_call> <function=", "<tool_call> <arg_key>", "<tool_call> </arg_key>\n<arg_value>", "<seed:tool_call>", "<minimax:tool_call>",
        "<param name=", "<｜tool▁calls▁begin｜> ```json", "<|tool_calls_section_begin|>", "<|tool_call|>", "<tool_calls>", "<|tool_call>",
        "<start_function_call>", "<tool> ' + tool|tojson", "<tool_calls:opensource>", "tools"}) {
    const TemporaryFolder folder;
    const Running running = callerOf(folder, shown);
    const Answer answer = post(running, "/v1/chat/completions", body.dump());
    ASSERT_EQ(answer.status, 200) << shown << answer.body;
    const Json reply = answer.json()["choices"][0];
    ASSERT_EQ(reply["message"]["tool_calls"].size(), 1U) << shown << answer.body;
    const Json function = reply["message"]["tool_calls"][0]["function"];
    EXPECT_EQ(function["name"], "weather");
    const Json city = Json::parse(function["arguments"].get<std::string>())["city"];
    EXPECT_TRUE(city == "Oslo" || city == "Rome") << shown << answer.body;
    EXPECT_TRUE(reply["message"]["content"].is_null()) << shown << answer.body;
  }
}

// A template without a place for tools: the system's message tells of them, and of a form of calls.
TEST(ForcedCalls, OfAModelThatIsToldOfToolsInWords) {
  const TemporaryFolder folder;
  const Running running = callerOf(folder, "");
  Json body = chatOf("How is the weather?");
  body["max_tokens"] = 200;
  body["tools"] = Json::parse(R"([{"type":"function","function":{"name":"the weather","parameters":{"type":"object",
      "properties":{"city":{"enum":["Oslo","Rome"]}},"required":["city"]}}},{"type":"function","function":{"name":"now","parameters":{
      "type":"object","properties":{},"additionalProperties":false}}}])");
  for (const Json& choice : {Json("required"), Json{{"type", "function"}, {"function", {{"name", "the weather"}}}}}) {
    body["tool_choice"] = choice;
    const Answer answer = post(running, "/v1/chat/completions", body.dump());
    const Json function = functionOf(answer);
    ASSERT_TRUE(function.is_object()) << answer.body;
    if (choice.is_string() && function["name"] == "now") continue;
    EXPECT_EQ(function["name"], "the weather");
    const Json city = Json::parse(function["arguments"].get<std::string>())["city"];
    EXPECT_TRUE(city == "Oslo" || city == "Rome") << answer.body;
  }
}

// The model begins its calls by a token of their own, which is all that it wants to write.
TEST(ForcedCalls, AStrictToolsOwnCallsFollowItsSchema) {
  Json body = chatOf("How is the weather?");
  body.update({{"max_tokens", 200}, {"temperature", 1}, {"logit_bias", {{std::to_string(markerToken), 100}}}});
  body["tools"] = Json::parse(R"([{"type":"function","function":{"name":"weather","strict":true,"parameters":{"type":"object",
      "properties":{"city":{"enum":["Oslo","Rome"]},"days":{"type":"integer","minimum":1,"maximum":9}},"required":["city","days"],
      "additionalProperties":false}}}])");
  for (const auto& [shown, marker] : {std::pair(hermesCalls, "<tool_call>"), std::pair("[TOOL_CALLS]", "[TOOL_CALLS]"),
                                      std::pair("<tool_call> <function=", "<tool_call>"), std::pair("<|tool_call|>", "<|tool_call|>")}) {
    const TemporaryFolder folder;
    const Running running = callerWithToken(folder, shown, marker);
    body["parallel_tool_calls"] = false;
    const auto callsOf = [&] {
      const Answer answer = post(running, "/v1/chat/completions", body.dump());
      EXPECT_EQ(answer.status, 200) << answer.body;
      const Json message = answer.json()["choices"][0]["message"];
      return message.contains("tool_calls") ? message["tool_calls"] : Json::array();
    };
    for (const int seed : {1, 2, 3}) {
      body["seed"] = seed;
      const Json calls = callsOf();
      ASSERT_EQ(calls.size(), 1U) << shown;
      EXPECT_EQ(calls[0]["function"]["name"], "weather");
      const Json arguments = Json::parse(calls[0]["function"]["arguments"].get<std::string>());
      EXPECT_EQ(arguments.size(), 2U) << arguments;
      EXPECT_TRUE(arguments["city"] == "Oslo" || arguments["city"] == "Rome") << arguments;
      EXPECT_TRUE(arguments["days"] >= 1 && arguments["days"] <= 9) << arguments;
    }
    Json& strict = body["tools"][0]["function"]["strict"];
    strict = false;
    EXPECT_TRUE(callsOf().empty()) << "who does not ask for it has the model's own words";
    strict = true;
    body["tools"].push_back(Json::parse(R"({"type":"function","function":{"name":"other"}})"));
    EXPECT_TRUE(callsOf().empty()) << "a mixture is not enforced";
    body["tools"].erase(1);
  }
}

TEST(ForcedCalls, ThatCannotBeWrittenAreRefused) {
  Json body = chatOf("How is the weather?");
  body["tool_choice"] = "required";
  body["tools"] = Json::parse(R"([{"type":"function","function":{"name":"the weather"}}])");
  const TemporaryFolder without, bareNames;
  writeModel(without, "It says the same to everybody.<|assistant|>");
  const Json noTools = post(Running::start(1, {}, without.path()), "/v1/chat/completions", body.dump()).json();
  EXPECT_EQ(noTools["error"]["param"], "tool_choice") << noTools;
  const Json noName = post(callerOf(bareNames, "[TOOL_CALLS] [ARGS]"), "/v1/chat/completions", body.dump()).json();
  EXPECT_EQ(noName["error"]["param"], "tools[0].function.name") << noName;
}

}  // namespace
}  // namespace minerva::serve
