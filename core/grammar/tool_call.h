// The call of a tool as a model writes it, with arguments that are JSON.
#pragma once

#include "core/grammar/json_schema.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace minerva::grammar {

struct CallableTool {
  std::string name;
  Json parameters;   // JSON schema of the arguments; null: any object
  std::string path;  // of the schema in the request, for errors
  Inexpressible inexpressible = Inexpressible::refused;
};

// In these texts U+0002 stands for a number, which the model chooses.
struct CallSyntax {
  std::string before, between, after;  // around the name and the arguments; the name is in a JSON string if `before` ends with a quote
  std::string thoughtOpen = {}, thoughtClose = {};  // a text between these, without U+0001, may precede the call; empty: none
  std::optional<std::string> closing = {};          // what follows a call before another one; none: there is just one call
  bool onLines = true;                              // another call begins a line; false: it may also follow directly
  std::string next = {};                            // in place of `after`, before the name of a further call; empty: none
  std::string end = {};                             // may follow `after`, also on a line of its own; empty: nothing
};

// One call of one of the tools, or several. Errors: those of jsonSchemaGrammar().
[[nodiscard]] Result<std::shared_ptr<const Grammar>> toolCallGrammar(const CallSyntax& syntax, const std::vector<CallableTool>& tools);
// The same of these calls: nodes from the name to the arguments' end, which may be in any notation.
[[nodiscard]] Result<std::shared_ptr<const Grammar>> grammarOfCalls(Rules& rules, const CallSyntax& syntax,
                                                                    const std::vector<NodeId>& calls);

}  // namespace minerva::grammar
