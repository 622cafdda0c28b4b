// Texts in the grammars of calls.
#pragma once

#include "core/grammar/json_schema.h"

#include <string_view>

namespace minerva::serve {

// Any text that has neither this tag, whose first character it has only once, nor a marker (engine::markedForCalls).
[[nodiscard]] grammar::NodeId textWithout(grammar::Rules& rules, std::string_view tag);

// The name of an argument of which nothing is known.
[[nodiscard]] grammar::NodeId anyName(grammar::Rules& rules);

// The member of a schema; null if there is none.
[[nodiscard]] const grammar::Json* memberNamed(const grammar::Json& schema, const char* name);
[[nodiscard]] bool isRequired(const grammar::Json& schema, const std::string& property);

}  // namespace minerva::serve
