#include "core/serve/message_style.h"

#include <optional>
#include <string>
#include <string_view>

namespace minerva::serve {
namespace {

using Messages = nlohmann::ordered_json;

// nullopt: the template refuses the messages.
std::optional<std::string> rendered(const text::ChatTemplate& chatTemplate, Messages messages) {
  text::RenderRequest request;
  request.messages = std::move(messages);
  request.variables = {{"bos_token", ""}, {"eos_token", ""}};
  Result<std::string> made = chatTemplate.render(request);
  return made ? std::optional(std::move(*made)) : std::nullopt;
}

// A question, a call, its result.
Messages withCall(const char* id, bool objects, const Messages& turn = Messages::object()) {
  Messages function{{"name", "weather"}};
  if (objects) function["arguments"] = {{"city", "Paris"}};
  else function["arguments"] = R"({"city": "Paris"})";
  Messages caller{{"role", "assistant"}, {"content", ""}};
  caller.update(turn);
  caller["tool_calls"] = Messages::array({{{"id", id}, {"type", "function"}, {"function", std::move(function)}}});
  return Messages::array({{{"role", "user"}, {"content", "Weather?"}},
                          std::move(caller),
                          {{"role", "tool"}, {"tool_call_id", id}, {"name", "weather"}, {"content", "rain"}}});
}

MessageStyle::CallIds callIdsOf(const text::ChatTemplate& chatTemplate, bool objects, const char* shortId) {
  const std::string& source = chatTemplate.source();
  if (source.find("<|tool_call_argument_begin|>") != std::string::npos)
    return source.find("loop.index0") != std::string::npos ? MessageStyle::CallIds::numberedByTurn : MessageStyle::CallIds::numbered;
  const bool long_ = rendered(chatTemplate, withCall("call_0123456789abcdefghijklmn", objects)).has_value();
  return !long_ && rendered(chatTemplate, withCall(shortId, objects)) ? MessageStyle::CallIds::nineSigns : MessageStyle::CallIds::any;
}

// Some refuse the second one, some keep the last one alone.
bool takesSeveralSystems(const text::ChatTemplate& chatTemplate) {
  const auto text = rendered(chatTemplate, Messages::array({{{"role", "system"}, {"content", "First rule."}},
                                                            {{"role", "system"}, {"content", "Second rule."}},
                                                            {{"role", "user"}, {"content", "Hello"}}}));
  return text && text->find("First rule.") != std::string::npos && text->find("Second rule.") != std::string::npos;
}

}  // namespace

MessageStyle messageStyleOf(const text::ChatTemplate& chatTemplate) {
  const char* const id = "call00001";  // which no template refuses
  MessageStyle style;
  style.callsTakeObjects = rendered(chatTemplate, withCall(id, true)).has_value();
  style.callIds = callIdsOf(chatTemplate, style.callsTakeObjects, id);
  style.severalSystems = takesSeveralSystems(chatTemplate);
  const auto takes = [&](const Messages& turn) { return rendered(chatTemplate, withCall(id, style.callsTakeObjects, turn)).has_value(); };
  Messages both{{"content", "Let me look."}, {"reasoning_content", "Rain?"}, {"thinking", "Rain?"}};
  style.textBesideThought = takes(both) || !takes({{"content", "Let me look."}});
  return style;
}

}  // namespace minerva::serve
