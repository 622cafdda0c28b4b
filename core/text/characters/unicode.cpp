#include "core/text/characters/unicode.h"

#include <utf8proc.h>

#include <memory>

namespace minerva::text::unicode {

std::uint8_t computeEntry(char32_t c) {
  if (c > 0x10FFFF) return 0;
  const utf8proc_property_t* property = utf8proc_get_property(static_cast<utf8proc_int32_t>(c));
  auto result = static_cast<std::uint8_t>(property->category & 31);
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
  const bool circled = (c >= 0x24B6 && c <= 0x24E9) || (c >= 0x1F130 && c <= 0x1F149) || (c >= 0x1F150 && c <= 0x1F169) ||
                       (c >= 0x1F170 && c <= 0x1F189);  // Other_Alphabetic symbols
  return circled || c == 0x200C || c == 0x200D;
}

}  // namespace minerva::text::unicode
