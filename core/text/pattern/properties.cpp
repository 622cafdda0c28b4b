#define PCRE2_CODE_UNIT_WIDTH 8
#include "core/text/pattern/properties.h"

#include "core/text/characters/later_characters.h"
#include "core/text/characters/unicode.h"

#include <pcre2.h>

#include <algorithm>

namespace minerva::text {
namespace {

using unicode::LaterCharacters;

constexpr std::string_view spaceMembers = R"(\x09-\x0D\x20\x{85}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000})";
// Oniguruma has these numbers (², ³, ¹, fractions) as word characters outside brackets only.
constexpr std::string_view numbersOutsideBrackets = R"(\x{B2}\x{B3}\x{B9}\x{BC}-\x{BE})";
constexpr std::string_view hexMembers = "0-9a-fA-F";

struct GeneralCategory {
  std::string_view name, longName;  // in small letters and without underscores
  unicode::CategoryMask mask;
  std::string_view pcre2Name;
};
using unicode::bit;
constexpr unicode::CategoryMask unassigned = bit(0), controls = bit(26),
                                nonCharacters = unassigned | controls | bit(27) | bit(28) | bit(29);
constexpr unicode::CategoryMask separators = bit(23) | bit(24) | bit(25);
constexpr unicode::CategoryMask everyCategory = bit(30) - 1;
constexpr GeneralCategory generalCategories[] = {
    {"l", "letter", unicode::letter, "L"},
    {"lc", "casedletter", unicode::upper | unicode::lower | unicode::title, "L&"},
    {"lu", "uppercaseletter", unicode::upper, "Lu"},
    {"ll", "lowercaseletter", unicode::lower, "Ll"},
    {"lt", "titlecaseletter", unicode::title, "Lt"},
    {"lm", "modifierletter", unicode::modifierLetter, "Lm"},
    {"lo", "otherletter", unicode::otherLetter, "Lo"},
    {"m", "mark", unicode::mark, "M"},
    {"m", "combiningmark", unicode::mark, "M"},
    {"mn", "nonspacingmark", bit(6), "Mn"},
    {"mc", "spacingmark", bit(7), "Mc"},
    {"me", "enclosingmark", bit(8), "Me"},
    {"n", "number", unicode::number, "N"},
    {"nd", "decimalnumber", unicode::decimal, "Nd"},
    {"nl", "letternumber", unicode::letterNumber, "Nl"},
    {"no", "othernumber", bit(11), "No"},
    {"p", "punctuation", unicode::punctuation, "P"},
    {"p", "punct", unicode::punctuation, "P"},
    {"pc", "connectorpunctuation", unicode::connector, "Pc"},
    {"pd", "dashpunctuation", bit(13), "Pd"},
    {"ps", "openpunctuation", bit(14), "Ps"},
    {"pe", "closepunctuation", bit(15), "Pe"},
    {"pi", "initialpunctuation", bit(16), "Pi"},
    {"pf", "finalpunctuation", bit(17), "Pf"},
    {"po", "otherpunctuation", bit(18), "Po"},
    {"s", "symbol", unicode::symbol, "S"},
    {"sm", "mathsymbol", bit(19), "Sm"},
    {"sc", "currencysymbol", bit(20), "Sc"},
    {"sk", "modifiersymbol", bit(21), "Sk"},
    {"so", "othersymbol", bit(22), "So"},
    {"z", "separator", separators, "Z"},
    {"zs", "spaceseparator", bit(23), "Zs"},
    {"zl", "lineseparator", bit(24), "Zl"},
    {"zp", "paragraphseparator", bit(25), "Zp"},
    {"c", "other", nonCharacters, "C"},
    {"cc", "control", controls, "Cc"},
    {"cf", "format", bit(27), "Cf"},
    {"cn", "unassigned", unassigned, "Cn"},
    {"co", "privateuse", bit(29), "Co"},
    {"cs", "surrogate", bit(28), "Cs"},
    {"any", "any", everyCategory, "Any"},
    {"assigned", "assigned", everyCategory & ~unassigned, "Any"},
};

std::string memberRange(char32_t first, char32_t last) {
  return first == last ? characterInPattern(first) : characterInPattern(first) + "-" + characterInPattern(last);
}

// Those of the characters that PCRE2 may not know which satisfy `test`.
template <class Test>
std::string laterMembers(Test test) {
  std::string out;
  const LaterCharacters* open = nullptr;  // the first row of a stretch that ends with `last`
  char32_t last = 0;
  for (const LaterCharacters& row : unicode::laterCharacters()) {
    if (!test(row)) continue;
    if (open == nullptr || row.first != last + 1) {
      if (open != nullptr) out += memberRange(open->first, last);
      open = &row;
    }
    last = row.last;
  }
  return open == nullptr ? out : out + memberRange(open->first, last);
}

// PCRE2 may take later characters for unassigned ones, so unassigned are those in no other category.
CharacterSet categorySet(unicode::CategoryMask mask) {
  const bool inverted = (mask & unassigned) != 0;
  if (inverted) mask = everyCategory & ~mask;
  if (mask == 0) return {"\\p{Any}", !inverted};
  CharacterSet out{"", inverted};
  unicode::CategoryMask left = mask;
  for (const GeneralCategory& row : generalCategories) {  // those of one letter contain the others, and come before them
    if (row.mask == nonCharacters || (row.mask & left) != row.mask) continue;
    out.members += "\\p{" + std::string(row.pcre2Name) + "}";
    left &= ~row.mask;
  }
  out.members += laterMembers([mask](const LaterCharacters& row) { return (mask & bit(row.category)) != 0; });
  return out;
}

std::string wordMembers() {
  using namespace unicode;
  std::string out = categorySet(letter | mark | decimal | letterNumber | connector).members;
  for (const auto& symbols : alphabeticSymbols) out += memberRange(symbols[0], symbols[1]);
  return out;
}

// Oniguruma disregards case, spaces, hyphens and underscores.
std::string normalizedName(std::string_view name) {
  std::string out;
  for (const char c : name)
    if (c != ' ' && c != '-' && c != '_') out += c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  return out;
}

bool pcre2Knows(const std::string& pattern) {
  int code = 0;
  PCRE2_SIZE offset = 0;
  pcre2_code* const made = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(), PCRE2_UTF, &code, &offset, nullptr);
  pcre2_code_free(made);
  return made != nullptr;
}

// A script's name by itself means, to PCRE2 from 10.40 on, also the characters that are used with it, such as the full stop of Chinese with
// Han; "sc:" before it means those of the script alone. Older versions know neither.
std::optional<CharacterSet> scriptNamed(std::string_view name) {
  const bool isName = std::ranges::all_of(name, [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; });
  if (!isName) return std::nullopt;
  const std::string normalized = normalizedName(name);
  CharacterSet out;
  if (const std::string known = "\\p{sc:" + std::string(name) + "}"; pcre2Knows(known)) out.members = known;
  out.members += laterMembers([&](const LaterCharacters& row) { return normalizedName(row.script) == normalized; });
  return out.members.empty() ? std::nullopt : std::optional(out);
}

std::string alphabeticMembers() {
  return R"(\p{Alphabetic})" + laterMembers([](const LaterCharacters& row) { return row.alphabetic; });
}

}  // namespace

