// Characters that Unicode 15 to 16 added to Unicode 14, or gave other properties. libutf8proc and PCRE2 may be of any version from 14 on;
// with these, categories and scripts are the same everywhere, those of Hugging Face's tokenizers 0.23. Made by make_later_characters.mjs.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace minerva::text::unicode {

struct LaterCharacters {
  char32_t first = 0, last = 0;
  std::uint8_t category = 0;  // as libutf8proc numbers them
  bool alphabetic = false;
  bool lowercase = false;
  std::string_view script;  // Unicode's long name
};
// In ascending order.
[[nodiscard]] std::span<const LaterCharacters> laterCharacters();

}  // namespace minerva::text::unicode
