// Reads the characters of a set byte by byte.
//
// The bytes of a character read so far are one number: 0 for none; otherwise the bytes that are missing, the length of the character
// and the value so far. Where any continuation gives a character of the set, the value does not matter and is left out, so that
// different beginnings are the same number.
#pragma once

#include "core/grammar/grammar.h"

#include <algorithm>
#include <cstdint>

namespace minerva::grammar {

struct Utf8Step {
  enum class Result { no, more, character } result = Result::no;
  std::uint32_t partial = 0;  // with `more`
};

namespace utf8_step {

inline constexpr std::uint32_t any = 1U << 23;

[[nodiscard]] inline Utf8Step narrowed(const ProgramSet& set, std::uint32_t missing, std::uint32_t length, std::uint32_t value) {
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const char32_t first = value << (6 * missing), last = first + (1U << (6 * missing)) - 1;
  if (first >= least[length] && set.set.containsAll(first, last)) return {Utf8Step::Result::more, missing << 28 | any};
  if (last < least[length] || !set.set.meets(std::max(first, least[length]), last)) return {};
  return {Utf8Step::Result::more, missing << 28 | length << 24 | value};
}

}  // namespace utf8_step

[[nodiscard]] inline Utf8Step step(const ProgramSet& set, std::uint32_t partial, unsigned char byte) {
  using Result = Utf8Step::Result;
  if (partial == 0) {
    if (byte < 0x80) return {set.hasAscii(byte) ? Result::character : Result::no, 0};
    if (set.beyond == ProgramSet::Beyond::none || byte < 0xC2 || byte > 0xF4) return {};
    const std::uint32_t length = byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    return utf8_step::narrowed(set, length - 1, length, byte & (0x7FU >> length));
  }
  if ((byte & 0xC0) != 0x80) return {};
  const std::uint32_t missing = (partial >> 28) - 1, length = partial >> 24 & 15;
  if ((partial & utf8_step::any) != 0) return {missing == 0 ? Result::character : Result::more, missing << 28 | utf8_step::any};
  const std::uint32_t value = (partial & (utf8_step::any - 1)) << 6 | (byte & 0x3FU);
  if (missing > 0) return utf8_step::narrowed(set, missing, length, value);
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  return {value >= least[length] && set.set.contains(value) ? Result::character : Result::no, 0};
}

}  // namespace minerva::grammar
