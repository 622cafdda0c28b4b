// Splits a reply into its channels, token by token, and removes the markers: reasoning models write reasoning between
// markers before the answer, some write the answer between tags, gpt-oss uses named channels (the harmony format), and calls of tools have
// markers of their own (tool_calls.h).
//
// Calls are returned when they are complete; on demand, pieces tell of them before. What cannot be parsed is answer text, as the model
// wrote it. Calls in reasoning are reasoning, which models draft calls in, unless the reply ends with them; but a control token that begins
// calls ends the reasoning. The result depends only on the tokens and their text, not on how the text is chunked. Harmony:
// https://github.com/openai/harmony, docs/format.md. ChannelFormat is immutable; ChannelSplitter is not thread-safe, one per reply.
#pragma once

#include "core/text/tokenizer.h"
#include "core/text/tool_calls.h"
#include "core/text/growing_calls.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace minerva::text {

enum class Channel { answer, reasoning, toolCall };

// Newly completed text by channel; any may be empty. When a reply returns to an earlier channel, an empty line separates the
// parts.
struct ReplyParts {
  std::string answer, reasoning;
  std::string toolCall;         // the text of calls as the model wrote it
  std::vector<ToolCall> calls;  // the calls that became complete
  std::vector<CallPiece> pieces = {};
  [[nodiscard]] std::string& of(Channel channel) {
    return channel == Channel::answer ? answer : channel == Channel::reasoning ? reasoning : toolCall;
  }
  ReplyParts& operator+=(const ReplyParts& more) {
    for (const ToolCall& call : more.calls) calls.emplace_back(call).place += answer.size();
    for (const CallPiece& piece : more.pieces) pieces.emplace_back(piece).place += answer.size();
    answer += more.answer;
    reasoning += more.reasoning;
    toolCall += more.toolCall;
    return *this;
  }
};

// The existing beginning of a reply that is to be continued.
struct ReplyStart {
  std::string reasoning, answer;
  bool thinking = false;  // the reasoning has not ended; there is no answer yet
};

// How a model marks its channels and calls.
struct ChannelFormat {
  struct Pair {  // markers around reasoning
    std::string_view open, close;
    std::string_view title = "";                    // after `open`, not part of the reasoning ("thought\n")
    std::string_view inside = "", after = "";       // white space that models write after `open` and before `close`, and after `close`
    std::span<const std::string_view> tokens = {};  // those that `close` consists of, and another of the format, if `close` is no token
    bool neverText = false;                         // its tokens are markers wherever they are: an answer does not write about them
  };
  Pair pair;
  struct AnswerTags {  // text around the answer that is not part of it
    std::string_view open, close;
    std::string_view inside = "";  // white space that models write after `open`
    bool always = false;           // not only after reasoning
  };
  AnswerTags answerTags;                        // empty: none
  TokenId open = noTokenId, close = noTokenId;  // tokens of the markers, if the vocabulary has them
  struct Harmony {
    TokenId start = noTokenId, channel = noTokenId, message = noTokenId, end = noTokenId, call = noTokenId, finish = noTokenId;
    TokenId constrain = noTokenId;  // before the type of the text, in a header
    // Muse Glimmer: messages have no channel; one to "self" is reasoning, one to a tool has calls with tags.
    [[nodiscard]] bool byRecipient() const { return start != noTokenId && channel == noTokenId; }
  } harmony;  // start is noTokenId in all other formats
  static constexpr TokenId noTokenId = -1;
  std::vector<const ToolCallFormat*> toolCalls;  // those that the model may use; harmony has its own
  const CallForm* callForm = nullptr;            // of a call that a reply must be; null: the template knows no tools
  std::vector<TokenId> callTokens;               // control tokens that are markers of these formats
  std::vector<TokenId> closeTokens;              // of pair.tokens

  [[nodiscard]] bool isHarmony() const { return harmony.start != noTokenId; }
  // True if a reply that goes on after `start` is between the tags of the answer.
  [[nodiscard]] bool opensAnswer(const ReplyStart& start) const {
    return !answerTags.open.empty() && !start.thinking && (answerTags.always || !start.reasoning.empty());
  }
  // True if the token is a marker rather than text.
  [[nodiscard]] bool isMarker(TokenId id) const;
};

