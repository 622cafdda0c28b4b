#include "core/serve/forced_call.h"

#include "core/grammar/tool_call.h"
#include "core/serve/fields.h"
#include "core/text/channels.h"

#include <algorithm>

namespace minerva::serve {
namespace {

// The markers <tool_call> also stand around other notations, which the template shows.
const text::ToolCallFormat* hermesFormatOf(const ServedModel& engine) {
  if (engine.tokenizer() == nullptr || engine.chatTemplate() == nullptr) return nullptr;
  const std::string& source = engine.chatTemplate()->source();
  for (const char* other : {"<function=", "<arg_key>"})
    if (source.find(other) != std::string::npos) return nullptr;
  const text::ChannelFormat channels = text::channelFormatFor(*engine.tokenizer(), source);
  const auto found = std::ranges::find_if(channels.toolCalls, [](const text::ToolCallFormat* format) { return format->name == "hermes"; });
  return found == channels.toolCalls.end() || source.find((*found)->open) == std::string::npos ? nullptr : *found;
}

}  // namespace

Result<void> forceCall(const Json& body, const Json& tools, const Context& context, engine::Request& request) {
  const Json* choice = present(body, "tool_choice");
  if (choice == nullptr || *choice == "auto" || *choice == "none") return {};
  if (tools.is_null()) return wrongField("tool_choice", "tools beside it", "none");
  if (request.constraint != nullptr) return wrongField("tool_choice", "auto or none beside a format of the reply", "a call");
  const text::ToolCallFormat* format = hermesFormatOf(*context.engine);
  if (format == nullptr) {
    return fail({.kind = ErrorKind::unsupported,
                 .what = "This server cannot force this model to call a tool",
                 .where = "tool_choice",
                 .expected = "auto or none",
                 .actual = choice->is_string() ? written(*choice).substr(0, 60) : "a tool"});
  }
  std::string only;
  if (choice->is_object()) {
    const Json* function = present(*choice, "function");
    if (function == nullptr || !function->is_object() || !function->contains("name") || !(*function)["name"].is_string())
      return wrongField("tool_choice", "{\"type\": \"function\", \"function\": {\"name\": ...}}", "another object");
    only = (*function)["name"].get<std::string>();
  }
  std::vector<grammar::CallableTool> callable;
  for (std::size_t i = 0; i < tools.size(); ++i) {
    const Json& function = tools[i]["function"];
    const auto name = function["name"].get<std::string>();
    if (choice->is_object() && name != only) continue;
    callable.push_back(
        {name, function.contains("parameters") ? function["parameters"] : Json(), "tools[" + std::to_string(i) + "].function.parameters"});
  }
  if (callable.empty()) return wrongField("tool_choice", "the name of a tool", only.substr(0, 60));
  const std::string key = "call " + written(*choice) + written(tools);
  MINERVA_ASSIGN(request.constraint,
                 context.grammars.get(key, [&] { return grammar::toolCallGrammar(format->open, format->close, callable); }));
  request.constraintIsCall = true;
  return {};
}

}  // namespace minerva::serve
