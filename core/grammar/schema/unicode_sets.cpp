#include "core/grammar/schema/unicode_sets.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace minerva::grammar {
namespace {

constexpr char32_t endOfCharacters = 0x110000;

using NamedCategory = std::pair<std::string_view, std::string_view>;
constexpr std::array<NamedCategory, 15> longNames{{{"Alphabetic", "L"},
                                                   {"Letter", "L"},
                                                   {"Uppercase_Letter", "Lu"},
                                                   {"Uppercase", "Lu"},
                                                   {"Lowercase_Letter", "Ll"},
                                                   {"Lowercase", "Ll"},
                                                   {"Mark", "M"},
                                                   {"Number", "N"},
                                                   {"Decimal_Number", "Nd"},
                                                   {"Punctuation", "P"},
                                                   {"Symbol", "S"},
                                                   {"Currency_Symbol", "Sc"},
                                                   {"Math_Symbol", "Sm"},
                                                   {"Separator", "Z"},
                                                   {"Space_Separator", "Zs"}}};

std::vector<std::pair<char32_t, char32_t>> casePairs() {
  std::vector<std::pair<char32_t, char32_t>> out;
  for (char32_t c = 0; c < endOfCharacters; ++c) {
    const auto code = static_cast<utf8proc_int32_t>(c);
    for (const utf8proc_int32_t other : {utf8proc_tolower(code), utf8proc_toupper(code), utf8proc_totitle(code)}) {
      if (other == code) continue;
      out.emplace_back(c, static_cast<char32_t>(other));
      out.emplace_back(static_cast<char32_t>(other), c);
    }
  }
  return out;
}

}  // namespace

std::optional<CharSet> charactersOfCategory(std::string_view name) {
  for (const std::string_view key : {"General_Category=", "gc="})
    if (name.starts_with(key)) name.remove_prefix(key.size());
  const auto* const named = std::ranges::find(longNames, name, &NamedCategory::first);
  if (named != longNames.end()) name = named->second;
  if (name.empty() || name.size() > 2) return std::nullopt;
  CharSet out;
  char32_t begin = endOfCharacters;  // of the range that goes on
  for (char32_t c = 0; c <= endOfCharacters; ++c) {
    const bool isIn = c < endOfCharacters && std::string_view(utf8proc_category_string(static_cast<utf8proc_int32_t>(c))).starts_with(name);
    if (isIn && begin == endOfCharacters) begin = c;
    if (isIn || begin == endOfCharacters) continue;
    out.add(begin, c - 1);
    begin = endOfCharacters;
  }
  return out.empty() ? std::nullopt : std::optional(out);
}

CharSet inAnyCase(CharSet set) {
  static const std::vector<std::pair<char32_t, char32_t>> pairs = casePairs();
  CharSet more;
  for (const auto& [c, other] : pairs)
    if (set.contains(c)) more.add(other, other);
  set.add(more);
  return set;
}

}  // namespace minerva::grammar
