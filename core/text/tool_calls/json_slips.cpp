// JSON as models write it with slips that leave no doubt about what is meant. Nothing is added that closes a string or a bracket, so that
// text that was cut off stays what it is.
#include "core/text/markers.h"
#include "core/text/tool_calls/python_literal.h"

#include <nlohmann/json.hpp>

namespace minerva::text::calls {
namespace {

// A character of a string that JSON has no such place for: control characters.
std::string escapedControl(char c) {
  const std::string quoted = jsonString(std::string_view(&c, 1));
  return quoted.substr(1, quoted.size() - 2);
}

// Appends what follows a backslash in a string, and the backslash: \d and \$ of regular expressions and shells mean the text itself, and
// \' is a quote.
void appendEscape(std::string_view after, std::string& out) {
  constexpr std::string_view known = "\"\\/bfnrt";
  const char c = after.front();
  const bool isCode = c == 'u' && after.size() > 4 && after.substr(1, 4).find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
  if (c == '\'') {
    out += c;
  } else if (isCode || known.find(c) != std::string_view::npos) {
    (out += '\\') += c;
  } else {
    out += "\\\\";
    out += static_cast<unsigned char>(c) < ' ' ? escapedControl(c) : std::string(1, c);
  }
}

// Appends the string that begins here; the length of what was read.
std::size_t appendString(std::string_view text, std::string& out) {
  out += '"';
  for (std::size_t i = 1; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size()) appendEscape(text.substr(++i), out);
    else if (static_cast<unsigned char>(c) < ' ') out += escapedControl(c);
    else out += c;
    if (c == '"') return i + 1;
  }
  return text.size();
}

// The text with what strings must not have escaped, without commas before a closing bracket and closing brackets that close nothing.
std::string withoutSlips(std::string_view text) {
  std::string out, open;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      i += appendString(text.substr(i), out) - 1;
      continue;
    }
    if (c == '{' || c == '[') open += c;
    if (c == '}' || c == ']') {
      if (open.empty() || open.back() != (c == '}' ? '{' : '[')) continue;
      open.pop_back();
      const std::string_view before = withoutSpaceAtEnd(out);
      if (before.ends_with(',')) out.erase(before.size() - 1, 1);
    }
    out += c;
  }
  return out;
}

// Values of Python, one after the other, as JSON; empty if the text is something else.
std::string jsonOfPythonValues(std::string_view text) {
  std::string json;
  PythonReader reader(text);
  while (!reader.atEnd()) {
    if (reader.peek() != '{' && reader.peek() != '[') return {};
    if (!reader.value(json)) return {};
    json += '\n';
    while (!reader.atEnd() && betweenCallsInText.find(reader.peek()) != std::string_view::npos) (void)reader.next();
  }
  return json;
}

}  // namespace

bool parseRepaired(std::string_view text, std::vector<ToolCall>& out, bool (*parse)(std::string_view, std::vector<ToolCall>&)) {
  return parse(text, out) || parse(withoutSlips(text), out);
}

bool parseRepairedJson(std::string_view text, std::vector<ToolCall>& out) {
  if (parseRepaired(text, out, parseJson)) return true;
  const std::string json = jsonOfPythonValues(withoutFence(text));
  return !json.empty() && parseJson(json, out);
}

}  // namespace minerva::text::calls
