// Replies that follow a grammar (core/grammar): the model's tokens as bytes, the tables of the grammars in use, and what one reply may
// write next.
#pragma once

#include "core/grammar/matcher.h"
#include "core/text/channels.h"

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace minerva::engine {

using text::TokenId;

// The control tokens that are markers around calls of tools.
[[nodiscard]] std::vector<TokenId> callMarkers(const text::ChannelFormat& format);
// The text of a call as its grammar must have it: each marker that is a control token is preceded by U+0001, which JSON has not, so that
// no marker can be written within a value, nor spelled with other tokens.
[[nodiscard]] std::string markedForCalls(std::string_view text, const text::ChannelFormat& format, const text::Tokenizer& tokenizer);

// The tokens of a model, sorted when a constrained request first needs them. Thread-safe.
class ConstraintTokens {
 public:
  // ends: the tokens that end a reply. markers: of calls. Other control tokens are never part of a constrained text, and these only of one
  // that is a call.
  ConstraintTokens(std::shared_ptr<const text::Tokenizer> tokenizer, std::vector<TokenId> ends, int vocabularySize,
                   std::vector<TokenId> markers = {});
  [[nodiscard]] const grammar::Vocabularies& get(bool isCall = false);
  // What a token adds to a constrained text.
  [[nodiscard]] std::string textOf(TokenId token, bool atStart, bool isCall) const;
  // All tokens but those that end a reply.
  [[nodiscard]] const grammar::Mask& allButEnds();

 private:
  [[nodiscard]] bool isMarker(TokenId token) const;
  [[nodiscard]] bool isPartOfTexts(TokenId token, bool isCall) const;
  [[nodiscard]] grammar::Vocabularies made(bool isCall) const;
  std::shared_ptr<const text::Tokenizer> m_tokenizer;
  std::vector<TokenId> m_ends, m_markers;
  std::size_t m_size;
  std::once_flag m_once, m_onceForCalls;
  grammar::Vocabularies m_vocabularies, m_forCalls;
  grammar::Mask m_allButEnds;
};

// The tables of the latest grammars, shared by requests with the same one. Driving thread only.
class ConstraintTables {
 public:
  explicit ConstraintTables(std::shared_ptr<ConstraintTokens> tokens) : m_tokens(std::move(tokens)) {}
  [[nodiscard]] std::shared_ptr<grammar::Tables> of(const std::shared_ptr<const grammar::Grammar>& grammar, bool isCall);
  [[nodiscard]] ConstraintTokens& tokens() { return *m_tokens; }

 private:
  struct Entry {
    std::shared_ptr<const grammar::Grammar> grammar;
    std::shared_ptr<grammar::Tables> tables;
  };
  std::shared_ptr<ConstraintTokens> m_tokens;
  std::vector<Entry> m_entries;
};

// Where a reply is.
enum class ReplyPhase {
  beforeText,  // in its reasoning, or in a header of the harmony format: anything, but not the end
  text,        // what the grammar describes
  calls,       // calls of tools: as the model likes
};

class ReplyConstraint {
 public:
  // first: tokens that may begin something else in place of the text (reasoning, calls).
  ReplyConstraint(ConstraintTables& tables, const std::shared_ptr<const grammar::Grammar>& grammar, bool isCall, std::vector<TokenId> first)
      : m_tokens(tables.tokens()), m_matcher(tables.of(grammar, isCall)), m_isCall(isCall), m_first(std::move(first)) {}

  // The tokens that may come next; empty: all. atStart: the next token begins a text. Valid until the next call.
  [[nodiscard]] std::span<const std::uint64_t> allowed(ReplyPhase phase, bool atStart);
  [[nodiscard]] bool beginsSomethingElse(TokenId token) const;
  // The reply has reasoned, so this token may not begin it again.
  void forget(TokenId first) { std::erase(m_first, first); }
  // False: the grammar does not allow this token, or these bytes, here.
  [[nodiscard]] bool accept(TokenId token, bool atStart) { return accept(m_tokens.textOf(token, atStart, m_isCall)); }
  [[nodiscard]] bool accept(std::string_view bytes);
  [[nodiscard]] bool mustEnd() const { return m_matcher.mustEnd(); }
  [[nodiscard]] bool tooAmbiguous() const { return m_matcher.tooAmbiguous(); }

 private:
  ConstraintTokens& m_tokens;
  grammar::Matcher m_matcher;
  bool m_isCall;
  std::vector<TokenId> m_first;
  bool m_began = false;
  grammar::Mask m_mask;  // with `m_first`
};

}  // namespace minerva::engine
