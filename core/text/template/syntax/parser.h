// Tokens to a Program: Jinja's grammar, its messages, and a limit on nesting.
#pragma once

#include "core/text/template/syntax/ast.h"

#include <string_view>

namespace minerva::text::jinja {

// Throws TemplateError: corrupt with line and column, or limit (source too large, nested too deeply).
void parseTemplate(std::string_view source, Program& program);

// What Jinja finds when it compiles: filters and tests nobody knows outside conditions, break outside a loop.
void checkProgram(const Program& program);

}  // namespace minerva::text::jinja
