#include "core/serve/tool_schemas.h"

#include "core/serve/fields.h"
#include "core/text/tool_calls.h"

#include <algorithm>
#include <utility>

namespace minerva::serve {
namespace {

using grammar::CallableTool;

std::unexpected<Error> wrongTool(Error error, const CallableTool& tool) {
  error.what += ", in the tool " + tool.name.substr(0, 60);
  if (!error.where.starts_with(tool.path)) error.where = tool.path;
  return fail(std::move(error));
}

// What any form of a call can be asked for: arguments are an object.
Result<void> checkParameters(const CallableTool& tool) {
  const Json& schema = tool.parameters;
  if (!schema.is_null() && !schema.is_object())
    return wrongTool(wrongField(tool.path, "a JSON schema, which is an object", schema.type_name()).error(), tool);
  if (!isStrict(tool) || schema.is_null() || text::allowsType(schema, schema, "object")) return {};
  return wrongTool(wrongField(tool.path, "the schema of an object", "that of another type").error(), tool);
}

Result<std::shared_ptr<const grammar::Grammar>> bareGrammar(const std::vector<CallableTool>& tools) {
  return grammar::toolCallGrammar({.before = "", .between = " ", .after = ""}, tools);
}

}  // namespace

bool isStrict(const CallableTool& tool) { return tool.inexpressible == grammar::Inexpressible::refused; }

std::vector<CallableTool> callableTools(const Json& tools, const ToolChoice& choice) {
  std::vector<CallableTool> callable;
  for (std::size_t i = 0; i < tools.size(); ++i) {
    const Json& function = tools[i]["function"];
    const auto name = function["name"].get<std::string>();
    if (!choice.allows(name)) continue;
    const Json* strict = present(function, "strict");
    callable.push_back({name, function.contains("parameters") ? function["parameters"] : Json(),
                        "tools[" + std::to_string(i) + "].function.parameters",
                        strict != nullptr && *strict == true ? grammar::Inexpressible::refused : grammar::Inexpressible::leftOut});
  }
  return callable;
}

Result<void> checkToolSchemas(const Json& tools, Grammars& grammars) {
  std::vector<CallableTool> all = callableTools(tools, {});
  for (const CallableTool& tool : all) MINERVA_TRY(checkParameters(tool));
  std::erase_if(all, [](const CallableTool& tool) { return !isStrict(tool); });
  if (all.empty()) return {};
  const auto together = grammars.get("strict " + written(tools), [&] { return bareGrammar(all); });
  if (together) return {};
  for (const CallableTool& tool : all)
    if (auto alone = bareGrammar({tool}); !alone) return wrongTool(std::move(alone.error()), tool);
  Error error = together.error();
  error.where = "tools";
  return fail(std::move(error));
}

}  // namespace minerva::serve
