// Properties of characters that tokenizers need, as of Unicode 16: general category, white space, word character, whether NFC could
// change it.
//
// Planes 0 to 3 use a table of one byte per code point, built from libutf8proc and later_characters on first use (thread-safe); these are
// queried directly for higher planes.
#pragma once

#include "core/base/utf8.h"

#include <cstdint>
#include <string_view>

namespace minerva::text::unicode {

// Bit n stands for general category n as numbered by libutf8proc; bit 30 for control characters that are white space.
using CategoryMask = std::uint32_t;
inline constexpr CategoryMask bit(int category) { return CategoryMask{1} << category; }
inline constexpr CategoryMask upper = bit(1), lower = bit(2), title = bit(3), modifierLetter = bit(4), otherLetter = bit(5);
inline constexpr CategoryMask letter = upper | lower | title | modifierLetter | otherLetter;
inline constexpr CategoryMask mark = bit(6) | bit(7) | bit(8);
inline constexpr CategoryMask decimal = bit(9), letterNumber = bit(10);
inline constexpr CategoryMask number = decimal | letterNumber | bit(11);
inline constexpr CategoryMask connector = bit(12);
inline constexpr CategoryMask punctuation = connector | bit(13) | bit(14) | bit(15) | bit(16) | bit(17) | bit(18);
inline constexpr CategoryMask symbol = bit(19) | bit(20) | bit(21) | bit(22);
inline constexpr CategoryMask spaceControl = bit(30);
inline constexpr CategoryMask space = bit(23) | bit(24) | bit(25) | spaceControl;  // White_Space

struct Table {
  static constexpr char32_t size = 0x32400;
  std::uint8_t category[size];  // low 5 bits: category; 0x80: NFC may change a text near this character
};
[[nodiscard]] const Table& table();
[[nodiscard]] std::uint8_t computeEntry(char32_t c);

[[nodiscard]] inline std::uint8_t entry(const Table& table, char32_t c) { return c < Table::size ? table.category[c] : computeEntry(c); }
// The category of a character as a mask with one bit set.
[[nodiscard]] inline CategoryMask maskOf(const Table& table, char32_t c) { return bit(entry(table, c) & 31); }
[[nodiscard]] inline CategoryMask maskOf(char32_t c) { return maskOf(table(), c); }
[[nodiscard]] inline bool is(char32_t c, CategoryMask mask) { return (maskOf(c) & mask) != 0; }
[[nodiscard]] inline bool nfcMayChange(const Table& table, char32_t c) { return (entry(table, c) & 0x80) != 0; }

// Symbols that are Alphabetic.
inline constexpr char32_t alphabeticSymbols[][2] = {{0x24B6, 0x24E9}, {0x1F130, 0x1F149}, {0x1F150, 0x1F169}, {0x1F170, 0x1F189}};

// \w as defined by Oniguruma and Rust's regex: Alphabetic, marks, decimal digits, connectors (and joiners).
[[nodiscard]] bool isWord(char32_t c);

}  // namespace minerva::text::unicode
