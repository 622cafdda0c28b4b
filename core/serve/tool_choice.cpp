#include "core/serve/tool_choice.h"

#include "core/serve/fields.h"

#include <algorithm>

namespace minerva::serve {
namespace {

const char* const choicesKnown = "auto, none, required, a function or allowed_tools";

Result<ToolChoice::Mode> modeOf(const Json& word, const std::string& path, const char* expected) {
  if (word == "auto") return ToolChoice::Mode::automatic;
  if (word == "none") return ToolChoice::Mode::none;
  if (word == "required" || word == "any") return ToolChoice::Mode::required;
  return wrongField(path, expected, written(word).substr(0, 60));
}

Result<std::string> functionName(const Json& choice, const std::string& path) {
  const Json* function = choice.is_object() ? present(choice, "function") : nullptr;
  if (function == nullptr || !function->is_object() || !function->contains("name") || !(*function)["name"].is_string())
    return wrongField(path, "{\"type\": \"function\", \"function\": {\"name\": ...}}", "something else");
  return (*function)["name"].get<std::string>();
}

// {"mode": "auto" or "required", "tools": [...]}
Result<ToolChoice> ofAllowedTools(const Json& choice) {
  const Json* allowed = present(choice, "allowed_tools");
  const Json* list = allowed != nullptr && allowed->is_object() ? present(*allowed, "tools") : nullptr;
  if (list == nullptr || !list->is_array() || list->empty())
    return wrongField("tool_choice.allowed_tools", "an object with a mode and an array of tools, not empty", "something else");
  ToolChoice out{.names = std::vector<std::string>(), .hidesOthers = true};
  const Json* mode = present(*allowed, "mode");
  if (mode != nullptr) {
    MINERVA_ASSIGN(out.mode, modeOf(*mode, "tool_choice.allowed_tools.mode", "auto or required"));
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    MINERVA_ASSIGN(std::string name, functionName((*list)[i], "tool_choice.allowed_tools.tools[" + std::to_string(i) + "]"));
    out.names->push_back(std::move(name));
  }
  return out;
}

}  // namespace

bool ToolChoice::allows(const std::string& name) const { return !names || std::ranges::find(*names, name) != names->end(); }

Result<ToolChoice> readToolChoice(const Json& body) {
  const Json* choice = present(body, "tool_choice");
  if (choice == nullptr) return ToolChoice{};
  if (choice->is_string()) {
    MINERVA_ASSIGN(const ToolChoice::Mode mode, modeOf(*choice, "tool_choice", choicesKnown));
    return ToolChoice{.mode = mode};
  }
  if (!choice->is_object()) return wrongField("tool_choice", choicesKnown, choice->type_name());
  const Json* type = present(*choice, "type");
  if (type != nullptr && *type == "allowed_tools") return ofAllowedTools(*choice);
  MINERVA_ASSIGN(std::string name, functionName(*choice, "tool_choice"));
  return ToolChoice{.mode = ToolChoice::Mode::required, .names = std::vector{std::move(name)}};
}

Json toolsToShow(const Json& tools, const ToolChoice& choice) {
  if (choice.mode == ToolChoice::Mode::none || !tools.is_array()) return {};
  if (!choice.hidesOthers) return tools;
  Json out = Json::array();
  for (const Json& tool : tools)
    if (choice.allows(tool["function"]["name"].get<std::string>())) out.push_back(tool);
  return out.empty() ? Json() : out;
}

}  // namespace minerva::serve