// templateSource: the model's chat template, which shows which markers the model knows; may be empty.
[[nodiscard]] ChannelFormat channelFormatFor(const Tokenizer& tokenizer, std::string_view templateSource);

// Writes `start` with the markers that a model of this format writes after this prompt, so that splitting the result yields
// `start` again. The answer is copied verbatim.
[[nodiscard]] std::string written(const ReplyStart& start, const ChannelFormat& format, std::string_view prompt);

class ChannelSplitter {
 public:
  // prompt: the tokens before the reply; they may already have opened a channel. tools: the names of those that the model may call. Where
  // they are known, calls without the markers of the model's format are found as well.
  ChannelSplitter(const ChannelFormat& format, const Tokenizer& tokenizer, std::span<const TokenId> prompt,
                  std::vector<std::string> tools = {});

  // Calls of these tools, as in useDeclaredTypes(), are told of in pieces before they are complete (growing_calls.h).
  void tellOfCalls(const nlohmann::ordered_json& tools) { m_growing.emplace(tools); }
  // Call if the prompt already contains this beginning of the reply; the following tokens continue it.
  void goOn(const ReplyStart& start);
  // Processes a marker token, one for which format.isMarker(id) is true.
  [[nodiscard]] ReplyParts marker(TokenId id);
  // Processes the text of all other tokens; characters may be incomplete.
  [[nodiscard]] ReplyParts text(std::string_view text);
  // Returns the text held back. Nothing may be added afterwards. ended: the model ended the reply itself, so that what is missing at the
  // end of a call was forgotten rather than cut off.
  [[nodiscard]] ReplyParts flush(bool ended = false);
  // The channel that further text would go to.
  [[nodiscard]] Channel channel() const { return m_channel; }
  // True if the token is a marker that calls begin with; harmony has none.
  [[nodiscard]] bool opensCalls(TokenId id) const;
  // Calls have begun that have not ended yet; harmony has a channel for them.
  [[nodiscard]] bool readsCalls() const { return m_calls != nullptr; }
  // In a header of the harmony format, which is text of no channel.
  [[nodiscard]] bool inHeader() const { return m_state == State::header; }

 private:
  void readPrompt(const Tokenizer& tokenizer, std::span<const TokenId> prompt);
  void harmonyMarker(TokenId id);
  void messageText(std::string_view text, ReplyParts& out);
  void readHeader();
  void headerText(std::string_view text, ReplyParts& out);
  [[nodiscard]] std::string takeReplyOfHeader();
  void pairText(ReplyParts& out, bool atEnd);
  bool beginReply(bool atEnd);
  bool beginAnswer(bool atEnd);
  bool beginReasoning(bool atEnd);
  bool goOnReasoning(ReplyParts& out, bool atEnd);
  void give(std::string_view text, ReplyParts& out);
  void begin(Channel channel);
  [[nodiscard]] bool mayOpenReasoning() const;
  void openReasoning();
  void closeReasoning();
  void dropLeadingSpace();
  [[nodiscard]] std::size_t placeOfDraft(std::string_view text, std::size_t from, bool atEnd) const;
  [[nodiscard]] std::size_t placeOfBareDraft(std::string_view text, std::size_t from) const;
  bool findDraft(std::string_view& text, bool atEnd);
  bool draftIsCalls(std::string_view text, bool atEnd);
  void answerText(ReplyParts& out, bool atEnd);
  [[nodiscard]] std::size_t lengthBeforeAnswerEnd(std::string_view text) const;
  bool beginBareCalls(bool atEnd);
  bool skipOuterClose(ReplyParts& out, bool atEnd);
  [[nodiscard]] std::size_t placeOfCalls(const ToolCallFormat& row, std::size_t& undecided) const;
  [[nodiscard]] bool namesTools(const ToolCallFormat& row, std::vector<ToolCall>& calls) const;
  bool beforeDraft(std::size_t& length, bool atEnd);
  bool beginCalls(ReplyParts& out, bool atEnd);
  bool skipAnswerMarker(bool atEnd);
  bool goOnCalls(ReplyParts& out, bool atEnd);
  [[nodiscard]] bool mayBeCalls() const;
  [[nodiscard]] bool isOfCalls(const ToolCallFormat& row) const;
  [[nodiscard]] bool mayCallByName() const { return m_isDraft || m_endsInCalls; }
  struct CallsEnd {
    std::size_t at = 0, marker = 0;  // in m_held, and the length of the closing marker there
  };
  [[nodiscard]] std::optional<CallsEnd> endOfCalls(bool atEnd);
  [[nodiscard]] bool endsInValue(std::size_t length) const;
  [[nodiscard]] std::size_t endOfJson(std::size_t length) const;
  bool lineBreaksValue();
  enum class Missing { nothing, tagAfterValue, end };
  [[nodiscard]] bool parseCalls(const ToolCallFormat& row, const CallsEnd& end, Missing missing, std::vector<ToolCall>& found) const;
  bool takeCalls(const CallsEnd& end, Missing missing, ReplyParts& out);
  void takeFound(const CallsEnd& end, std::vector<ToolCall> found, ReplyParts& out);
  void callsAreText(const CallsEnd& end, ReplyParts& out);
  void tellOfCalls(ReplyParts& out);
  void tellOfMessage(ReplyParts& out);
  void finishHarmonyCall(ReplyParts& out);

