#include "core/serve/reply_parts.h"

#include <random>
#include <string_view>

namespace minerva::serve {

std::string newId(const char* prefix) {
  thread_local std::mt19937_64 random{std::random_device{}()};
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  std::string id = prefix;
  for (int i = 0; i < 24; ++i) id += letters[random() % letters.size()];
  return id;
}

std::string argumentsOf(const text::ToolCall& call) { return text::argumentsText(call); }

Json argumentsObject(const text::ToolCall& call) {
  Json out = Json::object();
  for (const text::ToolArgument& argument : call.arguments) {
    Json value = Json::parse(argument.json, nullptr, false);
    out[argument.name] = value.is_discarded() ? Json(argument.json) : std::move(value);
  }
  return out;
}

}  // namespace minerva::serve
