#include "core/text/tool_calls/python_literal.h"

#include "core/base/utf8.h"

#include <nlohmann/json.hpp>

#include <charconv>

namespace minerva::text::calls {
namespace {

constexpr int deepestPython = 64;

bool isLiteralDigit(char c) { return c >= '0' && c <= '9'; }
bool isWordCharacter(char c) { return isLiteralDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
char lowered(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

// Of a dictionary, as json.dumps() writes it; empty if JSON has none for it.
std::string keyOf(const std::string& json) {
  if (json.starts_with('"')) return json;
  if (json.starts_with('[') || json.starts_with('{')) return {};
  const bool isFloat = isLiteralDigit(json.back()) && json.find_first_of(".eE") != std::string::npos;
  return '"' + (isFloat ? nlohmann::json::parse(json).dump() : json) + '"';
}

// The number without the underscores between its digits; false if one is elsewhere.
bool withoutGroups(std::string_view text, std::string& number) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') number += text[i];
    else if (i == 0 || i + 1 == text.size() || !isWordCharacter(text[i - 1]) || text[i + 1] == '_' || !isWordCharacter(text[i + 1]))
      return false;
  }
  return true;
}

// 0x10, 0o17 and 0b1 in decimal digits; empty if it is none of these, or more than 64 bits.
std::string decimalOf(std::string_view number) {
  if (number.size() < 3 || number[0] != '0') return {};
  const char letter = lowered(number[1]);
  const int base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
  if (base == 0) return {};
  std::uint64_t value = 0;
  const char* const last = number.data() + number.size();
  const auto result = std::from_chars(number.data() + 2, last, value, base);
  return result.ec == std::errc() && result.ptr == last ? std::to_string(value) : std::string();
}

// As JSON writes it: a digit before and after a point, no zeros before other digits.
std::string numberInJson(std::string number) {
  const std::size_t first = std::min(number.find_first_not_of('0'), number.size());
  number.erase(0, first);
  if (number.empty() || !isLiteralDigit(number[0])) number.insert(0, first > 0 || number.starts_with('.') ? 1 : 0, '0');
  const std::size_t point = number.find('.');
  if (point != std::string::npos && (point + 1 == number.size() || !isLiteralDigit(number[point + 1]))) number.insert(point + 1, 1, '0');
  return number;
}

}  // namespace

bool PythonReader::value(std::string& json, int depth) {
  skipSpace();
  if (depth > deepestPython) return false;
  if (take("[")) return elements(json += '[', "]", depth);
  if (take("(")) return parentheses(json, depth);
  if (take("{")) return braces(json, depth);
  if (lengthOfPrefix() != std::string_view::npos) return strings(json);
  return isLiteralDigit(peek()) || std::string_view("+-.").find(peek()) != std::string_view::npos ? number(json) : word(json);
}

// The rest of a list; a comma may follow its last element.
bool PythonReader::elements(std::string& json, std::string_view close, int depth, bool first) {
  for (; !taken(close); first = false) {
    if (!first) json += ',';
    if (!value(json, depth + 1) || !separated(close)) return false;
  }
  json += ']';
  return true;
}

// A value in parentheses is itself; a comma makes it a tuple.
bool PythonReader::parentheses(std::string& json, int depth) {
  const std::size_t begin = json.size();
  if (taken(")")) return !(json += "[]").empty();
  if (!value(json, depth + 1)) return false;
  if (taken(")")) return true;
  json.insert(begin, 1, '[');
  if (!taken(",")) return false;
  if (taken(")")) return !(json += ']').empty();
  return elements(json += ',', ")", depth);
}

// A dictionary, or a set.
bool PythonReader::braces(std::string& json, int depth) {
  if (taken("}")) return !(json += "{}").empty();
  std::string first;
  if (!value(first, depth + 1)) return false;
  if (!taken(":")) {
    json += '[' + first;
    return separated("}") && elements(json, "}", depth, false);
  }
  json += '{';
  for (std::string key = keyOf(first);;) {
    json += key + ':';
    if (key.empty() || !value(json, depth + 1) || !separated("}")) return false;
    if (taken("}")) break;
    first.clear();
    if (!value(first, depth + 1) || !taken(":")) return false;
    key = keyOf(first);
    json += ',';
  }
  json += '}';
  return true;
}

// Of the letters before the quote of a string: r (raw), u, b (bytes). npos if no string begins here.
std::size_t PythonReader::lengthOfPrefix() const {
  const std::size_t quote = rest().substr(0, 3).find_first_of("\"'");
  if (quote == std::string_view::npos) return quote;
  std::string letters;
  for (const char c : rest().substr(0, quote)) letters += lowered(c);
  for (const std::string_view prefix : {"", "r", "u", "b", "rb", "br"})
    if (letters == prefix) return quote;
  return std::string_view::npos;
}

// Strings side by side are one.
bool PythonReader::strings(std::string& json) {
  std::string text;
  for (std::size_t length = lengthOfPrefix(); length != std::string_view::npos; length = lengthOfPrefix()) {
    std::string prefix;
    while (prefix.size() < length) prefix += lowered(next());
    if (!string(text, prefix)) return false;
    skipSpace();
  }
  if (!utf8::isValid(text)) text = utf8::replaceBroken(text);
  json += jsonString(text);
  return true;
}

bool PythonReader::string(std::string& text, std::string_view prefix) {
  const bool raw = prefix.find('r') != std::string_view::npos, bytes = prefix.find('b') != std::string_view::npos;
  const std::string three(3, peek());
  const std::string quote = rest().starts_with(three) ? three : three.substr(0, 1);
  for (take(quote); !atEnd();) {
    if (ends(quote)) return take(quote);
    const char c = next();
    if (c != '\\') text += c;
    else if (raw && !atEnd()) text.append({c, next()});
    else if (!escape(text, bytes)) return false;
  }
  return false;
}

bool PythonReader::ends(std::string_view quote) const {
  if (!rest().starts_with(quote)) return false;
  const std::string_view after = trimmed(rest().substr(quote.size()));
  return m_quotes == PythonQuotes::escaped || quote.size() == 3 || after.empty() ||
         std::string_view(",)]}:").find(after[0]) != std::string_view::npos;
}

bool PythonReader::escape(std::string& text, bool bytes) {
  static constexpr std::string_view from = "\\'\"abfnrtv", to = "\\'\"\a\b\f\n\r\t\v";
  if (atEnd()) return false;
  if (peek() >= '0' && peek() <= '7') return octal(text, bytes);
  const char c = next();
  if (c == 'x' && bytes) {
    std::uint32_t byte = 0;
    if (!hex(2, byte)) return false;
    text += static_cast<char>(byte);
    return true;
  }
  if (c == 'x') return code(text, 2);
  if (c == 'u' && !bytes) return code(text, 4);
  if (c == 'U' && !bytes) return code(text, 8);
  const std::size_t which = from.find(c);
  if (which != std::string_view::npos) text += to[which];
  else if (c != '\n') text.append({'\\', c});  // Python keeps an unknown escape sequence as it is
  return true;
}

bool PythonReader::octal(std::string& text, bool bytes) {
  std::uint32_t point = 0;
  for (int i = 0; i < 3 && peek() >= '0' && peek() <= '7'; ++i) point = point * 8 + static_cast<std::uint32_t>(next() - '0');
  if (bytes) text += static_cast<char>(point);
  else utf8::append(text, point);
  return true;
}

// json.dumps() writes the halves of a surrogate pair side by side, which is one character to JSON.
bool PythonReader::code(std::string& text, std::size_t digits) {
  std::uint32_t point = 0, low = 0;
  if (!hex(digits, point) || point > 0x10FFFF) return false;
  PythonReader after = *this;
  if (point >= 0xD800 && point < 0xDC00 && after.take("\\u") && after.hex(4, low) && low >= 0xDC00 && low < 0xE000) {
    *this = after;
    point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
  }
  utf8::append(text, point);
  return true;
}

bool PythonReader::hex(std::size_t digits, std::uint32_t& value) {
  const std::string_view text = rest().substr(0, digits);
  const char* const last = text.data() + text.size();
  const auto result = std::from_chars(text.data(), last, value, 16);
  return text.size() == digits && result.ec == std::errc() && result.ptr == last && take(text);
}

bool PythonReader::number(std::string& json) {
  const bool minus = take("-");
  if (minus || take("+")) skipSpace();
  const bool otherBase = rest().size() > 1 && rest()[0] == '0' && std::string_view("xXoObB").find(rest()[1]) != std::string_view::npos;
  std::string_view text = rest();
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool sign = i > 0 && !otherBase && lowered(text[i - 1]) == 'e' && (text[i] == '+' || text[i] == '-');
    if (!isWordCharacter(text[i]) && text[i] != '.' && !sign) text = text.substr(0, i);
  }
  std::string digits;
  if (text.starts_with('.') && (text.size() < 2 || !isLiteralDigit(text[1]))) return false;
  if (text.empty() || !withoutGroups(text, digits)) return false;
  std::string written = otherBase ? decimalOf(digits) : numberInJson(digits);
  if (!nlohmann::json::accept(written)) return false;  // also of what overflows
  if (minus && written != "0") written.insert(0, 1, '-');
  json += written;
  return take(text);
}

bool PythonReader::word(std::string& json) {
  static constexpr std::string_view words[][2] = {{"True", "true"}, {"False", "false"}, {"None", "null"},
                                                  {"true", "true"}, {"false", "false"}, {"null", "null"}};
  const std::string_view text = rest();
  const std::string_view found = text.substr(0, static_cast<std::size_t>(std::ranges::find_if_not(text, isWordCharacter) - text.begin()));
  for (const auto& [written, meant] : words) {
    if (found != written) continue;
    json += meant;
    return take(found);
  }
  if (found != "set" || !take(found) || !taken("(") || !taken(")")) return false;
  json += "[]";
  return true;
}

std::string jsonOfPythonLiteral(std::string_view text) {
  std::string json;
  PythonReader reader(text);
  if (!reader.value(json)) return {};
  reader.skipSpace();
  return reader.atEnd() && !json.starts_with('"') ? json : std::string();
}

}  // namespace minerva::text::calls
