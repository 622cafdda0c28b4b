#include "core/serve/message_style.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace minerva::serve {
namespace {

using Messages = nlohmann::ordered_json;

// nullopt: the template refuses the messages. A template for requests with tools is the one that sees calls.
std::optional<std::string> rendered(const text::ChatTemplate& chatTemplate, Messages messages) {
  text::RenderRequest request;
  request.messages = std::move(messages);
  if (chatTemplate.hasOwnForTools()) {
    const Messages parameters{{"type", "object"}, {"properties", {{"city", {{"type", "string"}}}}}};
    const Messages function{{"name", "weather"}, {"description", "The weather."}, {"parameters", parameters}};
    request.tools = Messages::array({{{"type", "function"}, {"function", function}}});
  }
  request.variables = {{"bos_token", ""}, {"eos_token", ""}};
  Result<std::string> made = chatTemplate.render(request);
  return made ? std::optional(std::move(*made)) : std::nullopt;
}

Messages callOfWeather(const char* id, const std::string& city, bool objects) {
  Messages arguments{{"city", city}};
  Messages function{{"name", "weather"}, {"arguments", objects ? std::move(arguments) : Messages(arguments.dump())}};
  return {{"id", id}, {"type", "function"}, {"function", std::move(function)}};
}
Messages resultOfCall(const char* id, const char* content) {
  return {{"role", "tool"}, {"tool_call_id", id}, {"name", "weather"}, {"content", content}};
}
Messages turnOfCalls(const std::vector<Messages>& calls) { return {{"role", "assistant"}, {"content", ""}, {"tool_calls", calls}}; }
Messages weatherQuestion() { return {{"role", "user"}, {"content", "Weather?"}}; }

// A question, a call, its result.
Messages withCall(const char* id, bool objects, const Messages& turn = Messages::object()) {
  Messages caller = turnOfCalls({callOfWeather(id, "Paris", objects)});
  caller.update(turn);
  return Messages::array({weatherQuestion(), std::move(caller), resultOfCall(id, "rain")});
}

MessageStyle::CallIds callIdsOf(const text::ChatTemplate& chatTemplate, bool objects, const char* shortId) {
  const std::string& source = chatTemplate.source();
  if (source.find("<|tool_call_argument_begin|>") != std::string::npos)
    return source.find("loop.index0") != std::string::npos ? MessageStyle::CallIds::numberedByTurn : MessageStyle::CallIds::numbered;
  const bool long_ = rendered(chatTemplate, withCall("call_0123456789abcdefghijklmn", objects)).has_value();
  return !long_ && rendered(chatTemplate, withCall(shortId, objects)) ? MessageStyle::CallIds::nineSigns : MessageStyle::CallIds::any;
}

// Some refuse the second one, some keep the first one alone. True as well if it does not help to write them one by one.
bool takesSeveralCalls(const text::ChatTemplate& chatTemplate, bool objects, const char* id, const char* otherId) {
  const Messages call = callOfWeather(id, "Paris", objects), other = callOfWeather(otherId, "Oslo", objects);
  const Messages result = resultOfCall(id, "rain"), otherResult = resultOfCall(otherId, "snow");
  const auto keepsAll = [&](Messages messages) {
    const auto text = rendered(chatTemplate, std::move(messages));
    const auto keeps = [&](const char* word) { return text->find(word) != std::string::npos; };
    return text && keeps("Paris") && keeps("Oslo") && keeps("rain") && keeps("snow");
  };
  return keepsAll(Messages::array({weatherQuestion(), turnOfCalls({call, other}), result, otherResult})) ||
         !keepsAll(Messages::array({weatherQuestion(), turnOfCalls({call}), result, turnOfCalls({other}), otherResult}));
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
  style.severalCalls = takesSeveralCalls(chatTemplate, style.callsTakeObjects, id, "call00002");
  style.severalSystems = takesSeveralSystems(chatTemplate);
  const auto takes = [&](const Messages& turn) { return rendered(chatTemplate, withCall(id, style.callsTakeObjects, turn)).has_value(); };
  Messages both{{"content", "Let me look."}, {"reasoning_content", "Rain?"}, {"thinking", "Rain?"}};
  style.textBesideThought = takes(both) || !takes({{"content", "Let me look."}});
  return style;
}

}  // namespace minerva::serve
