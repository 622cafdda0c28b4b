// Arguments of syntaxes without quotes that the tool's schema wants as strings, or not as strings.
#include "core/text/tool_calls/call_reader.h"

#include <nlohmann/json.hpp>

#include <string>

namespace minerva::text {
namespace {

using Json = nlohmann::ordered_json;

constexpr int mostSchemas = 256;  // that are looked at for one argument: references may lead in circles

const Json* memberOf(const Json* object, std::string_view name) {
  if (object == nullptr || !object->is_object()) return nullptr;
  const auto found = object->find(std::string(name));
  return found != object->end() ? &*found : nullptr;
}

// The names of JSON schema; integers are numbers.
std::string_view typeNameOf(const Json& value) {
  if (value.is_string()) return "string";
  if (value.is_boolean()) return "boolean";
  if (value.is_number()) return "number";
  if (value.is_null()) return "null";
  return value.is_array() ? "array" : "object";
}

// Whether a schema lets values of a type pass, as far as a few keywords say.
class AllowedTypes {
 public:
  explicit AllowedTypes(const Json& root) : m_root(root) {}
  bool allow(const Json& schema, std::string_view type) {
    if (--m_left < 0) return true;
    const auto oneAllows = [&](const Json& one) { return allow(one, type); };
    if (const Json* types = memberOf(&schema, "type")) {
      const auto isIt = [&](const Json& one) { return one == type || (one == "integer" && type == "number"); };
      if (types->is_array() ? std::ranges::none_of(*types, isIt) : !isIt(*types)) return false;
    }
    if (const Json* values = array(schema, "enum"))
      if (std::ranges::none_of(*values, [&](const Json& value) { return typeNameOf(value) == type; })) return false;
    if (const Json* value = memberOf(&schema, "const"); value != nullptr && typeNameOf(*value) != type) return false;
    for (const char* keyword : {"anyOf", "oneOf"})
      if (const Json* any = array(schema, keyword); any != nullptr && std::ranges::none_of(*any, oneAllows)) return false;
    if (const Json* all = array(schema, "allOf"); all != nullptr && !std::ranges::all_of(*all, oneAllows)) return false;
    const Json* target = targetOf(schema);
    return target == nullptr || oneAllows(*target);
  }

 private:
  static const Json* array(const Json& schema, const char* keyword) {
    const Json* found = memberOf(&schema, keyword);
    return found != nullptr && found->is_array() ? found : nullptr;
  }

  // What "$ref": "#/$defs/Name" stands for, which is relative to the tool's whole schema.
  [[nodiscard]] const Json* targetOf(const Json& schema) const {
    const Json* reference = memberOf(&schema, "$ref");
    if (reference == nullptr || !reference->is_string()) return nullptr;
    const auto& path = reference->get_ref<const std::string&>();
    const Json* target = path.starts_with("#/") ? &m_root : nullptr;
    for (std::size_t at = 2, end = 0; target != nullptr && at <= path.size(); at = end + 1) {
      end = std::min(path.find('/', at), path.size());
      target = memberOf(target, std::string_view(path).substr(at, end - at));
    }
    return target;
  }

  const Json& m_root;
  int m_left = mostSchemas;
};

const Json* parametersOf(const Json& tools, std::string_view name) {
  if (!tools.is_array()) return nullptr;
  for (const Json& tool : tools) {
    const Json* function = memberOf(&tool, "function");
    const Json* given = memberOf(function, "name");
    if (given != nullptr && *given == name) return memberOf(function, "parameters");
  }
  return nullptr;
}

// Models write code for a tool such as "python" without a name for it: it is the tool's only property, if there is one that may be text.
void nameText(ToolCall& call, const Json* schema) {
  const Json* properties = memberOf(schema, "properties");
  if (call.text.empty() || properties == nullptr || !properties->is_object() || properties->size() != 1) return;
  if (calls::trimmed(call.text).starts_with('{') || !allowsType(*schema, properties->front(), "string")) return;
  call.arguments = {{properties->begin().key(), calls::jsonString(call.text)}};
  call.text.clear();
}

}  // namespace

bool allowsType(const Json& root, const Json& schema, std::string_view type) { return AllowedTypes(root).allow(schema, type); }

bool isAlwaysString(const Json& tools, std::string_view tool, std::string_view argument) {
  const Json* schema = parametersOf(tools, tool);
  const Json* declared = memberOf(memberOf(schema, "properties"), argument);
  if (declared == nullptr || !allowsType(*schema, *declared, "string")) return false;
  constexpr std::string_view others[] = {"number", "boolean", "null", "array", "object"};
  return std::ranges::none_of(others, [&](std::string_view type) { return allowsType(*schema, *declared, type); });
}

void useDeclaredTypes(std::span<ToolCall> calls, const Json& tools) {
  for (ToolCall& call : calls) {
    const Json* schema = parametersOf(tools, call.name);
    nameText(call, schema);
    for (ToolArgument& argument : call.arguments) {
      const Json* declared = memberOf(memberOf(schema, "properties"), argument.name);
      if (argument.bare.empty() || declared == nullptr) continue;
      const bool isJson = !argument.json.starts_with('"');
      const bool maybeString = allowsType(*schema, *declared, "string");
      if (maybeString != isJson) continue;
      const std::string_view other = typeNameOf(Json::parse(argument.json, nullptr, false));
      if (maybeString && allowsType(*schema, *declared, other)) continue;
      argument.json = maybeString ? calls::jsonString(argument.bare) : calls::jsonOfPythonLiteral(argument.bare);
      argument.bare.clear();
    }
  }
}

}  // namespace minerva::text
