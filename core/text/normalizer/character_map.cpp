#include "core/text/normalizer/character_map.h"

#include <algorithm>

namespace minerva::text {
namespace {

// The fields of a unit of the double array. The unit of a leaf holds a value.
bool hasLeaf(std::uint32_t unit) { return (unit >> 8 & 1) != 0; }
std::uint32_t valueOf(std::uint32_t unit) { return unit & 0x7FFF'FFFF; }
std::uint32_t labelOf(std::uint32_t unit) { return unit & 0x8000'00FF; }
std::uint32_t offsetOf(std::uint32_t unit) { return unit >> 10 << ((unit & 0x200) >> 6); }

// The longest real replacement (U+FDFA under NFKC) has 33 bytes. The limit keeps damaged tables from expanding a prompt to
// gigabytes.
constexpr std::size_t longestReplacement = 1024;

std::uint32_t littleEndian(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << 8 * i;
  return value;
}

}  // namespace

Result<CharacterMap> CharacterMap::fromBytes(std::string_view bytes) {
  CharacterMap made;
  if (bytes.empty()) return made;
  const std::size_t trieBytes = bytes.size() < 4 ? SIZE_MAX : littleEndian(bytes, 0);
  if (trieBytes > bytes.size() - 4 || trieBytes % 4 != 0 || trieBytes == 0)
    return fail({ErrorKind::corrupt, "the tokenizer's normalization table is damaged", "precompiled_charsmap",
                 "a table within " + std::to_string(bytes.size()) + " bytes",
                 bytes.size() < 4 ? "no size" : std::to_string(trieBytes) + " bytes", ""});
  made.m_units.reserve(trieBytes / 4);
  for (std::size_t at = 4; at < 4 + trieBytes; at += 4) made.m_units.push_back(littleEndian(bytes, at));
  made.m_replacements = bytes.substr(4 + trieBytes);
  return made;
}

std::optional<CharacterMap::Rule> CharacterMap::find(std::string_view text, bool longest) const {
  if (m_units.empty()) return std::nullopt;
  std::optional<Rule> found;
  std::size_t node = offsetOf(m_units[0]);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    node ^= byte;
    if (node >= m_units.size() || labelOf(m_units[node]) != byte) break;
    const std::uint32_t unit = m_units[node];
    node ^= offsetOf(unit);
    if (node >= m_units.size()) break;
    if (!hasLeaf(unit)) continue;
    const std::size_t begin = valueOf(m_units[node]);
    if (begin >= m_replacements.size()) continue;
    const std::size_t size = std::min(m_replacements.find('\0', begin), m_replacements.size()) - begin;
    if (size > longestReplacement) continue;
    found = Rule{i + 1, std::string_view(m_replacements).substr(begin, size)};
    if (!longest) break;
  }
  return found;
}

}  // namespace minerva::text
