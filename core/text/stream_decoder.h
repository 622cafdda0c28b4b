// Token by token to text that can be shown: emits only whole UTF-8 characters and loses none.
//
// Bytes that can no longer become valid are given as U+FFFD (one per maximal subpart, Unicode 3.9 / W3C) at the moment that
// is known; what is still held at the end comes with flush(). Not thread-safe; one per sequence. The tokenizer must outlive it.
#pragma once

#include "core/text/tokenizer.h"

namespace minerva::text {

class StreamDecoder {
 public:
  // atTextStart: the first token begins a text (sentencepiece kinds then drop one leading space); false: it goes on with one.
  explicit StreamDecoder(const Tokenizer& tokenizer, bool skipSpecial = true, bool atTextStart = true)
      : m_tokenizer(tokenizer), m_skipSpecial(skipSpecial), m_first(atTextStart) {}

  // The text that becomes certain with this token (may be empty).
  [[nodiscard]] std::string push(TokenId id);
  // What remains, incomplete bytes as U+FFFD; the decoder is as new afterwards.
  [[nodiscard]] std::string flush();

 private:
  const Tokenizer& m_tokenizer;
  bool m_skipSpecial;
  bool m_first;
  std::string m_pending;  // bytes not yet shown: always a proper prefix of one character
};

}  // namespace minerva::text
