// Searching text for markers that may be cut off at its end, and for the end of calls that have none.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace minerva::text {

inline constexpr std::string_view whiteSpace = " \t\r\n";
inline constexpr std::string_view betweenCalls = " \t\r\n;";  // Llama 3 separates calls by semicolons

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

// Length of the text up to the bracket that closes the first one; brackets in strings do not count. npos if it is not closed.
inline std::size_t lengthOfBrackets(std::string_view text) {
  char quote = '\0';
  std::size_t depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != '\0') {
      if (c == '\\') ++i;
      else if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '{' || c == '[' || c == '(') {
      ++depth;
    } else if ((c == '}' || c == ']' || c == ')') && --depth == 0) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

}  // namespace minerva::text
