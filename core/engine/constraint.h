// Replies that follow a grammar (core/grammar): the model's tokens as bytes, the tables of the grammars in use, and what one reply may
// write next.
#pragma once

#include "core/grammar/matcher.h"
#include "core/text/tokenizer.h"

#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

namespace minerva::engine {

using text::TokenId;

// The tokens of a model, sorted when a constrained request first needs them. Thread-safe.
class ConstraintTokens {
 public:
  // ends: the tokens that end a reply. Control tokens are never part of a constrained text.
  ConstraintTokens(std::shared_ptr<const text::Tokenizer> tokenizer, std::vector<TokenId> ends, int vocabularySize);
  [[nodiscard]] const grammar::Vocabularies& get();
  // All tokens but those that end a reply.
  [[nodiscard]] const grammar::Mask& allButEnds();

 private:
  void make();
  std::shared_ptr<const text::Tokenizer> m_tokenizer;
  std::vector<TokenId> m_ends;
  std::size_t m_size;
  std::once_flag m_once;
  grammar::Vocabularies m_vocabularies;
  grammar::Mask m_allButEnds;
};

// The tables of the latest grammars, shared by requests with the same one. Driving thread only.
class ConstraintTables {
 public:
  explicit ConstraintTables(std::shared_ptr<ConstraintTokens> tokens) : m_tokens(std::move(tokens)) {}
  [[nodiscard]] std::shared_ptr<grammar::Tables> of(const std::shared_ptr<const grammar::Grammar>& grammar);
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
  ReplyConstraint(ConstraintTables& tables, const std::shared_ptr<const grammar::Grammar>& grammar, std::vector<TokenId> first)
      : m_tokens(tables.tokens()), m_matcher(tables.of(grammar)), m_first(std::move(first)) {}

  // The tokens that may come next; empty: all. atStart: the next token begins a text. Valid until the next call.
  [[nodiscard]] std::span<const std::uint64_t> allowed(ReplyPhase phase, bool atStart);
  [[nodiscard]] bool beginsSomethingElse(TokenId token) const;
  // The reply has reasoned, so this token may not begin it again.
  void forget(TokenId first) { std::erase(m_first, first); }
  // False: the grammar does not allow these bytes here.
  [[nodiscard]] bool accept(std::string_view bytes);
  [[nodiscard]] bool mustEnd() const { return m_matcher.mustEnd(); }
  [[nodiscard]] bool tooAmbiguous() const { return m_matcher.tooAmbiguous(); }

 private:
  ConstraintTokens& m_tokens;
  grammar::Matcher m_matcher;
  std::vector<TokenId> m_first;
  bool m_began = false;
  grammar::Mask m_mask;  // with `m_first`
};

}  // namespace minerva::engine
