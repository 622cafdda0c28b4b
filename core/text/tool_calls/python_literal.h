// Reads literals of Python and gives them as JSON.
#pragma once

#include "core/text/tool_calls/call_reader.h"

namespace minerva::text::calls {

// How strings end. nested: models write a command with quotes into quotes of the same kind ('sed -n '1,5p' a.c'); a quote then ends a
// string only where Python would go on after it.
enum class PythonQuotes { escaped, nested };

// What ast.literal_eval() reads, as json.dumps() writes it, and what models write besides: JSON's words, line breaks in strings, numbers
// that begin with zeros. Sets are lists, bytes are text, keys of dictionaries are strings.
class PythonReader : public CallReader {
 public:
  explicit PythonReader(std::string_view text, PythonQuotes quotes = PythonQuotes::escaped) : CallReader(text), m_quotes(quotes) {}

  // Appends the value as JSON. `depth` limits the nesting.
  bool value(std::string& json, int depth = 0);
  bool taken(std::string_view expected) {
    skipSpace();
    return take(expected);
  }
  // After an element: a comma, or nothing if the closing bracket follows.
  bool separated(std::string_view close) { return taken(",") || rest().starts_with(close); }

 private:
  bool elements(std::string& json, std::string_view close, int depth, bool first = true);
  bool parentheses(std::string& json, int depth);
  bool braces(std::string& json, int depth);
  [[nodiscard]] std::size_t lengthOfPrefix() const;
  bool strings(std::string& json);
  bool string(std::string& text, std::string_view prefix);
  [[nodiscard]] bool ends(std::string_view quote) const;
  bool escape(std::string& text, bool bytes);
  bool octal(std::string& text, bool bytes);
  bool code(std::string& text, std::size_t digits);
  bool hex(std::size_t digits, std::uint32_t& value);
  bool number(std::string& json);
  bool word(std::string& json);

  PythonQuotes m_quotes;
};

}  // namespace minerva::text::calls
