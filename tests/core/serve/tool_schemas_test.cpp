// Tools whose parameters are no schema, asked of a running server.
#include "tests/core/serve/caller.h"

#include <string>

namespace minerva::serve {
namespace {

// A body of each route with two tools, the second of which has these parameters.
struct Routed {
  const char* path;
  const char* field;  // of the tool's schema
  Json body;
};

std::vector<Routed> routedWith(const Json& parameters, bool strict) {
  const Json turn = Json::array({{{"role", "user"}, {"content", "Hi"}}});
  const auto function = [&](const char* name, const Json& schema) {
    return Json{{"name", name}, {"parameters", schema}, {"strict", strict}};
  };
  const auto nested = [&](const char* name, const Json& schema) {
    return Json{{"type", "function"}, {"function", function(name, schema)}};
  };
  const auto flat = [&](const char* name, const Json& schema) {
    Json tool = function(name, schema);
    tool["type"] = "function";
    return tool;
  };
  const Json whole{{"type", "object"}};
  const Json chatTools = Json::array({nested("now", whole), nested("weather", parameters)});
  const Json ofService{{"type", "web_search_20250305"}, {"name", "web_search"}};
  const auto anthropic = [&](const char* name, const Json& schema) {
    return Json{{"name", name}, {"input_schema", schema}, {"strict", strict}};
  };
  return {{"/v1/chat/completions", "tools[1].function.parameters", {{"messages", turn}, {"max_tokens", 2}, {"tools", chatTools}}},
          {"/v1/responses",
           "tools[1].parameters",
           {{"input", "Hi"}, {"max_output_tokens", 2}, {"tools", Json::array({flat("now", whole), flat("weather", parameters)})}}},
          {"/v1/messages",
           "tools[2].input_schema",
           {{"messages", turn},
            {"max_tokens", 2},
            {"tools", Json::array({ofService, anthropic("now", whole), anthropic("weather", parameters)})}}},
          {"/api/chat",
           "tools[1].function.parameters",
           {{"messages", turn}, {"stream", false}, {"options", {{"num_predict", 2}}}, {"tools", chatTools}}}};
}

std::string messageOf(const Answer& answer) {
  const Json error = answer.json()["error"];
  return error.is_string() ? error.get<std::string>() : error["message"].get<std::string>();
}

TEST(ToolSchemas, WhatIsNoneIsRefused) {
  const TemporaryFolder folder;
  const Running running = callerOf(folder, hermesCalls);
  struct Case {
    const char* parameters;
    bool strict;
    std::string below = {};  // the field that is named
  };
  const Case cases[] = {{R"("city: string")", false},
                        {R"([])", false},
                        {"7", false},
                        {R"({"type":"string"})", true},
                        {R"({"type":"object","properties":{"a":{"not":{"type":"null"}}}})", true, ".properties.a.not"},
                        {R"({"type":"object","properties":{"a":{"type":"text"}}})", true, ".properties.a.type"},
                        {R"({"type":"object","properties":["a"]})", true, ".properties"},
                        {R"({"type":"object","properties":{"a":{"$ref":"#/$defs/none"}},"required":["a"]})", true, ".properties.a.$ref"}};
  for (const Case& one : cases) {
    for (const Routed& routed : routedWith(Json::parse(one.parameters), one.strict)) {
      const Answer answer = post(running, routed.path, routed.body.dump());
      ASSERT_EQ(answer.status, 400) << routed.path << one.parameters << answer.body;
      const std::string message = messageOf(answer), field = routed.field + one.below;
      EXPECT_NE(message.find("in the tool weather (" + field), std::string::npos) << message << "\n" << field;
      const Json error = answer.json()["error"];
      if (error.is_object() && error.contains("param")) {
        EXPECT_EQ(error["param"], field) << answer.body;
      }
    }
  }
}

// Nobody who offers a hundred tools knows what one of them says.
TEST(ToolSchemas, OfToolsThatAreNotStrictMayBeOfNoUse) {
  const TemporaryFolder folder;
  const Running running = callerOf(folder, hermesCalls);
  for (const char* parameters : {"null", "{}", R"({"type":"object","properties":{"a":{"not":{}},"b":7}})", R"({"type":"objekt"})",
                                 R"({"type":"object","properties":{"a":{"$ref":"#/$defs/none"}},"required":["a"]})"})
    for (const Routed& routed : routedWith(Json::parse(parameters), false)) {
      const Answer answer = post(running, routed.path, routed.body.dump());
      EXPECT_EQ(answer.status, 200) << routed.path << parameters << answer.body;
    }
}

}  // namespace
}  // namespace minerva::serve
