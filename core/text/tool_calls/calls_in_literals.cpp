// Calls whose values are literals of another notation than JSON, converted to JSON: Python's, Gemma 4's and FunctionGemma's.
#include "core/base/utf8.h"
#include "core/text/tool_calls/call_reader.h"

#include <nlohmann/json.hpp>

#include <charconv>

namespace minerva::text::calls {
namespace {

constexpr std::string_view gemmaQuote = "<|\"|>", functionGemmaQuote = "<escape>";
constexpr int deepestLiteral = 64;

class LiteralReader : public CallReader {
 public:
  // quote: Gemma's; empty: Python's notation.
  explicit LiteralReader(std::string_view text, std::string_view quote = {}) : CallReader(text), m_quote(quote), m_python(quote.empty()) {}

  // Appends the value as JSON. `depth` limits the nesting.
  bool value(std::string& json, int depth = 0) {
    skipSpace();
    if (depth > deepestLiteral) return false;
    if (take("[")) return sequence(json, "]", depth);
    if (m_python && take("(")) return sequence(json, ")", depth);
    if (take("{")) return mapping(json, depth);
    if (m_python ? peek() == '"' || peek() == '\'' : rest().starts_with(m_quote)) {
      std::string text;
      if (!string(text)) return false;
      json += jsonString(text);
      return true;
    }
    return word(json);
  }

  bool string(std::string& text) {
    if (m_python) return pythonString(text);
    std::string_view inside;
    if (!take(m_quote) || !takeUntil(m_quote, inside)) return false;
    text = inside;
    return true;
  }

  // The rest of a list after its opening bracket; a comma may follow the last element.
  bool sequence(std::string& json, std::string_view close, int depth) {
    json += '[';
    for (bool first = true; !taken(close); first = false) {
      if (!first) json += ',';
      if (!value(json, depth + 1) || !separated(close)) return false;
    }
    json += ']';
    return true;
  }

  bool mapping(std::string& json, int depth) {
    json += '{';
    for (bool first = true; !taken("}"); first = false) {
      std::string name;
      if (!first) json += ',';
      if (!key(name)) return false;
      json += jsonString(name) + ':';
      if (!value(json, depth + 1) || !separated("}")) return false;
    }
    json += '}';
    return true;
  }

  // Reads arguments up to `close`: names, then `assignment`, then values.
  bool arguments(std::string_view close, std::string_view assignment, std::vector<ToolArgument>& out) {
    while (!taken(close)) {
      ToolArgument& argument = out.emplace_back();
      if (m_python ? !plainName(argument.name) : !keyBefore(argument.name)) return false;
      if (!taken(assignment) || !value(argument.json) || !separated(close)) return false;
    }
    return true;
  }

  bool taken(std::string_view expected) {
    skipSpace();
    return take(expected);
  }

  bool plainName(std::string& name) {
    std::string_view found;
    skipSpace();
    if (!takeName(found)) return false;
    name = found;
    return true;
  }

 private:
  // A key of a mapping with its colon. Gemma's may have quotes or not.
  bool key(std::string& name) { return m_python ? string(name) && taken(":") : keyBefore(name) && take(":"); }

  // Gemma's keys without quotes reach up to the colon.
  bool keyBefore(std::string& name) {
    skipSpace();
    if (rest().starts_with(m_quote)) return string(name);
    const std::size_t colon = rest().find_first_of(":{}[],\n");
    if (colon == 0 || colon == std::string_view::npos || rest()[colon] != ':') return false;
    name = trimmed(rest().substr(0, colon));
    take(rest().substr(0, colon));
    return !name.empty();
  }

  // After an element: a comma, or nothing if the closing bracket follows.
  bool separated(std::string_view close) {
    skipSpace();
    return take(",") || rest().starts_with(close);
  }

  bool word(std::string& json) {
    static constexpr std::string_view words[][2] = {{"True", "true"}, {"False", "false"}, {"None", "null"},
                                                    {"true", "true"}, {"false", "false"}, {"null", "null"}};
    const std::size_t end = std::min(rest().find_first_of(" \t\r\n,)]}:<"), rest().size());
    const std::string_view found = rest().substr(0, end);
    for (const auto& [written, meant] : words) {
      if (found != written) continue;
      json += meant;
      return take(found);
    }
    std::string digits(found);
    if (m_python) dropUnderscores(digits);
    const bool number = !digits.empty() && (digits[0] == '-' || isDigit(digits[0])) && nlohmann::json::accept(digits);
    if (number) json += digits;
    return number && take(found);
  }

  static bool isDigit(char c) { return c >= '0' && c <= '9'; }

  // Python allows one between two digits: 1_000.
  static void dropUnderscores(std::string& number) {
    for (std::size_t i = 1; i + 1 < number.size(); ++i)
      if (number[i] == '_' && isDigit(number[i - 1]) && isDigit(number[i + 1])) number.erase(i, 1);
  }

  bool pythonString(std::string& text) {
    skipSpace();
    if (peek() != '"' && peek() != '\'') return false;
    const char quote = next();
    while (!atEnd()) {
      const char c = next();
      if (c == quote) return true;
      if (c != '\\') text += c;
      else if (!escape(text)) return false;
    }
    return false;
  }

