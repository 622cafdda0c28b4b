#include "core/text/characters/unicode.h"

#include "core/text/characters/later_characters.h"

#include <utf8proc.h>

#include <algorithm>
#include <memory>

namespace minerva::text::unicode {

namespace {

// Null if Unicode 14 has the character with the same properties, or Unicode 16 has it not either.
const LaterCharacters* laterAt(char32_t c) {
  const auto rows = laterCharacters();
  const auto row = std::ranges::lower_bound(rows, c, {}, &LaterCharacters::last);
  return row == rows.end() || c < row->first ? nullptr : &*row;
}

}  // namespace

std::uint8_t computeEntry(char32_t c) {
  if (c > 0x10FFFF) return 0;
  const utf8proc_property_t* property = utf8proc_get_property(static_cast<utf8proc_int32_t>(c));
  const LaterCharacters* later = laterAt(c);
  auto result = later != nullptr ? later->category : static_cast<std::uint8_t>(property->category & 31);
  if ((c >= 0x09 && c <= 0x0D) || c == 0x85) result = 30;
  const bool isMark = (bit(result & 31) & mark) != 0;
  const bool isJamo = c >= 0x1160 && c <= 0x11FF;
  const bool decomposes = c >= 0x300 && property->decomp_seqindex != UINT16_MAX && property->decomp_type == 0;
  if (isMark || isJamo || decomposes || property->combining_class != 0) result |= 0x80;
  return result;
}

const Table& table() {
  static const std::unique_ptr<const Table> made = [] {
    auto fresh = std::make_unique<Table>();
    for (char32_t c = 0; c < Table::size; ++c) fresh->category[c] = computeEntry(c);
    return fresh;
  }();
  return *made;
}

bool isWord(char32_t c) {
  if (is(c, letter | mark | decimal | letterNumber | connector)) return true;
  const bool isSymbol = std::ranges::any_of(alphabeticSymbols, [c](const auto& symbols) { return c >= symbols[0] && c <= symbols[1]; });
  return isSymbol || c == 0x200C || c == 0x200D;
}

}  // namespace minerva::text::unicode
