// A sequence's constraints: the grammar of its answer, and that of the calls of tools which the model begins by itself.
#include "core/engine/sequence.h"

#include <vector>

namespace minerva::engine {

// The engine makes sure that a constrained request has a tokenizer (PromptMaker::make).
void Sequence::constrain() {
  std::vector<TokenId> first;
  const Request& request = m_arrival.request;
  const bool isChat = !request.chat.messages.empty() && !request.showSpecial && m_model.channels != nullptr;
  if (isChat && !m_model.channels->isHarmony()) {
    if (m_model.channels->open != text::ChannelFormat::noTokenId && request.chat.reasoning.on.value_or(true))
      first.push_back(m_model.channels->open);
    if (request.chat.tools.is_null() || request.constraintIsCall) {
      m_ownChannels = *m_model.channels;
      m_ownChannels.toolCalls.clear();
      if (request.constraintIsCall) m_ownChannels.toolCalls.push_back(request.callFormat);
      else m_ownChannels.callTokens.clear();
      m_model.channels = &m_ownChannels;
    }
    for (const text::ToolCallFormat* format : m_model.channels->toolCalls) {
      const auto id = m_model.tokenizer->find(format->open);
      if (id && !request.constraintIsCall) first.push_back(*id);
    }
  }
  m_constraint.emplace(*m_model.constraints, request.constraint, request.constraintIsCall, std::move(first));
}

ReplyPhase Sequence::phase() const {
  if (!m_channels) return ReplyPhase::text;
  // The grammar of such a call has the headers and the reasoning, too.
  if (m_arrival.request.constraintIsCall && m_model.channels->isHarmony()) return ReplyPhase::text;
  if (m_callsBegan || m_channels->channel() == text::Channel::toolCall) return ReplyPhase::calls;
  return m_channels->channel() == text::Channel::reasoning || m_channels->inHeader() ? ReplyPhase::beforeText : ReplyPhase::text;
}

std::span<const std::uint64_t> Sequence::allowedNext() {
  if (m_call) return m_call->allowed(ReplyPhase::text, m_decoder->atTextStart());
  if (m_constraint) return m_constraint->allowed(phase(), m_decoder->atTextStart());
  return {};
}

Error Sequence::unfollowed() const {
  if ((m_call ? *m_call : *m_constraint).tooAmbiguous()) {
    return {.kind = ErrorKind::limit,
            .what = "The grammar can be read in too many ways at once",
            .where = "request",
            .hint = "Write its alternatives so that they differ early"};
  }
  return {.kind = ErrorKind::invalidArgument,
          .what = "The model's vocabulary has no token that could go on with the demanded format",
          .where = "request",
          .hint = "Relax the grammar or schema where the reply ended"};
}

// Takes a token of a constrained reply. before, atStart: when it was sampled; answer: the text that it showed. Where reasoning ends
// within a token, the rest of this token is already text.
bool Sequence::follow(TokenId token, ReplyPhase before, bool atStart, const std::string& answer) {
  if (!m_constraint || before == ReplyPhase::calls) return true;
  const TokenId reasoning = m_model.channels != nullptr ? m_model.channels->open : text::ChannelFormat::noTokenId;
  if (before == ReplyPhase::beforeText) {
    m_constraint->forget(reasoning);
    if (m_channels->opensCalls(token) && phase() == ReplyPhase::text) {  // such a token ends reasoning
      m_callsBegan = !m_arrival.request.constraintIsCall;
      return m_callsBegan || m_constraint->accept(token, atStart);
    }
    return phase() != ReplyPhase::text || m_constraint->accept(answer);
  }
  if (!m_constraint->beginsSomethingElse(token)) return m_constraint->accept(token, atStart);
  m_callsBegan = token != reasoning;
  return true;
}

// A call that the model begins by itself follows its grammar from the token that begins it to its end, after which the reply is free again.
// The same token in reasoning, or in an answer that follows a grammar, begins none.
bool Sequence::followInCall(TokenId token, bool atStart) {
  const Request::CallConstraint& calls = m_arrival.request.callConstraint;
  if (!m_call) {
    const bool mayBegin = calls.grammar != nullptr && token == calls.opens && (!m_constraint || m_callsBegan);
    if (!mayBegin || !m_channels || !m_channels->readsCalls()) return true;
    m_call.emplace(*m_model.constraints, calls.grammar, true, std::vector<TokenId>());
  }
  const bool allowed = m_call->accept(token, atStart);
  if (allowed && m_call->mustEnd()) m_call.reset();
  return allowed;
}

}  // namespace minerva::engine
