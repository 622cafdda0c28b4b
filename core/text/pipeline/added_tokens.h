// Tokens that are cut out of a text before it is split into words: control tokens, and what a user added.
//
// Matching is leftmost-longest, as Hugging Face's AddedVocabulary: first the tokens matched in the text as given, then, in
// what is left and after normalizing it, those marked `normalized`. Immutable after construction, thread-safe.
#pragma once

#include "core/text/vocabulary/token_trie.h"
#include "core/text/vocabulary/vocabulary.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace minerva::text {

inline constexpr std::size_t longestAddedToken = 1024;  // each place of a text may be compared with so many bytes

struct AddedToken {
  TokenId id = noToken;
  std::string text;
  bool special = false;      // matched only where control tokens are parsed
  bool singleWord = false;   // only where no word character stands beside it
  bool stripsLeft = false;   // takes the white space before it along
  bool stripsRight = false;  // and after it
  bool normalized = false;   // matched in the normalized text, by its normalized self
};

// A stretch of text: a token, or (id == noToken) text still to be encoded.
struct TextPart {
  std::size_t begin = 0, end = 0;
  TokenId id = noToken;
};

class AddedTokens {
 public:
  AddedTokens() = default;
  // normalize gives the normalized form of a token's text.
  AddedTokens(std::vector<AddedToken> tokens, const std::function<std::string(std::string_view)>& normalize);

  [[nodiscard]] std::vector<TextPart> splitRaw(std::string_view text, bool parseSpecial) const { return split(m_raw, text, parseSpecial); }
  [[nodiscard]] std::vector<TextPart> splitNormalized(std::string_view text, bool parseSpecial) const {
    return split(m_normalized, text, parseSpecial);
  }
  [[nodiscard]] bool anyNormalized() const { return !m_normalized.empty(); }

 private:
  [[nodiscard]] std::vector<TextPart> split(const TokenTrie& trie, std::string_view text, bool parseSpecial) const;

  std::vector<AddedToken> m_tokens;
  TokenTrie m_raw, m_normalized;  // values are indices of m_tokens
};

}  // namespace minerva::text