std::string characterInPattern(char32_t c) {
  std::string digits;
  for (; c != 0; c >>= 4) digits.insert(digits.begin(), "0123456789ABCDEF"[c & 15]);
  return "\\x{" + digits + "}";
}

CharacterSet shorthandNamed(char letter, bool inBrackets) {
  const bool inverted = letter >= 'A' && letter <= 'Z';
  switch (letter | 0x20) {
    case 'd': return {categorySet(unicode::decimal).members, inverted};
    case 'h': return {std::string(hexMembers), inverted};
    case 's': return {std::string(spaceMembers), inverted};
    case 'w': return {wordMembers() + std::string(inBrackets ? "" : numbersOutsideBrackets), inverted};
    default: return {};
  }
}

std::optional<CharacterSet> posixClassNamed(std::string_view name) {
  using namespace unicode;
  const auto isVisible = letter | mark | number | punctuation | symbol | bit(27) | bit(29);
  if (name == "alpha") return CharacterSet{alphabeticMembers()};
  if (name == "alnum") return CharacterSet{alphabeticMembers() + categorySet(decimal).members};
  if (name == "ascii") return CharacterSet{R"(\x00-\x7F)"};
  if (name == "blank") return CharacterSet{R"(\p{Zs}\x09)"};
  if (name == "cntrl") return categorySet(controls);
  if (name == "digit") return categorySet(decimal);
  if (name == "graph") return categorySet(isVisible);
  if (name == "lower") return CharacterSet{R"(\p{Lowercase})" + laterMembers([](const LaterCharacters& row) { return row.lowercase; })};
  if (name == "print") return categorySet(isVisible | bit(23));
  if (name == "punct") return categorySet(punctuation | symbol);
  if (name == "space") return CharacterSet{std::string(spaceMembers)};
  if (name == "upper")
    return CharacterSet{R"(\p{Uppercase})" + laterMembers([](const LaterCharacters& row) { return (bit(row.category) & upper) != 0; })};
  if (name == "word") return CharacterSet{wordMembers()};
  if (name == "xdigit") return CharacterSet{std::string(hexMembers)};
  return std::nullopt;
}

std::optional<CharacterSet> propertyNamed(std::string_view name) {
  const std::string normalized = normalizedName(name);
  for (const GeneralCategory& row : generalCategories)
    if (row.name == normalized || row.longName == normalized) return categorySet(row.mask);
  if (normalized == "word") return shorthandNamed('w', false);
  if (normalized == "alphabetic") return posixClassNamed("alpha");
  if (normalized == "lowercase" || normalized == "uppercase") return posixClassNamed(normalized.substr(0, 5));
  if (auto posix = posixClassNamed(normalized)) return posix;
  return scriptNamed(name);
}

}  // namespace minerva::text
