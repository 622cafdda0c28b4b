#include "core/serve/gemma_call.h"

#include "core/serve/call_text.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace minerva::serve {
namespace {

using grammar::CharSet;
using grammar::Json;
using grammar::NodeId;

constexpr int deepestOfGemma = 8;

bool namesArePlain(const Json& properties) {
  for (const auto& entry : properties.items())
    if (entry.key().empty() || entry.key().find_first_of(":{}[],\n\" <\x01") != std::string::npos) return false;
  return true;
}

bool hasOnly(const Json& schema, std::initializer_list<std::string_view> names) {
  static constexpr std::array<std::string_view, 5> always{"title", "description", "default", "examples", "$schema"};
  for (const auto& entry : schema.items())
    if (std::ranges::find(names, entry.key()) == names.end() && std::ranges::find(always, entry.key()) == always.end()) return false;
  return true;
}

// Whether a schema is followed whole by GemmaCall, in the same steps.
class GemmaFit {
 public:
  static bool members(const Json& schema, int depth) {
    const Json *properties = memberNamed(schema, "properties"), *required = memberNamed(schema, "required");
    if (properties == nullptr) return required == nullptr && !schema.contains("additionalProperties");
    if (!properties->is_object() || !namesArePlain(*properties)) return false;
    for (const Json& name : required != nullptr ? *required : Json::array())
      if (!name.is_string() || !properties->contains(name.get<std::string>())) return false;
    return std::ranges::all_of(*properties, [&](const Json& one) { return value(one, depth + 1); });
  }

 private:
  static bool value(const Json& schema, int depth) {
    if (depth > deepestOfGemma || !schema.is_object()) return schema == true;
    const Json* types = memberNamed(schema, "type");
    const auto isValue = [&](const Json& one) { return types == nullptr ? !one.is_structured() : *types == "string" && one.is_string(); };
    if (const Json* only = memberNamed(schema, "const")) return hasOnly(schema, {"type", "const"}) && isValue(*only);
    if (const Json* listed = memberNamed(schema, "enum"))
      return hasOnly(schema, {"type", "enum"}) && listed->is_array() && !listed->empty() && std::ranges::all_of(*listed, isValue);
    if (const Json* any = memberNamed(schema, "anyOf"))
      return hasOnly(schema, {"anyOf"}) && any->is_array() && !any->empty() &&
             std::ranges::all_of(*any, [&](const Json& one) { return value(one, depth + 1); });
    if (!hasOnly(schema, {"type", "properties", "required", "additionalProperties", "items", "minimum", "maximum", "exclusiveMinimum",
                          "exclusiveMaximum", "multipleOf"}))
      return false;
    if (types == nullptr) return schema.contains("properties") ? members(schema, depth + 1) : hasOnly(schema, {});
    return std::ranges::all_of(types->is_array() ? *types : Json::array({*types}),
                               [&](const Json& type) { return ofType(schema, type, depth); });
  }

  static bool ofType(const Json& schema, const Json& type, int depth) {
    const Json* items = memberNamed(schema, "items");
    if (type == "object") return members(schema, depth + 1);
    if (type == "array") return items == nullptr || value(*items, depth + 1);
    return type == "string" || type == "integer" || type == "number" || type == "boolean" || type == "null";
  }
};

class GemmaCall {
 public:
  GemmaCall(grammar::Rules& rules, const GemmaSyntax& syntax)
      : m_rules(rules), m_syntax(syntax), m_comma(rules.text(",")), m_string(quoted(textWithout(rules, syntax.plainQuote))) {}

  Result<NodeId> call(const grammar::CallableTool& tool) {
    m_tool = &tool;
    MINERVA_ASSIGN(const NodeId members, membersOf(tool.parameters, 0));
    return m_rules.sequence({m_rules.text(tool.name + m_syntax.call.between), members});
  }

 private:
  NodeId quoted(NodeId text) { return m_rules.sequence({m_rules.text(m_syntax.quote), text, m_rules.text(m_syntax.quote)}); }
  NodeId between(const char* open, NodeId inside, const char* close) {
    return m_rules.sequence({m_rules.text(open), inside, m_rules.text(close)});
  }
  NodeId listOf(NodeId one) {
    return m_rules.optional(m_rules.sequence({one, m_rules.repeat(m_rules.sequence({m_comma, one}), 0, grammar::unlimited)}));
  }

  // What JSON writes in the same way: numbers, true, false and null.
  Result<NodeId> scalar(Json schema, const char* type) {
    schema["type"] = type;
    return grammar::addJsonSchema(m_rules, schema, m_tool->path, m_tool->inexpressible);
  }

  // A value of which nothing is known. A rule, because such values contain others.
  Result<NodeId> anything() {
    if (!m_anything) {
      m_anything = m_rules.declare("any value");
      std::vector<NodeId> kinds{m_string};
      for (const char* type : {"number", "boolean", "null"}) {
        MINERVA_ASSIGN(const NodeId kind, scalar(Json::object(), type));
        kinds.push_back(kind);
      }
      kinds.push_back(between("[", listOf(m_rules.rule(*m_anything)), "]"));
      kinds.push_back(between("{", anyMembers(), "}"));
      m_rules.define(*m_anything, m_rules.choice(kinds));
    }
    return m_rules.rule(*m_anything);
  }

