// The call of a tool as models of the Hermes format write it: {"name": ..., "arguments": ...} between two markers.
#pragma once

#include "core/grammar/json_schema.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace minerva::grammar {

struct CallableTool {
  std::string name;
  Json parameters;   // JSON schema of the arguments; null: any object
  std::string path;  // of the schema in the request, for errors
};

// One call of one of the tools. Errors: those of jsonSchemaGrammar().
[[nodiscard]] Result<std::shared_ptr<const Grammar>> toolCallGrammar(std::string_view open, std::string_view close,
                                                                     const std::vector<CallableTool>& tools);

}  // namespace minerva::grammar
