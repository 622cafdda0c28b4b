// Which tokens the text of an answer came from. Tokens are known before it is: text is held back while it may become a stop string, a
// marker or a call, and some of it is never shown. So a token waits until text of its own is shown, and belongs to the channel of that
// text; one whose text is never shown (markers, stop strings, the end of the turn) is dropped.
#pragma once

#include "core/serve/logprobs_json.h"
#include "core/text/channels.h"

#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace minerva::serve {

// One per choice, for one thread.
class ShownTokens {
 public:
  // format: of a chat; without markers for plain text. Both must outlive this.
  ShownTokens(const text::Tokenizer& tokenizer, const text::ChannelFormat& format) : m_tokenizer(tokenizer), m_format(format) {}

  // The next token, before the text that became available with it.
  void add(engine::TokenId token, const engine::Logprobs& logprobs);
  // Text of the answer that is shown now: the tokens of which it has the first bytes that the answer has.
  [[nodiscard]] std::vector<TokenProbability> take(std::string_view answer);
  // Text of another channel: tokens that end in it are dropped.
  void pass(std::string_view text);

 private:
  struct Waiting {
    TokenProbability token;
    std::size_t bytes;   // of its text, that were not shown yet
    bool given = false;  // by take()
  };
  struct Span {
    std::size_t begin = 0, end = 0;  // of m_bytes
    std::size_t before = 0;          // bytes of the text that are no token's
  };
  [[nodiscard]] Span find(std::string_view text) const;
  [[nodiscard]] std::size_t skipped(std::string_view bytes) const;
  void drop(std::size_t bytes);

  const text::Tokenizer& m_tokenizer;
  const text::ChannelFormat& m_format;
  std::deque<Waiting> m_waiting;
  std::string m_bytes;        // of all that wait
  std::size_t m_offset = 0;   // in the answer, in characters
  bool m_isBehindIt = false;  // the latest token was a marker: what waits now is shown with it, or never
};

}  // namespace minerva::serve
