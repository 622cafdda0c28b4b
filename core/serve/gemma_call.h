// The grammar of a call in the notation of Gemma 4 and FunctionGemma: names without quotes, strings between markers of their own.
//
// Arguments come in the order of their names, as the chat templates write them. What a schema says beyond types, values, properties and
// bounds of numbers is not followed.
#pragma once

#include "core/grammar/tool_call.h"

namespace minerva::serve {

// text::CallForm with control tokens marked (engine::markedForCalls).
struct GemmaSyntax {
  grammar::CallSyntax call;
  std::string quote, plainQuote;  // around strings; plainQuote: unmarked, in no string
};

// Whether the schema of its arguments says nothing beyond that.
[[nodiscard]] bool fitsGemma(const grammar::CallableTool& tool);

// One call of one of the tools. Errors: those of grammar::toolCallGrammar().
[[nodiscard]] Result<std::shared_ptr<const grammar::Grammar>> gemmaCallGrammar(const GemmaSyntax& syntax,
                                                                               const std::vector<grammar::CallableTool>& tools);

}  // namespace minerva::serve
