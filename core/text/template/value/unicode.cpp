#include "core/text/template/value/unicode.h"

#include "core/text/template/value/case_tables.h"

#include <utf8proc.h>

#include <algorithm>
#include <iterator>

namespace minerva::text::jinja::unicode {
namespace {

enum class Case { upper, lower, title };

utf8proc_category_t category(char32_t code) { return utf8proc_category(static_cast<utf8proc_int32_t>(code)); }

template <std::size_t N>
bool inRanges(const Range (&ranges)[N], char32_t code) {
  return std::any_of(std::begin(ranges), std::end(ranges), [code](Range r) { return code >= r.first && code <= r.last; });
}

void appendCase(std::string& text, char32_t code, Case wanted) {
  if (code < 0x80) {
    const char c = static_cast<char>(code);
    if (wanted == Case::lower) text += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    else text += c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    return;
  }
  const auto* special = std::lower_bound(std::begin(specialCases), std::end(specialCases), code,
                                         [](const SpecialCase& row, char32_t c) { return row.code < c; });
  if (special != std::end(specialCases) && special->code == code) {
    text += wanted == Case::upper ? special->upper : wanted == Case::lower ? special->lower : special->title;
    return;
  }
  if (code >= 0xDC80 && code <= 0xDCFF) return append(text, code);
  const auto c = static_cast<utf8proc_int32_t>(code);
  append(text, static_cast<char32_t>(wanted == Case::upper   ? utf8proc_toupper(c)
                                     : wanted == Case::lower ? utf8proc_tolower(c)
                                                             : utf8proc_totitle(c)));
}

bool isCased(char32_t code) { return isUpper(code) || isLower(code) || category(code) == UTF8PROC_CATEGORY_LT; }

bool isCaseIgnorable(char32_t code) {
  switch (category(code)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK: return true;
    default: return code == '\'' || code == '.' || code == ':' || code == 0xB7 || code == 0x2018 || code == 0x2019;
  }
}

// A capital sigma at the end of a word is lowercased to the final form (Unicode's Final_Sigma).
bool isFinalSigma(bool casedBefore, std::string_view text, std::size_t after) {
  if (!casedBefore) return false;
  while (after < text.size()) {
    const char32_t code = decode(text, after);
    if (!isCaseIgnorable(code)) return !isCased(code);
  }
  return true;
}

template <class Choose>  // choose(code, previous character is cased) -> Case
std::string convert(std::string_view text, Choose choose) {
  std::string result;
  result.reserve(text.size());
  bool previousCased = false;
  bool casedBefore = false;  // the same, ignoring case-ignorable characters in between
  for (std::size_t at = 0; at < text.size();) {
    const char32_t code = decode(text, at);
    const Case wanted = choose(code, previousCased);
    if (code == 0x3A3 && wanted == Case::lower) append(result, isFinalSigma(casedBefore, text, at) ? 0x3C2 : 0x3C3);
    else appendCase(result, code, wanted);
    previousCased = code < 0x80 ? ((code | 32) >= 'a' && (code | 32) <= 'z') : isCased(code);
    if (previousCased) casedBefore = true;
    else if (!isCaseIgnorable(code)) casedBefore = false;
  }
  return result;
}

}  // namespace

char32_t decode(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at);
  if (lead < 0x80) return ++at, lead;
  const int extra = lead >= 0xF0 && lead < 0xF5 ? 3 : lead >= 0xE0 && lead < 0xF0 ? 2 : lead >= 0xC2 && lead < 0xE0 ? 1 : 0;
  if (extra > 0 && at + static_cast<std::size_t>(extra) < text.size()) {
    char32_t code = static_cast<char32_t>(lead & (0x3F >> extra));
    bool valid = true;
    for (int i = 1; i <= extra && valid; ++i) {
      const unsigned char next = byte(at + static_cast<std::size_t>(i));
      valid = (next & 0xC0) == 0x80;
      code = (code << 6) | (next & 0x3F);
    }
    static constexpr char32_t smallest[] = {0, 0x80, 0x800, 0x10000};
    valid = valid && code >= smallest[extra] && code <= 0x10FFFF && !(code >= 0xD800 && code <= 0xDFFF);
    if (valid) {
      at += static_cast<std::size_t>(extra) + 1;
      return code;
    }
  }
  ++at;
  return 0xDC00 + lead;
}

char32_t decodeLast(std::string_view text, std::size_t& start) {
  start = text.size() - 1;
  while (start > 0 && text.size() - start < 4 && (static_cast<unsigned char>(text[start]) & 0xC0) == 0x80) --start;
  std::size_t end = start;
  const char32_t code = decode(text, end);
  if (end == text.size()) return code;
  end = start = text.size() - 1;  // not a complete character: the last byte alone
  return decode(text, end);
}

