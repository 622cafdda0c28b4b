#include "core/text/template/value/format_spec.h"

#include "core/text/template/value/operations.h"
#include "core/text/template/value/python_text.h"
#include "core/text/template/value/unicode.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace minerva::text::jinja {
namespace {

std::string inBase(Magnitude value, unsigned base, bool upper) {
  std::string out;
  do {
    const auto d = static_cast<int>(value % base);
    out += static_cast<char>(d < 10 ? '0' + d : (upper ? 'A' : 'a') + d - 10);
    value /= base;
  } while (value != 0);
  std::reverse(out.begin(), out.end());
  return out;
}

std::string group(const std::string& digits, char separator) {
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += separator;
    out += digits[i];
  }
  return out;
}

std::string signOf(bool negative, const FormatSpec& spec) { return negative ? "-" : spec.sign == '+' ? "+" : spec.sign == ' ' ? " " : ""; }

}  // namespace

std::size_t readFormatNumber(std::string_view text, std::size_t& at) {
  std::size_t value = 0;
  for (; at < text.size() && isFormatDigit(text[at]); ++at) {
    value = value * 10 + static_cast<std::size_t>(text[at] - '0');
    if (value > widestField) raiseLimit("a format wider than 1 MiB");
  }
  return value;
}

std::string pad(const std::string& text, const FormatSpec& spec, char defaultAlign) {
  const std::size_t length = unicode::length(text);
  if (length >= spec.width) return text;
  const std::size_t missing = spec.width - length;
  const char align = spec.align ? spec.align : defaultAlign;
  if (align == '<') return text + std::string(missing, spec.fill);
  if (align == '^') return std::string(missing / 2, spec.fill) + text + std::string(missing - missing / 2, spec.fill);
  if (align == '=') {
    const std::size_t sign = !text.empty() && (text[0] == '-' || text[0] == '+' || text[0] == ' ') ? 1 : 0;
    return text.substr(0, sign) + std::string(missing, spec.fill) + text.substr(sign);
  }
  return std::string(missing, spec.fill) + text;
}

std::string formatInteger(Int value, const FormatSpec& spec) {
  const bool negative = value < 0;
  const Magnitude size = magnitude(value);
  std::string digits;
  switch (spec.type) {
    case 'x':
      digits = inBase(size, 16, false);
      if (spec.alternate) digits = "0x" + digits;
      break;
    case 'X':
      digits = inBase(size, 16, true);
      if (spec.alternate) digits = "0X" + digits;
      break;
    case 'o':
      digits = inBase(size, 8, false);
      if (spec.alternate) digits = "0o" + digits;
      break;
    case 'b':
      digits = inBase(size, 2, false);
      if (spec.alternate) digits = "0b" + digits;
      break;
    default: digits = inBase(size, 10, false);
  }
  if (spec.precision > 0 && digits.size() < static_cast<std::size_t>(spec.precision))
    digits.insert(0, static_cast<std::size_t>(spec.precision) - digits.size(), '0');
  if (spec.comma) digits = group(digits, spec.separator);
  return signOf(negative, spec) + digits;
}

std::string formatReal(double value, const FormatSpec& spec) {
  const std::string sign = signOf(std::signbit(value) && !std::isnan(value), spec);
  value = std::fabs(value);
  const bool percent = spec.type == '%';
  const char type = percent ? 'f' : spec.type;
  if (std::isnan(value) || std::isinf(value)) {
    const bool upper = type == 'F' || type == 'E' || type == 'G';
    return sign + (std::isnan(value) ? (upper ? "NAN" : "nan") : (upper ? "INF" : "inf")) + (percent ? "%" : "");
  }
  if (!type && spec.precision < 0) {
    std::string text = realText(value);
    const std::size_t point = std::min(text.find('.'), text.size());
    return sign + (spec.comma ? group(text.substr(0, point), spec.separator) + text.substr(point) : text);
  }
  if (spec.precision > 2000) raiseLimit("a precision of more than 2000 digits");
  const std::string conversion = std::string(spec.alternate ? "%#.*" : "%.*") + (type ? type : 'g');
  char buffer[2500];
  std::snprintf(buffer, sizeof buffer, conversion.c_str(), spec.precision < 0 ? 6 : spec.precision, percent ? value * 100 : value);
  std::string digits = buffer;
  if (spec.comma) {
    const std::size_t point = std::min(digits.find_first_of(".e"), digits.size());
    digits = group(digits.substr(0, point), spec.separator) + digits.substr(point);
  }
  return sign + digits + (percent ? "%" : "");
}

}  // namespace minerva::text::jinja
