// Splits template source into tokens and applies the white space rules of trim_blocks and lstrip_blocks.
#pragma once

#include "core/text/template/template_error.h"

#include <string>
#include <string_view>
#include <vector>

namespace minerva::text::jinja {

enum class TokenType { data, variableBegin, variableEnd, blockBegin, blockEnd, name, string, integer, real, op, end };

struct Token {
  TokenType type = TokenType::end;
  std::string text;  // data and strings: the value; integers and floats: digits without '_'; operators: themselves
  Position position;
};

// Throws TemplateError. Newlines are normalised to \n and one trailing newline is dropped, as Jinja does.
[[nodiscard]] std::vector<Token> tokenize(std::string_view source);

// Jinja's description of a token in messages: "end of print statement", "name", the operator itself, ...
[[nodiscard]] std::string describe(const Token& token);

}  // namespace minerva::text::jinja
