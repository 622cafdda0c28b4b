#include "core/serve/tagged_call.h"

#include "core/serve/call_text.h"
#include "core/text/tool_calls.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace minerva::serve {
namespace {

using grammar::Json;
using grammar::NodeId;
using grammar::Rules;

bool isOneOf(const std::string& word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

// References into the whole schema other than its definitions would lead nowhere from a property alone.
bool refersElsewhere(const Json& value) {
  if (value.is_array()) return std::ranges::any_of(value, refersElsewhere);
  if (!value.is_object()) return false;
  if (const Json* to = memberNamed(value, "$ref"); to != nullptr && to->is_string()) {
    const auto& target = to->get_ref<const std::string&>();
    if (!target.starts_with("#/$defs/") && !target.starts_with("#/definitions/")) return true;
  }
  return std::ranges::any_of(value, refersElsewhere);
}

bool isPlainText(const Json& property) {
  if (!property.is_object()) return true;
  for (const auto& entry : property.items())
    if (!isOneOf(entry.key(), {"type", "enum", "const", "title", "description", "default", "examples"})) return false;
  return true;
}

// The properties as schemas of their own.
Json withDefinitions(Json property, const Json& root) {
  for (const char* name : {"$defs", "definitions"})
    if (const Json* definitions = memberNamed(root, name); definitions != nullptr && property.is_object() && !property.contains(name))
      property[name] = *definitions;
  return property;
}

class TaggedCall {
 public:
  TaggedCall(Rules& rules, const TaggedSyntax& syntax) : m_rules(rules), m_syntax(syntax), m_text(textWithout(rules, syntax.closingTag)) {}

  Result<NodeId> call(const grammar::CallableTool& tool) {
    MINERVA_ASSIGN(const NodeId given, arguments(tool));
    const std::string& again = m_syntax.again;
    return m_rules.sequence({m_rules.text(tool.name + (again.empty() ? again : again + tool.name) + m_syntax.call.between), given});
  }

 private:
  Result<NodeId> arguments(const grammar::CallableTool& tool) {
    const Json* properties = memberNamed(tool.parameters, "properties");
    if (properties == nullptr) return anyArguments();
    std::vector<NodeId> parts;
    for (const auto& [name, property] : properties->items()) {
      MINERVA_ASSIGN(const NodeId content, value(tool, name, property));
      const NodeId one = argument(m_rules.text(name), content);
      parts.push_back(isRequired(tool.parameters, name) ? one : m_rules.optional(one));
    }
    return m_rules.sequence(parts);
  }

  // Of a tool that says nothing of them.
  NodeId anyArguments() { return m_rules.repeat(argument(anyName(m_rules), m_text), 0, grammar::unlimited); }

  NodeId argument(NodeId name, NodeId content) {
    return m_rules.sequence(
        {m_rules.text(m_syntax.beforeName), name, m_rules.text(m_syntax.afterName), content, m_rules.text(m_syntax.afterValue)});
  }

  Result<NodeId> value(const grammar::CallableTool& tool, const std::string& name, const Json& property) {
    if (!text::allowsType(tool.parameters, property, "string"))
      return grammar::addJsonSchema(m_rules, withDefinitions(property, tool.parameters), tool.path + ".properties." + name,
                                    tool.inexpressible);
    std::vector<NodeId> texts;
    const auto add = [&](const Json& one) { texts.push_back(m_rules.text(one.is_string() ? one.get<std::string>() : one.dump())); };
    if (const Json* only = memberNamed(property, "const")) add(*only);
    else if (const Json* listed = memberNamed(property, "enum"); listed != nullptr && listed->is_array())
      std::ranges::for_each(*listed, add);
    return texts.empty() ? m_text : m_rules.choice(texts);
  }

  Rules& m_rules;
  const TaggedSyntax& m_syntax;
  NodeId m_text;
};

}  // namespace

bool fitsTags(const grammar::CallableTool& tool) {
  const Json& schema = tool.parameters;
  if (schema.is_null()) return true;
  if (!schema.is_object()) return false;
  for (const auto& entry : schema.items())
    if (!isOneOf(entry.key(),
                 {"type", "properties", "required", "additionalProperties", "title", "description", "$schema", "$defs", "definitions"}))
      return false;
  if (const Json* type = memberNamed(schema, "type"); type != nullptr && *type != "object") return false;
  const Json* properties = memberNamed(schema, "properties");
  if (properties == nullptr) return !schema.contains("required");
  if (!properties->is_object() || refersElsewhere(schema)) return false;
  if (const Json* required = memberNamed(schema, "required"); required != nullptr && required->is_array())
    for (const Json& name : *required)
      if (!name.is_string() || !properties->contains(name.get<std::string>())) return false;
  for (const auto& [name, property] : properties->items()) {
    if (name.empty() || name.find_first_of("<>\"\n\x01") != std::string::npos || name.front() == ' ' || name.back() == ' ') return false;
    const bool strict = tool.inexpressible == grammar::Inexpressible::refused;
    if (strict && text::allowsType(schema, property, "string") && !isPlainText(property)) return false;
  }
  return true;
}

Result<std::shared_ptr<const grammar::Grammar>> taggedCallGrammar(const TaggedSyntax& syntax,
                                                                  const std::vector<grammar::CallableTool>& tools) {
  Rules rules;
  TaggedCall tagged(rules, syntax);
  std::vector<NodeId> calls;
  for (const grammar::CallableTool& tool : tools) {
    MINERVA_ASSIGN(const NodeId one, tagged.call(tool));
    calls.push_back(one);
  }
  return grammar::grammarOfCalls(rules, syntax.call, calls);
}

}  // namespace minerva::serve
