// One field of a format, in either of Python's formatting languages.
#pragma once

#include "core/text/template/value/value.h"

#include <string>
#include <string_view>

namespace minerva::text::jinja {

struct FormatSpec {
  char fill = ' ';
  char align = '\0';  // < > ^ =
  char sign = '-';
  bool alternate = false;
  bool comma = false;
  char separator = ',';
  std::size_t width = 0;
  int precision = -1;
  char type = '\0';
};

inline constexpr std::size_t widestField = 1u << 20;  // in characters

[[nodiscard]] inline bool isFormatDigit(char c) { return c >= '0' && c <= '9'; }
// Reads digits from `at` on, which moves behind them. Raises the limit of widestField.
[[nodiscard]] std::size_t readFormatNumber(std::string_view text, std::size_t& at);
[[nodiscard]] std::string pad(const std::string& text, const FormatSpec& spec, char defaultAlign);
[[nodiscard]] std::string formatInteger(Int value, const FormatSpec& spec);
[[nodiscard]] std::string formatReal(double value, const FormatSpec& spec);

}  // namespace minerva::text::jinja
