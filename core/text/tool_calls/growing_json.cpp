#include "core/text/tool_calls/growing_json.h"

#include "core/text/tool_calls/call_reader.h"

#include <nlohmann/json.hpp>

namespace minerva::text::calls {
namespace {

constexpr std::string_view endsOfValue = ",]} \t\r\n";

bool isControl(char c) { return static_cast<unsigned char>(c) < ' '; }

// The code after "\u"; nothing if these are no four digits.
std::optional<unsigned> codeOf(std::string_view digits) {
  unsigned code = 0;
  for (const char c : digits) {
    const std::size_t digit = std::string_view("0123456789abcdef").find(c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c);
    if (digit == std::string_view::npos) return std::nullopt;
    code = code * 16 + static_cast<unsigned>(digit);
  }
  return code;
}

// Length of the escape that the text begins with: 0 if it is not complete; nothing if JSON does not have it.
std::optional<std::size_t> lengthOfEscape(std::string_view text) {
  constexpr std::size_t coded = 6;
  if (text.size() < 2) return 0;
  if (text[1] != 'u') return std::string_view("\"\\/bfnrt").contains(text[1]) ? std::optional<std::size_t>(2) : std::nullopt;
  if (text.size() < coded) return 0;
  const auto code = codeOf(text.substr(2, 4));
  if (!code || (*code >= 0xDC00 && *code < 0xE000)) return std::nullopt;
  if (*code < 0xD800 || *code >= 0xE000) return coded;
  constexpr std::size_t pair = 2 * coded;  // characters beyond 16 bits
  if (text.size() < pair) return 0;
  const auto second = codeOf(text.substr(coded + 2, 4));
  const bool isPair = text[coded] == '\\' && text[coded + 1] == 'u' && second && *second >= 0xDC00 && *second < 0xE000;
  return isPair ? std::optional(pair) : std::nullopt;
}

// Length of the string that the text begins with, quotes included: 0 if it is not complete; nothing if JSON does not have it.
std::optional<std::size_t> lengthOfString(std::string_view text) {
  for (std::size_t i = 1; i < text.size();) {
    if (text[i] == '"') return i + 1;
    if (isControl(text[i])) return std::nullopt;
    const auto length = text[i] == '\\' ? lengthOfEscape(text.substr(i)) : std::optional<std::size_t>(1);
    if (!length || *length == 0) return length;
    i += *length;
  }
  return 0;
}

}  // namespace

void GrowingJson::read(std::string_view text, std::string& out) {
  while (m_at < text.size() && !isComplete() && !m_stopped)
    if (!step(text, out)) return;
}

// Appends text that ends where reading stands.
void GrowingJson::take(std::string_view more, std::string& out) {
  out.append(m_before).append(more);
  m_before.clear();
  m_told = m_at;
}

// False if what follows is needed.
bool GrowingJson::step(std::string_view text, std::string& out) {
  if (m_inString) return stringStep(text, out);
  const char c = text[m_at];
  if (whiteSpaceOfCalls.contains(c)) {
    if (m_open.size() > 1) m_before += c;
    ++m_at;
    return true;
  }
  switch (m_expected) {
    case Expected::object:
      if (c != '{') return stop(), false;
      open(c, out);
      return true;
    case Expected::keyOrClose:
      if (c == '}') return closeStep(c, out);
      return keyStep(text, out);
    case Expected::key: return keyStep(text, out);
    case Expected::valueOrClose:
      if (c == ']') return closeStep(c, out);
      return valueStep(text, out);
    case Expected::value: return valueStep(text, out);
    case Expected::commaOrClose:
      if (c != ',') return closeStep(c, out);
      if (!isOuter()) m_before += c;
      ++m_at;
      m_expected = m_open.back() == '{' ? Expected::key : Expected::value;
      return true;
    case Expected::nothing: break;
  }
  return false;
}

void GrowingJson::open(char c, std::string& out) {
  ++m_at;
  m_open += c;
  m_expected = c == '{' ? Expected::keyOrClose : Expected::valueOrClose;
  take(std::string_view(&c, 1), out);
}

bool GrowingJson::closeStep(char c, std::string& out) {
  if (c != (m_open.back() == '{' ? '}' : ']')) return stop(), false;
  ++m_at;
  m_open.pop_back();
  m_expected = m_open.empty() ? Expected::nothing : Expected::commaOrClose;
  take(std::string_view(&c, 1), out);
  return true;
}

// A member's name with the colon.
bool GrowingJson::keyStep(std::string_view text, std::string& out) {
  const std::string_view rest = text.substr(m_at);
  const auto length = rest.starts_with('"') ? lengthOfString(rest) : std::nullopt;
  if (!length) return stop(), false;
  if (*length == 0) return false;
  const std::size_t colon = rest.find_first_not_of(whiteSpaceOfCalls, *length);
  if (colon == std::string_view::npos) return false;
  if (rest[colon] != ':') return stop(), false;
  const auto name = nlohmann::json::parse(rest.substr(0, *length), nullptr, false);
  if (!name.is_string()) return stop(), false;
  m_at += colon + 1;
  m_expected = Expected::value;
  if (!isOuter()) {
    take(rest.substr(0, colon + 1), out);
    return true;
  }
  take((m_hasMembers ? "," : "") + jsonString(name.get_ref<const std::string&>()) + ":", out);
  m_hasMembers = true;
  return true;
}

bool GrowingJson::valueStep(std::string_view text, std::string& out) {
  const std::string_view rest = text.substr(m_at);
  const char c = rest.front();
  if (c == '{' || c == '[') {
    open(c, out);
    return true;
  }
  if (c == '"') {
    ++m_at;
    m_inString = true;
    take("\"", out);
    return true;
  }
  const std::size_t end = rest.find_first_of(endsOfValue);
  if (end == std::string_view::npos) return false;
  const std::string_view value = rest.substr(0, end);
  if (!nlohmann::json::accept(value)) return stop(), false;
  m_at += end;
  m_expected = Expected::commaOrClose;
  take(value, out);
  return true;
}

bool GrowingJson::stringStep(std::string_view text, std::string& out) {
  const std::string_view rest = text.substr(m_at);
  std::size_t plain = 0;
  while (plain < rest.size() && rest[plain] != '"' && rest[plain] != '\\' && !isControl(rest[plain])) ++plain;
  m_at += plain;
  if (plain > 0) take(rest.substr(0, plain), out);
  if (plain == rest.size()) return false;
  if (rest[plain] == '\\') return escapeStep(text, out);
  if (rest[plain] != '"') return stop(), false;
  ++m_at;
  m_inString = false;
  m_expected = Expected::commaOrClose;
  take("\"", out);
  return true;
}

bool GrowingJson::escapeStep(std::string_view text, std::string& out) {
  const std::string_view rest = text.substr(m_at);
  const auto length = lengthOfEscape(rest);
  if (!length) stop();
  if (!length || *length == 0) return false;
  m_at += *length;
  take(rest.substr(0, *length), out);
  return true;
}

}  // namespace minerva::text::calls
