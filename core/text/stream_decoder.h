// Streaming detokenizer: turns tokens one by one into displayable text. Emits only complete UTF-8 characters and loses none.
//
// Bytes that can no longer become valid UTF-8 are emitted as U+FFFD (one per maximal subpart, Unicode 3.9 / W3C) as soon as
// that is known; flush() returns what is still pending at the end. Not thread-safe; one per sequence. The tokenizer must
// outlive it.
#pragma once

#include "core/text/tokenizer.h"

namespace minerva::text {

class StreamDecoder {
 public:
  // atTextStart: the first token starts a text (SentencePiece tokenizers then drop one leading space); false: it continues
  // one.
  explicit StreamDecoder(const Tokenizer& tokenizer, bool skipSpecial = true, bool atTextStart = true)
      : m_tokenizer(tokenizer), m_skipSpecial(skipSpecial), m_first(atTextStart) {}

  // Returns the text completed by this token (may be empty).
  [[nodiscard]] std::string push(TokenId id);
  // Returns the pending bytes, incomplete ones as U+FFFD, and resets the decoder.
  [[nodiscard]] std::string flush();
  // The next token is the first of its text, so that its bytes are Tokenizer::firstPiece().
  [[nodiscard]] bool atTextStart() const { return m_first; }

 private:
  const Tokenizer& m_tokenizer;
  bool m_skipSpecial;
  bool m_first;
  std::string m_pending;  // bytes not yet emitted: always a proper prefix of one character
};

}  // namespace minerva::text
