// Parses tokens into a Program, with Jinja's grammar and messages and a limit on nesting.
#pragma once

#include "core/text/template/syntax/ast.h"

#include <string_view>

namespace minerva::text::jinja {

// Throws TemplateError: corrupt with line and column, or limit (source too large, nested too deeply).
void parseTemplate(std::string_view source, Program& program);

// The checks that Jinja performs at compile time: unknown filters and tests outside conditions, break or continue outside
// loops.
void checkProgram(const Program& program);

}  // namespace minerva::text::jinja
