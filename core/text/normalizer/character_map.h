// The precompiled normalization rules of sentencepiece: maps substrings to replacements.
//
// Format (sentencepiece, normalizer.cc; Darts-clone's double array): u32 size of the trie in bytes, its units as u32, then
// the replacements, each ended by a zero byte; all little endian. Immutable, thread-safe; owns its bytes.
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace minerva::text {

class CharacterMap {
 public:
  // Empty bytes: no rules. Errors: corrupt (inconsistent sizes). Offsets inside the table are validated on use.
  [[nodiscard]] static Result<CharacterMap> fromBytes(std::string_view bytes);

  struct Rule {
    std::size_t length = 0;  // of the text that is replaced
    std::string_view replacement;
  };
  // The longest rule that matches at pos.
  [[nodiscard]] std::optional<Rule> longestAt(std::string_view text, std::size_t pos) const { return find(text.substr(pos), true); }
  // The shortest rule that matches at the start of `text`.
  [[nodiscard]] std::optional<Rule> shortestAt(std::string_view text) const { return find(text, false); }
  [[nodiscard]] bool empty() const { return m_units.empty(); }

 private:
  [[nodiscard]] std::optional<Rule> find(std::string_view text, bool longest) const;
  std::vector<std::uint32_t> m_units;
  std::string m_replacements;
};

}  // namespace minerva::text
