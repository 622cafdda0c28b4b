#include "core/grammar/char_set.h"

#include "core/base/utf8.h"

#include <algorithm>

namespace minerva::grammar {
namespace {

constexpr char32_t firstSurrogate = 0xD800, lastSurrogate = 0xDFFF, lastCharacter = 0x10FFFF;

}  // namespace

CharSet CharSet::of(std::string_view characters) {
  CharSet set;
  for (std::size_t at = 0; at < characters.size();) {
    const utf8::Decoded c = utf8::decode(characters, at);
    set.add(c.codePoint, c.codePoint);
    at += c.length;
  }
  return set;
}

void CharSet::add(char32_t first, char32_t last) {
  last = std::min(last, lastCharacter);
  if (first > last) return;
  if (first <= lastSurrogate && last >= firstSurrogate) {
    if (first < firstSurrogate) add(first, firstSurrogate - 1);
    if (last > lastSurrogate) add(lastSurrogate + 1, last);
    return;
  }
  // The ranges that overlap or touch the new one become one with it.
  const auto begin = std::ranges::find_if(m_ranges, [&](const Range& r) { return r.last + 1 >= first; });
  auto end = begin;
  for (; end != m_ranges.end() && end->first <= last + 1; ++end) {
    first = std::min(first, end->first);
    last = std::max(last, end->last);
  }
  m_ranges.insert(m_ranges.erase(begin, end), {first, last});
}

void CharSet::add(const CharSet& other) {
  for (const Range& r : other.m_ranges) add(r.first, r.last);
}

CharSet CharSet::complement() const {
  CharSet out;
  char32_t next = 0;
  for (const Range& r : m_ranges) {
    if (r.first > next) out.add(next, r.first - 1);
    next = r.last + 1;
  }
  out.add(next, lastCharacter);
  return out;
}

CharSet CharSet::without(const CharSet& other) const {
  CharSet out;
  for (Range r : m_ranges) {
    for (const Range& hole : other.m_ranges) {
      if (hole.last < r.first || hole.first > r.last) continue;
      if (hole.first > r.first) out.add(r.first, hole.first - 1);
      r.first = hole.last + 1;
      if (r.first > r.last) break;
    }
    if (r.first <= r.last) out.add(r.first, r.last);
  }
  return out;
}

bool CharSet::containsAll(char32_t first, char32_t last) const {
  const auto found = std::ranges::partition_point(m_ranges, [&](const Range& r) { return r.last < first; });
  return found != m_ranges.end() && found->first <= first && found->last >= last;
}

bool CharSet::meets(char32_t first, char32_t last) const {
  const auto found = std::ranges::partition_point(m_ranges, [&](const Range& r) { return r.last < first; });
  return found != m_ranges.end() && found->first <= last;
}

}  // namespace minerva::grammar
