// The grammar of a call whose arguments are written with tags, such as <parameter=city>Oslo</parameter>.
//
// Arguments come in the order of the schema. One that may be a string is any text without the closing tag, or one of the values that the
// schema lists; others are JSON.
#pragma once

#include "core/grammar/tool_call.h"

namespace minerva::serve {

// As the grammar must have them: text::CallForm and text::CallTags with control tokens marked (engine::markedForCalls).
struct TaggedSyntax {
  grammar::CallSyntax call;
  std::string beforeName, afterName, afterValue;
  std::string closingTag;  // after a value, unmarked: no value contains it
  std::string again = {};  // between the name and the name once more; empty: it is written once
};

// False if tags cannot express what its schema says of the arguments: a schema that is not a list of properties, names that end a tag, and
// for tools that are to be followed strictly, keywords about texts.
[[nodiscard]] bool fitsTags(const grammar::CallableTool& tool);

// One call of one of the tools, which fit. Errors: those of grammar::toolCallGrammar().
[[nodiscard]] Result<std::shared_ptr<const grammar::Grammar>> taggedCallGrammar(const TaggedSyntax& syntax,
                                                                                const std::vector<grammar::CallableTool>& tools);

}  // namespace minerva::serve