  bool escape(std::string& text) {
    static constexpr std::string_view from = "\\'\"abfnrtv0", to{"\\'\"\a\b\f\n\r\t\v\0", 11};
    if (atEnd()) return false;
    const char c = next();
    if (c == 'x') return code(text, 2);
    if (c == 'u') return code(text, 4);
    if (c == 'U') return code(text, 8);
    const std::size_t which = from.find(c);
    if (which != std::string_view::npos) text += to[which];
    else if (c != '\n') text.append({'\\', c});  // Python keeps an unknown escape sequence as it is
    return true;
  }

  bool code(std::string& text, std::size_t digits) {
    std::uint32_t point = 0;
    const std::string_view hex = rest().substr(0, digits);
    const auto result = std::from_chars(hex.data(), hex.data() + hex.size(), point, 16);
    if (hex.size() != digits || result.ec != std::errc() || result.ptr != hex.data() + hex.size()) return false;
    if (point > 0x10FFFF || (point >= 0xD800 && point < 0xE000)) return false;
    utf8::append(text, point);
    return take(hex);
  }

  std::string_view m_quote;
  bool m_python;
};

bool nameThenBracket(CallReader reader) {
  std::string_view name;
  reader.skipSpace();
  return reader.atEnd() || (reader.takeName(name) && (reader.atEnd() || reader.peek() == '('));
}

bool parseQuoted(std::string_view text, std::string_view quote, std::vector<ToolCall>& out) {
  std::vector<ToolCall> found;
  LiteralReader reader(text, quote);
  for (reader.skipSpace(); !reader.atEnd(); reader.skipSpace()) {
    ToolCall& call = found.emplace_back();
    if (!reader.take("call:") || !reader.plainName(call.name) || !reader.taken("{")) return false;
    if (!reader.arguments("}", ":", call.arguments)) return false;
    reader.skipSpace();
    reader.take(",");
  }
  for (ToolCall& call : found) out.push_back(std::move(call));
  return !found.empty();
}

bool endsBetween(std::string_view text, std::string_view quote) {
  bool open = false;
  for (std::size_t at = text.find(quote); at != std::string_view::npos; at = text.find(quote, at + quote.size())) open = !open;
  return open;
}

}  // namespace

std::string jsonOfPythonLiteral(std::string_view text) {
  std::string json;
  LiteralReader reader(text);
  if (!reader.value(json)) return {};
  reader.skipSpace();
  return reader.atEnd() && !json.starts_with('"') ? json : std::string();
}

bool mayBeginPythonicList(std::string_view text) {
  CallReader reader(text);
  reader.skipSpace();
  return reader.atEnd() || (reader.take("[") && nameThenBracket(reader));
}

// MiniCPM 3 writes the calls as a code block.
bool mayBeginPythonic(std::string_view text) {
  constexpr std::string_view fence = "```python";
  CallReader reader(text);
  reader.skipSpace();
  if (fence.starts_with(reader.rest())) return true;
  if (reader.take(fence.substr(0, 3))) reader.take(fence.substr(3));
  return mayBeginPythonicList(reader.rest()) || nameThenBracket(reader);
}

bool parsePythonic(std::string_view text, std::vector<ToolCall>& out) {
  std::vector<ToolCall> found;
  LiteralReader reader(text);
  const bool fenced = reader.taken("```");
  if (fenced) reader.take("python");
  const bool list = reader.taken("[");
  for (reader.skipSpace(); !reader.atEnd() && reader.peek() != (list ? ']' : '`'); reader.skipSpace()) {
    ToolCall& call = found.emplace_back();
    if (!reader.plainName(call.name) || !reader.take("(") || !reader.arguments(")", "=", call.arguments)) return false;
    reader.skipSpace();
    if (!reader.take(",") && list && reader.peek() != ']') return false;
  }
  if (list && !reader.take("]")) return false;
  if (fenced && !reader.taken("```")) return false;
  reader.skipSpace();
  if (!reader.atEnd() || found.empty()) return false;
  for (ToolCall& call : found) out.push_back(std::move(call));
  return true;
}

bool endsInPythonString(std::string_view text) { return endsInQuotes(text, "\"'"); }

bool mayBeginGemma(std::string_view text) {
  constexpr std::string_view call = "call:";
  CallReader reader(text);
  reader.skipSpace();
  return reader.rest().size() < call.size() ? call.starts_with(reader.rest()) : reader.rest().starts_with(call);
}

bool parseGemma(std::string_view text, std::vector<ToolCall>& out) { return parseQuoted(text, gemmaQuote, out); }
bool endsInGemmaString(std::string_view text) { return endsBetween(text, gemmaQuote); }
bool parseFunctionGemma(std::string_view text, std::vector<ToolCall>& out) { return parseQuoted(text, functionGemmaQuote, out); }
bool endsInEscapes(std::string_view text) { return endsBetween(text, functionGemmaQuote); }

}  // namespace minerva::text::calls
