#include "core/serve/responses_tools.h"

#include "core/serve/fields.h"
#include "core/serve/reply_parts.h"

#include <utility>

namespace minerva::serve {
namespace {

const char* const customField = "input";

std::string joinedName(const std::string& space, const std::string& name) {
  if (space.empty()) return name;
  return space + (space.ends_with("__") ? "" : "__") + name;
}

// A grammar that the text must follow is told to the model, not enforced: it is not that of the whole reply.
Json functionOfCustom(const Json& tool) {
  std::string about = "The text that the tool takes, as it is.";
  const Json* format = present(tool, "format");
  const Json* definition = format != nullptr && format->is_object() ? present(*format, "definition") : nullptr;
  if (definition != nullptr && definition->is_string()) about += " It follows this grammar:\n" + definition->get<std::string>();
  const Json parameters{{"type", "object"},
                        {"properties", {{customField, {{"type", "string"}, {"description", about}}}}},
                        {"required", Json::array({customField})},
                        {"additionalProperties", false}};
  Json function{{"name", tool["name"]}};
  if (const Json* description = present(tool, "description")) function["description"] = *description;
  function["parameters"] = parameters;
  return function;
}

}  // namespace

Result<ResponsesTools> ResponsesTools::read(const Json& tools) {
  ResponsesTools out;
  MINERVA_TRY(out.addAll(tools, "", "tools"));
  return out;
}

Result<void> ResponsesTools::addAll(const Json& tools, const std::string& space, const std::string& path) {
  if (!tools.is_array()) return wrongField(path, "an array of tools", tools.type_name());
  for (std::size_t i = 0; i < tools.size(); ++i) MINERVA_TRY(add(tools[i], space, path + "[" + std::to_string(i) + "]"));
  return {};
}

Result<void> ResponsesTools::add(const Json& tool, const std::string& space, const std::string& path) {
  if (!tool.is_object()) return wrongField(path, "a tool", tool.type_name());
  MINERVA_ASSIGN(const std::string type, textMember(tool, "type", path));
  const bool isSpace = type == "namespace" && space.empty();
  if (type != "function" && type != "custom" && !isSpace) return {};
  MINERVA_ASSIGN(const std::string name, textMember(tool, "name", path));
  if (isSpace) {
    const Json* inner = present(tool, "tools");
    return inner == nullptr ? Result<void>() : addAll(*inner, name, path + ".tools");
  }
  Json function = Json::object();
  if (type == "custom") {
    function = functionOfCustom(tool);
  } else {
    for (const char* field : {"name", "description", "parameters", "strict"})
      if (const Json* value = present(tool, field)) function[field] = *value;
  }
  std::string known = joinedName(space, name);
  while (m_byFunction.contains(known)) known += "_";
  function["name"] = known;
  m_byFunction[known] = {.space = space, .name = name, .isCustom = type == "custom"};
  m_functions.push_back({{"type", "function"}, {"function", std::move(function)}});
  m_paths.push_back(path);
  return {};
}

std::string ResponsesTools::nameFor(const std::string& space, const std::string& name) const {
  for (const auto& [function, tool] : m_byFunction)
    if (tool.space == space && tool.name == name) return function;
  return joinedName(space, name);
}

ResponsesTool ResponsesTools::toolOf(const std::string& function) const {
  const auto found = m_byFunction.find(function);
  return found != m_byFunction.end() ? found->second : ResponsesTool{.name = function};
}

std::string customInput(const text::ToolCall& call) {
  if (!call.text.empty()) return call.text;  // cut off
  const Json arguments = argumentsObject(call);
  const auto input = arguments.find(customField);
  return input != arguments.end() && input->is_string() ? input->get<std::string>() : argumentsOf(call);
}

std::string customArguments(const std::string& input) { return written({{customField, input}}); }

}  // namespace minerva::serve