void append(std::string& text, char32_t code) {
  if (code >= 0xDC80 && code <= 0xDCFF) {
    text += static_cast<char>(code - 0xDC00);
    return;
  }
  if (code >= 0xD800 && code <= 0xDFFF) code = 0xFFFD;  // a lone surrogate cannot be encoded in UTF-8
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xC0 | (code >> 6));
    text += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    text += static_cast<char>(0xE0 | (code >> 12));
    text += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    text += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    text += static_cast<char>(0xF0 | (code >> 18));
    text += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    text += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    text += static_cast<char>(0x80 | (code & 0x3F));
  }
}

bool isAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::size_t length(std::string_view text) {
  if (isAscii(text)) return text.size();
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++count) decode(text, at);
  return count;
}

bool isSpace(char32_t c) {
  if (c < 0x80) return (c >= 9 && c <= 13) || (c >= 0x1C && c <= 0x20);
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
         c == 0x205F || c == 0x3000;
}
bool isAlpha(char32_t code) {
  const auto c = category(code);
  return c >= UTF8PROC_CATEGORY_LU && c <= UTF8PROC_CATEGORY_LO;
}
bool isDecimal(char32_t code) { return category(code) == UTF8PROC_CATEGORY_ND; }
bool isDigit(char32_t code) { return isDecimal(code) || inRanges(digitRanges, code); }
bool isNumeric(char32_t code) { return isDigit(code) || inRanges(numericRanges, code); }
bool isWordCharacter(char32_t code) { return code == '_' || isAlpha(code) || isNumeric(code); }
bool isPrintable(char32_t code) {
  if (code < 0x80) return code >= 0x20 && code < 0x7F;
  if (code >= 0xDC80 && code <= 0xDCFF) return false;
  const auto c = category(code);
  return c != UTF8PROC_CATEGORY_CN && c < UTF8PROC_CATEGORY_ZS;
}
bool isUpper(char32_t code) {
  if (code < 0x80) return code >= 'A' && code <= 'Z';
  return category(code) == UTF8PROC_CATEGORY_LU || (code >= 0x2160 && code <= 0x216F) || (code >= 0x24B6 && code <= 0x24CF);
}
bool isLower(char32_t code) {
  if (code < 0x80) return code >= 'a' && code <= 'z';
  return category(code) == UTF8PROC_CATEGORY_LL || code == 0xAA || code == 0xBA || (code >= 0x2170 && code <= 0x217F) ||
         (code >= 0x24D0 && code <= 0x24E9);
}
bool isTitle(char32_t code) { return category(code) == UTF8PROC_CATEGORY_LT; }

std::size_t spaceLength(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t next = at;
    if (!isSpace(decode(text, next))) break;
    at = next;
  }
  return at;
}
std::string_view trimLeft(std::string_view text) { return text.substr(spaceLength(text)); }
std::string_view trimRight(std::string_view text) {
  while (!text.empty()) {
    std::size_t start = 0;
    if (!isSpace(decodeLast(text, start))) break;
    text = text.substr(0, start);
  }
  return text;
}
std::string_view trim(std::string_view text) { return trimRight(trimLeft(text)); }

std::string upper(std::string_view text) {
  return convert(text, [](char32_t, bool) { return Case::upper; });
}
std::string lower(std::string_view text) {
  return convert(text, [](char32_t, bool) { return Case::lower; });
}
std::string casefold(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const char32_t code = decode(text, at);
    utf8proc_int32_t folded[8];
    int boundary = 0;
    const auto count = code < 0x80 || (code >= 0xDC80 && code <= 0xDCFF)
                           ? 0
                           : utf8proc_decompose_char(static_cast<utf8proc_int32_t>(code), folded, 8, UTF8PROC_CASEFOLD, &boundary);
    if (count <= 0 || count > 8) appendCase(result, code, Case::lower);
    else
      for (int i = 0; i < count; ++i) append(result, static_cast<char32_t>(folded[i]));
  }
  return result;
}
std::string title(std::string_view text) {
  return convert(text, [](char32_t, bool cased) { return cased ? Case::lower : Case::title; });
}
std::string capitalize(std::string_view text) {
  return convert(text, [first = true](char32_t, bool) mutable {
    const Case wanted = first ? Case::title : Case::lower;
    first = false;
    return wanted;
  });
}
std::string swapcase(std::string_view text) {
  return convert(text, [](char32_t code, bool) { return isUpper(code) ? Case::lower : isLower(code) ? Case::upper : Case::lower; });
}

}  // namespace minerva::text::jinja::unicode
