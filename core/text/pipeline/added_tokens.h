// Extracts added tokens from a text before it is split into words: control tokens and tokens added by users.
//
// Matching is leftmost-longest, like Hugging Face's AddedVocabulary: first the tokens matched in the original text, then, in
// the normalized remainder, those marked `normalized`. Immutable after construction, thread-safe.
#pragma once

#include "core/text/vocabulary/token_trie.h"
#include "core/text/vocabulary/vocabulary.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace minerva::text {

inline constexpr std::size_t longestAddedToken = 1024;  // bytes; bounds the bytes compared per position of a text

struct AddedToken {
  TokenId id = noToken;
  std::string text;
  bool special = false;       // matched only if parseSpecial is set
  bool singleWord = false;    // matched only if no word character is adjacent
  bool stripsLeft = false;    // includes the white space before it
  bool stripsRight = false;   // includes the white space after it
  bool normalized = false;    // its normalized form is matched in the normalized text
  TokenId follows = noToken;  // matched only directly behind this token, unless it is noToken
};

// A range of text: a token, or text still to be encoded if id == noToken.
struct TextPart {
  std::size_t begin = 0, end = 0;
  TokenId id = noToken;
};

class AddedTokens {
 public:
  AddedTokens() = default;
  // normalize must return the normalized form of a token's text.
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