  NodeId anyMembers() { return listOf(m_rules.sequence({anyName(m_rules), m_rules.text(":"), m_rules.rule(*m_anything)})); }

  // The members of an object, without its brackets.
  Result<NodeId> membersOf(const Json& schema, int depth) {
    const Json* properties = memberNamed(schema, "properties");
    if (properties == nullptr || !properties->is_object() || !namesArePlain(*properties)) {
      MINERVA_ASSIGN([[maybe_unused]] const NodeId any, anything());
      return anyMembers();
    }
    struct Member {
      NodeId node;
      bool required;
    };
    std::vector<Member> members;
    for (const std::string& name : inOrder(*properties)) {
      MINERVA_ASSIGN(const NodeId content, value((*properties)[name], depth + 1));
      const grammar::RuleId member = m_rules.declare(name);  // it has several places
      m_rules.define(member, m_rules.sequence({m_rules.text(name + ":"), content}));
      members.push_back({m_rules.rule(member), isRequired(schema, name)});
    }
    // From the last: the members from here on, with and without one before them.
    NodeId after = m_rules.nothing(), first = m_rules.nothing();
    for (auto member = members.rbegin(); member != members.rend(); ++member) {
      const NodeId begun = m_rules.sequence({member->node, after});
      first = member->required ? begun : m_rules.choice({begun, first});
      const NodeId next = m_rules.sequence({m_comma, member->node});
      after = m_rules.sequence({member->required ? next : m_rules.optional(next), after});
    }
    return first;
  }

  // As Jinja's dictsort has them, without regard to case.
  static std::vector<std::string> inOrder(const Json& properties) {
    const auto lower = [](std::string name) {
      for (char& c : name)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
      return name;
    };
    std::vector<std::string> names;
    for (const auto& entry : properties.items()) names.push_back(entry.key());
    std::ranges::stable_sort(names, {}, lower);
    return names;
  }

  Result<NodeId> value(const Json& schema, int depth) {
    if (depth > deepestOfGemma || !schema.is_object() || schema.contains("$ref") || schema.contains("allOf")) return anything();
    if (const Json* only = memberNamed(schema, "const")) return literals(Json::array({*only}));
    if (const Json* listed = memberNamed(schema, "enum"); listed != nullptr && listed->is_array()) return literals(*listed);
    for (const char* name : {"anyOf", "oneOf"})
      if (const Json* any = memberNamed(schema, name); any != nullptr && any->is_array() && !any->empty()) return oneOf(*any, depth);
    const Json* types = memberNamed(schema, "type");
    if (types == nullptr) return schema.contains("properties") ? ofType(schema, "object", depth) : anything();
    if (!types->is_array()) return ofType(schema, *types, depth);
    std::vector<NodeId> kinds;
    for (const Json& type : *types) {
      MINERVA_ASSIGN(const NodeId kind, ofType(schema, type, depth));
      kinds.push_back(kind);
    }
    return kinds.empty() ? anything() : m_rules.choice(kinds);
  }

  Result<NodeId> oneOf(const Json& schemas, int depth) {
    std::vector<NodeId> kinds;
    for (const Json& one : schemas) {
      MINERVA_ASSIGN(const NodeId kind, value(one, depth + 1));
      kinds.push_back(kind);
    }
    return m_rules.choice(kinds);
  }

  Result<NodeId> ofType(const Json& schema, const Json& type, int depth) {
    if (type == "string") return m_string;
    for (const char* name : {"integer", "number", "boolean", "null"})
      if (type == name) return scalar(schema, name);
    if (type == "array") {
      const Json* items = memberNamed(schema, "items");
      MINERVA_ASSIGN(const NodeId item, value(items != nullptr ? *items : Json(), depth + 1));
      return between("[", listOf(item), "]");
    }
    if (type != "object") return anything();
    MINERVA_ASSIGN(const NodeId members, membersOf(schema, depth + 1));
    return between("{", members, "}");
  }

  Result<NodeId> literals(const Json& values) {
    std::vector<NodeId> each;
    for (const Json& one : values) {
      if (one.is_structured()) return anything();
      each.push_back(one.is_string() ? quoted(m_rules.text(one.get<std::string>())) : m_rules.text(one.dump()));
    }
    return each.empty() ? anything() : m_rules.choice(each);
  }

  grammar::Rules& m_rules;
  const GemmaSyntax& m_syntax;
  NodeId m_comma, m_string;
  const grammar::CallableTool* m_tool = nullptr;
  std::optional<grammar::RuleId> m_anything;
};

}  // namespace

bool fitsGemma(const grammar::CallableTool& tool) {
  const Json& schema = tool.parameters;
  return schema.is_null() || (schema.is_object() && hasOnly(schema, {"type", "properties", "required", "additionalProperties"}) &&
                              GemmaFit::members(schema, 0));
}

Result<std::shared_ptr<const grammar::Grammar>> gemmaCallGrammar(const GemmaSyntax& syntax,
                                                                 const std::vector<grammar::CallableTool>& tools) {
  grammar::Rules rules;
  GemmaCall gemma(rules, syntax);
  std::vector<NodeId> calls;
  for (const grammar::CallableTool& tool : tools) {
    MINERVA_ASSIGN(const NodeId one, gemma.call(tool));
    calls.push_back(one);
  }
  return grammar::grammarOfCalls(rules, syntax.call, calls);
}

}  // namespace minerva::serve
