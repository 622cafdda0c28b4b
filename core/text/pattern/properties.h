// The sets of characters that Oniguruma's patterns name, in PCRE2's syntax and as of Unicode 16, whichever version PCRE2 is of.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace minerva::text {

struct CharacterSet {
  std::string members;    // between brackets
  bool inverted = false;  // all other characters
};

// \p{...}: a general category, a script or one of POSIX's classes. nullopt: PCRE2 may know it.
[[nodiscard]] std::optional<CharacterSet> propertyNamed(std::string_view name);
// [:...:]. nullopt: there is no such class.
[[nodiscard]] std::optional<CharacterSet> posixClassNamed(std::string_view name);
// The letter of \d, \h, \s or \w; of \D, \H, \S or \W inverted. Empty for others. \w has some more characters outside of brackets.
[[nodiscard]] CharacterSet shorthandNamed(char letter, bool inBrackets);

[[nodiscard]] std::string characterInPattern(char32_t c);

}  // namespace minerva::text
