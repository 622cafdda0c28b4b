// Searching text for markers that may be cut off at its end, and for the end of calls that have none.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace minerva::text {

inline constexpr std::string_view whiteSpace = " \t\r\n";
inline constexpr std::string_view betweenCalls = " \t\r\n;";  // Llama 3 separates calls by semicolons

inline constexpr std::string_view betweenCallsInText = " \t\r\n;,";  // where something else closes them, models write commas as well

// Length of the longest suffix of `text` that is a proper prefix of `marker`.
inline std::size_t beginningAtEnd(std::string_view text, std::string_view marker) {
  if (marker.empty()) return 0;
  for (std::size_t length = std::min(text.size(), marker.size() - 1); length > 0; --length)
    if (text.ends_with(marker.substr(0, length))) return length;
  return 0;
}

inline std::string_view withoutSpaceAtEnd(std::string_view text) {
  const std::size_t last = text.find_last_not_of(whiteSpace);
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

inline bool beginsWithPartOf(std::string_view text, std::string_view whole) {
  return text.size() < whole.size() && whole.starts_with(text);
}

// Where the string of JSON or Python ends whose quote is at this place; npos if it does not. Three quotes open a string of Python that
// three close.
inline std::size_t endOfString(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const bool three = text.size() - at > 2 && text[at + 1] == quote && text[at + 2] == quote;
  const std::size_t length = three ? 3 : 1;
  for (std::size_t i = at + length; i < text.size(); ++i) {
    if (text[i] == '\\') ++i;
    else if (text[i] == quote && (!three || text.substr(i + 1).starts_with(text.substr(at + 1, 2)))) return i + length;
  }
  return std::string_view::npos;
}

inline bool endsInString(std::string_view text) {
  constexpr std::string_view quotes = "\"'";
  std::size_t at = text.find_first_of(quotes);
  while (at != std::string_view::npos) {
    at = endOfString(text, at);
    if (at == std::string_view::npos) return true;
    at = text.find_first_of(quotes, at);
  }
  return false;
}

// Length of the text up to the bracket that closes the first one; brackets in strings do not count. npos if it is not closed.
inline std::size_t lengthOfBrackets(std::string_view text) {
  std::size_t depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      const std::size_t end = endOfString(text, i);
      if (end == std::string_view::npos) return end;
      i = end - 1;
    } else if (c == '{' || c == '[' || c == '(') {
      ++depth;
    } else if ((c == '}' || c == ']' || c == ')') && --depth == 0) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

}  // namespace minerva::text
