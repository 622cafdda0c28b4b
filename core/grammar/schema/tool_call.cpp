#include "core/grammar/tool_call.h"

#include "core/grammar/schema/factor.h"
#include "core/grammar/schema/json_text.h"

namespace minerva::grammar {
namespace {

std::string inQuotes(const std::string& text) {
  const std::string json = Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  return json.substr(1, json.size() - 2);
}

// A text with numbers in place of U+0002.
NodeId textOf(Rules& rules, std::string_view text) {
  constexpr std::uint32_t mostDigits = 6;
  std::vector<NodeId> parts;
  for (std::size_t at = 0, end = 0; at <= text.size(); at = end + 1) {
    end = std::min(text.find('\x02', at), text.size());
    parts.push_back(rules.text(text.substr(at, end - at)));
    if (end < text.size()) parts.push_back(rules.repeat(rules.chars({'0', '9'}), 1, mostDigits));
  }
  return rules.sequence(parts);
}

// The calls from the first one's name to what is behind the last one.
NodeId within(Rules& rules, const CallSyntax& syntax, NodeId call) {
  if (syntax.next.empty()) return call;
  const RuleId one = rules.declare("a function");
  rules.define(one, call);
  return rules.sequence({rules.rule(one), rules.repeat(rules.sequence({textOf(rules, syntax.next), rules.rule(one)}), 0, unlimited)});
}

// One tool of many whose schema is of no use keeps no other one from being called.
Result<NodeId> argumentsOf(Rules& rules, const Json& schema, const CallableTool& tool) {
  if (tool.inexpressible == Inexpressible::refused) return addJsonSchema(rules, schema, tool.path, tool.inexpressible);
  const Rules before = rules;
  if (const Result<NodeId> made = addJsonSchema(rules, schema, tool.path, tool.inexpressible)) return *made;
  rules = before;
  return JsonText(rules).object();
}

}  // namespace

Result<std::shared_ptr<const Grammar>> toolCallGrammar(const CallSyntax& syntax, const std::vector<CallableTool>& tools) {
  Rules rules;
  std::vector<NodeId> calls;
  for (const CallableTool& tool : tools) {
    Json schema = tool.parameters.is_null() ? Json::object() : tool.parameters;
    if (schema.is_object() && !schema.contains("type")) schema["type"] = "object";
    MINERVA_ASSIGN(const NodeId arguments, argumentsOf(rules, schema, tool));
    const std::string name = syntax.before.ends_with('"') ? inQuotes(tool.name) : tool.name;
    calls.push_back(rules.sequence({rules.text(name), textOf(rules, syntax.between), arguments}));
  }
  return grammarOfCalls(rules, syntax, calls);
}

Result<std::shared_ptr<const Grammar>> grammarOfCalls(Rules& rules, const CallSyntax& syntax, const std::vector<NodeId>& calls) {
  const NodeId inside = within(rules, syntax, factoredChoice(rules, calls));
  NodeId call = rules.sequence({textOf(rules, syntax.before), inside, rules.text(syntax.after)});
  if (!syntax.end.empty())
    call = rules.sequence({call, rules.optional(rules.sequence({rules.optional(rules.text("\n")), rules.text(syntax.end)}))});
  if (syntax.closing) {
    const RuleId one = rules.declare("a call");
    rules.define(one, call);
    const NodeId closing = rules.text(*syntax.closing), line = rules.text("\n");
    const NodeId more = rules.sequence({closing, syntax.onLines ? line : rules.optional(line), rules.rule(one)});
    call = rules.sequence({rules.rule(one), rules.repeat(more, 0, unlimited), rules.optional(closing)});
  }
  if (!syntax.thoughtOpen.empty()) {
    const NodeId thought = rules.repeat(rules.chars(CharSet::everything().without({1, 1})), 0, unlimited);
    call =
        rules.sequence({rules.optional(rules.sequence({rules.text(syntax.thoughtOpen), thought, rules.text(syntax.thoughtClose)})), call});
  }
  const RuleId root = rules.declare("the call");
  rules.define(root, call);
  return Grammar::compile(rules, root);
}

}  // namespace minerva::grammar
