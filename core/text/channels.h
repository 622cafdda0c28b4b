// A reply is more than its answer: reasoning models write thoughts before it, between markers, and gpt-oss speaks on named
// channels (the harmony format). This splits a reply into those parts, token by token, and shows no marker.
//
// Exact under any chunking: what comes out depends on the tokens and their text alone, not on how the text was cut.
// Harmony: https://github.com/openai/harmony, docs/format.md. ChannelFormat: immutable; ChannelSplitter: not thread-safe, one
// a reply.
#pragma once

#include "core/text/tokenizer.h"

#include <span>
#include <string>
#include <string_view>

namespace minerva::text {

enum class Channel { answer, reasoning, toolCall };

// What became certain, by channel; any may be empty. Where a reply comes back to a channel, an empty line stands between.
struct ReplyParts {
  std::string answer, reasoning, toolCall;
  [[nodiscard]] std::string& of(Channel channel) {
    return channel == Channel::answer ? answer : channel == Channel::reasoning ? reasoning : toolCall;
  }
  ReplyParts& operator+=(const ReplyParts& more) {
    answer += more.answer;
    reasoning += more.reasoning;
    toolCall += more.toolCall;
    return *this;
  }
};

// What is there of a reply that shall go on.
struct ReplyStart {
  std::string reasoning, answer;
  bool thinking = false;  // the reasoning is not over; there is no answer yet
};

// How a model marks its channels.
struct ChannelFormat {
  struct Pair {  // around reasoning
    std::string_view open, close;
    std::string_view title = "";               // after open, no part of the text ("thought\n")
    std::string_view inside = "", after = "";  // white space that models write after open and before close, and after close
  };
  Pair pair;
  TokenId open = noTokenId, close = noTokenId;  // the markers' own tokens, where there are
  struct Harmony {
    TokenId start = noTokenId, channel = noTokenId, message = noTokenId, end = noTokenId, call = noTokenId, finish = noTokenId;
  } harmony;  // start is noTokenId for any other format
  static constexpr TokenId noTokenId = -1;

  [[nodiscard]] bool isHarmony() const { return harmony.start != noTokenId; }
  // A token that is a marker, not text.
  [[nodiscard]] bool isMarker(TokenId id) const;
};

// templateSource: the model's chat template, which tells which markers it knows; may be empty.
[[nodiscard]] ChannelFormat channelFormatFor(const Tokenizer& tokenizer, std::string_view templateSource);

// A reply's beginning with the markers that a model of that format writes after that prompt: what splits into `start` again.
// The answer is verbatim.
[[nodiscard]] std::string written(const ReplyStart& start, const ChannelFormat& format, std::string_view prompt);

class ChannelSplitter {
 public:
  // prompt: what the reply goes on with; it may have opened a channel already.
  ChannelSplitter(const ChannelFormat& format, const Tokenizer& tokenizer, std::span<const TokenId> prompt);

  // The prompt ends with this beginning of the reply: what comes goes on with it.
  void goOn(const ReplyStart& start);
  // A token of the reply that is a marker: where format.isMarker(id).
  [[nodiscard]] ReplyParts marker(TokenId id);
  // Text of any other tokens, whole characters or not.
  [[nodiscard]] ReplyParts text(std::string_view text);
  // What was held back; nothing may follow.
  [[nodiscard]] ReplyParts flush();
  // Where text would go now.
  [[nodiscard]] Channel channel() const { return m_channel; }

 private:
  void readPrompt(const Tokenizer& tokenizer, std::span<const TokenId> prompt);
  void harmonyMarker(TokenId id);
  void readHeader();
  void headerText(std::string_view text, ReplyParts& out);
  [[nodiscard]] std::string takeReplyOfHeader();
  void pairText(ReplyParts& out, bool atEnd);
  bool beginReply(bool atEnd);
  bool beginReasoning(bool atEnd);
  bool goOnReasoning(ReplyParts& out, bool atEnd);
  void give(std::string_view text, ReplyParts& out);
  void begin(Channel channel);
  void openReasoning();
  void closeReasoning();
  void dropLeadingSpace();

  const ChannelFormat& m_format;
  Channel m_channel = Channel::answer;
  enum class State { begin, inside, header } m_state = State::begin;  // begin: nothing but white space so far; header: harmony's
  std::string m_held;                                                 // text not yet given out, or the header
  bool m_begins = false;           // nothing was given of what stands here; a channel's next part is set apart by an empty line
  bool m_spoke[3] = {};            // by channel: something was given
  bool m_dropsSpace = false;       // white space right after a marker is no part of the text
  std::size_t m_fromPrompt = 0;    // bytes of m_held that are the prompt's own
  bool m_spokeHarmony = false;     // the reply had a marker
  bool m_reasoningBegins = false;  // nothing of it was given yet: a second open marker or a title may stand here
};

}  // namespace minerva::text
