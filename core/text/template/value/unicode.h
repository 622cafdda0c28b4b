// Characters as in Python's str. Texts are UTF-8; an invalid byte counts as one character and is preserved (code points
// 0xDC80..0xDCFF, like Python's surrogateescape).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace minerva::text::jinja::unicode {

char32_t decode(std::string_view text, std::size_t& at);         // at < text.size(); advances at past the character
char32_t decodeLast(std::string_view text, std::size_t& start);  // text must not be empty; start: of its last character
void append(std::string& text, char32_t code);
[[nodiscard]] std::size_t length(std::string_view text);  // in characters
[[nodiscard]] bool isAscii(std::string_view text);

[[nodiscard]] bool isSpace(char32_t code);
[[nodiscard]] bool isWordCharacter(char32_t code);
[[nodiscard]] bool isPrintable(char32_t code);
[[nodiscard]] bool isAlpha(char32_t code);
[[nodiscard]] bool isDecimal(char32_t code);
[[nodiscard]] bool isDigit(char32_t code);
[[nodiscard]] bool isNumeric(char32_t code);
[[nodiscard]] bool isUpper(char32_t code);
[[nodiscard]] bool isLower(char32_t code);
[[nodiscard]] bool isTitle(char32_t code);

[[nodiscard]] std::size_t spaceLength(std::string_view text);  // bytes of white space at the start
[[nodiscard]] std::string_view trimLeft(std::string_view text);
[[nodiscard]] std::string_view trimRight(std::string_view text);
[[nodiscard]] std::string_view trim(std::string_view text);

[[nodiscard]] std::string upper(std::string_view text);
[[nodiscard]] std::string lower(std::string_view text);
[[nodiscard]] std::string casefold(std::string_view text);
[[nodiscard]] std::string title(std::string_view text);       // str.title()
[[nodiscard]] std::string capitalize(std::string_view text);  // str.capitalize()
[[nodiscard]] std::string swapcase(std::string_view text);

}  // namespace minerva::text::jinja::unicode
