#include "core/grammar/tool_call.h"

#include "core/grammar/schema/json_text.h"

namespace minerva::grammar {

Result<std::shared_ptr<const Grammar>> toolCallGrammar(std::string_view open, std::string_view close,
                                                       const std::vector<CallableTool>& tools) {
  Rules rules;
  JsonText json(rules);
  std::vector<NodeId> calls;
  for (const CallableTool& tool : tools) {
    Json schema = tool.parameters.is_null() ? Json::object() : tool.parameters;
    if (schema.is_object() && !schema.contains("type")) schema["type"] = "object";
    MINERVA_ASSIGN(const NodeId arguments, addJsonSchema(rules, schema, tool.path));
    calls.push_back(rules.sequence({json.literal(tool.name), json.comma(), rules.text("\"arguments\":"), json.space(), arguments}));
  }
  const NodeId line = rules.optional(rules.text("\n"));
  const NodeId members = rules.sequence({rules.text("\"name\":"), json.space(), rules.choice(calls)});
  const RuleId root = rules.declare("the call");
  rules.define(root, rules.sequence({rules.text(open), line, json.brackets("{", members, false, "}"), line, rules.text(close)}));
  return Grammar::compile(rules, root);
}

}  // namespace minerva::grammar