  const ChannelFormat& m_format;
  const Tokenizer& m_tokenizer;
  std::vector<std::string> m_tools;           // names
  std::vector<const ToolCallFormat*> m_rows;  // those of the format, and that of calls by name if there are tools
  Channel m_channel = Channel::answer;
  enum class State { begin, inside, header } m_state = State::begin;  // begin: only white space so far; header: inside a harmony header
  std::string m_held;                                                 // text not yet returned, or the header
  bool m_begins = false;           // no text of the current part was returned yet; later parts of a channel are separated by an empty line
  bool m_spoke[3] = {};            // by channel: some text was returned
  std::string m_spaceBefore;       // that the answer begins with: part of it if text follows, not if a call does
  char m_lastOfAnswer = '\0';      // of the text that was returned
  bool m_dropsSpace = false;       // white space right after a marker is not part of the text
  std::size_t m_fromPrompt = 0;    // number of bytes of m_held that belong to the prompt, or of the marker that m_calls begin with
  bool m_spokeHarmony = false;     // the reply contained a harmony marker
  bool m_reasoningBegins = false;  // no reasoning was returned yet: a second open marker or a title may follow
  bool m_answerBegins = true;      // nothing of the answer was decided yet: it may be bare calls
  bool m_afterBareCall = false;    // nothing but calls without markers so far: a semicolon may separate them
  bool m_mayOpenAnswer = false;    // the answer begins, and its opening tag may follow
  bool m_inAnswerTags = false;     // it did: the closing one may end the reply
  bool m_ended = false;            // by the model
  // While calls are read: a format with their markers, and how much of m_held has been searched for the marker that ends them.
  const ToolCallFormat* m_calls = nullptr;
  std::size_t m_searched = 0;
  int m_markersInside = 0;                // markers that belonged to values
  std::optional<CallsEnd> m_firstInside;  // the first of them
  std::optional<GrowingCalls> m_growing;  // if pieces tell of them
  bool m_lineSeen = false;                // a line break after it
  // In reasoning: calls that the model may have begun without closing it, as an answer would have them, and how much of them was read. In
  // an answer: calls without markers that it may end with.
  std::unique_ptr<ChannelSplitter> m_draft;
  ReplyParts m_draftParts;
  std::size_t m_draftAt = 0, m_drafted = 0;  // in m_held; bytes
  bool m_endsInCalls = false;                // the rest of the answer is calls without markers
  bool m_isDraft = false;                    // this one reads the calls of another
  std::string_view m_outerClose;             // may follow the call that was read last
  std::string m_harmonyCall;                 // name of the call in the current harmony message
  std::string m_harmonyWords;                // its text so far
};

}  // namespace minerva::text
