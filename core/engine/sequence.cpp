#include "core/engine/sequence.h"

#include "core/base/percentile.h"
#include "core/engine/logprobs.h"

#include <algorithm>
#include <cmath>

namespace minerva::engine {
namespace {

double perSecond(int count, double ms) { return count > 0 && ms > 0 ? count / ms * 1e3 : 0; }

}  // namespace

const char* name(FinishReason reason) {
  switch (reason) {
    case FinishReason::endOfTurn: return "stop";
    case FinishReason::stopString: return "stop_string";
    case FinishReason::length: return "length";
    case FinishReason::contextFull: return "context";
    case FinishReason::cancelled: return "cancelled";
  }
  return "stop";
}

Timings timingsOfUnstarted(TimePoint arrival) {
  Timings t;
  t.arrival = arrival;
  t.phases.queueMs = t.wallMs = t.queueMs = millisecondsBetween(arrival, Clock::now());
  return t;
}

Sequence::Sequence(Arrival arrival, Prompt prompt, const Assignment& assignment, const SequenceModel& model, const Emit& emit)
    : m_arrival(std::move(arrival)),
      m_model(model),
      m_emit(emit),
      m_sampler(m_arrival.request.sampling),
      m_stop(m_arrival.request.stop),
      m_tokens(std::move(prompt.tokens)),
      m_promptLength(static_cast<int>(m_tokens.size())),
      m_computed(assignment.kept),
      m_reused(assignment.kept),
      m_slot(assignment.slot),
      m_templateMs(prompt.templateMs),
      m_tokenizeMs(prompt.tokenizeMs) {
  if (model.tokenizer != nullptr) m_decoder.emplace(*model.tokenizer, !m_arrival.request.showSpecial, !prompt.continuesText);
  if (m_arrival.request.constraint != nullptr) constrain();
  if (m_decoder && model.channels != nullptr && !m_arrival.request.chat.messages.empty() && !m_arrival.request.showSpecial)
    m_channels.emplace(*m_model.channels, *model.tokenizer, m_tokens);
  if (const auto start = replyStart(m_arrival.request.chat); m_channels && start) m_channels->goOn(*start);
  placeCheckpoints();
  m_long = model.longRopeFrom > 0 && m_promptLength > model.longRopeFrom;
  m_emit(id(), Started{m_promptLength, m_reused, m_arrival.request.sampling.seed});
}

void Sequence::addRows(int count, std::vector<backend::StepRow>& rows, TimePoint now) {
  if (!m_firstStep) m_firstStep = now;
  m_stepBegan = now;
  for (int i = 0; i < count; ++i) {
    const int position = m_computed + i;
    const bool last = position + 1 == static_cast<int>(m_tokens.size());
    rows.push_back({m_tokens[static_cast<std::size_t>(position)], position, m_slot, last, m_long});
  }
}

void Sequence::advance(int count, SequenceStates& states, TimePoint now) {
  const bool prompt = !decoding();
  states.run(m_slot, m_computed, std::span(m_tokens).subspan(static_cast<std::size_t>(m_computed), static_cast<std::size_t>(count)),
             m_long);
  m_computed += count;
  m_stepEnded = now;
  (m_firstToken ? m_phases.decodeMs : m_phases.prefillMs) += millisecondsBetween(m_stepBegan, now);
  if (!prompt || m_firstToken) return;
  if (decoding()) m_prefillEnd = now;
  const int done = m_computed - m_reused;
  m_emit(id(), PrefillProgress{done, m_promptLength - m_reused, perSecond(done, millisecondsBetween(*m_firstStep, now))});
}

std::optional<FinishReason> Sequence::reasonToEnd(bool endOfTurn) const {
  if (endOfTurn) return FinishReason::endOfTurn;
  if (m_constraint && phase() == ReplyPhase::text && m_constraint->mustEnd()) return FinishReason::endOfTurn;
  if (m_stop.matched()) return FinishReason::stopString;
  const int generated = static_cast<int>(m_tokens.size()) - m_promptLength;
  if (m_arrival.request.maxTokens > 0 && generated >= m_arrival.request.maxTokens) return FinishReason::length;
  if (static_cast<int>(m_tokens.size()) > m_model.contextLength - 1) return FinishReason::contextFull;
  return std::nullopt;
}

// The end-of-turn token is never part of the reply, whatever its token type.
text::ReplyParts Sequence::show(TokenId token, bool ends) {
  if (!m_decoder || (ends && !m_arrival.request.showSpecial)) return {};
  if (!m_channels) return {.answer = m_stop.push(m_decoder->push(token)), .reasoning = {}, .toolCall = {}, .calls = {}};
  if (!m_model.channels->isMarker(token)) return m_channels->text(m_stop.push(m_decoder->push(token)));
  text::ReplyParts parts = m_channels->text(m_stop.flush());  // stop strings do not span markers
  return parts += m_channels->marker(token);
}

// The text held back until the end.
text::ReplyParts Sequence::tail() {
  if (!m_decoder) return {};
  std::string text = m_stop.push(m_decoder->flush());
  text += m_stop.flush();
  if (!m_channels) return {.answer = std::move(text), .reasoning = {}, .toolCall = {}, .calls = {}};
  text::ReplyParts parts = m_channels->text(text);
  return parts += m_channels->flush();
}

void Sequence::placeCheckpoints() {
  if (!m_model.checkpoints) return;
  m_checkpoints = CheckpointPositions(prompt(), m_model.endOfTurn, m_computed);
}

// A sequence longer than the model's original context needs other rope frequencies from the first token on, so its whole state
// is recomputed.
void Sequence::beginAgainIfLong() {
  if (m_long || m_model.longRopeFrom == 0 || static_cast<int>(m_tokens.size()) <= m_model.longRopeFrom) return;
  m_long = true;
  m_computed = 0;
  placeCheckpoints();
}

// The engine makes sure that a constrained request has a tokenizer (PromptMaker::make).
void Sequence::constrain() {
  std::vector<TokenId> first;
  const Request& request = m_arrival.request;
  const bool isChat = !request.chat.messages.empty() && !request.showSpecial && m_model.channels != nullptr;
  if (isChat && !m_model.channels->isHarmony()) {
    if (m_model.channels->open != text::ChannelFormat::noTokenId && request.chat.reasoning.on.value_or(true))
      first.push_back(m_model.channels->open);
    if (request.chat.tools.is_null()) {
      m_noCalls = *m_model.channels;
      m_noCalls.toolCalls.clear();
      m_noCalls.callTokens.clear();
      m_model.channels = &m_noCalls;
    }
    for (const text::ToolCallFormat* format : m_model.channels->toolCalls) {
      const auto id = m_model.tokenizer->find(format->open);
      if (id && !request.constraintIsCall) first.push_back(*id);
    }
  }
  m_constraint.emplace(*m_model.constraints, request.constraint, std::move(first));
}

ReplyPhase Sequence::phase() const {
  if (!m_channels) return ReplyPhase::text;
  const bool inCall = m_channels->channel() == text::Channel::toolCall;
  if (inCall && m_arrival.request.constraintIsCall) return ReplyPhase::text;
  if (m_callsBegan || inCall) return ReplyPhase::calls;
  return m_channels->channel() == text::Channel::reasoning || m_channels->inHeader() ? ReplyPhase::beforeText : ReplyPhase::text;
}

Error Sequence::unfollowed() const {
  if (m_constraint->tooAmbiguous()) {
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

TokenId Sequence::sample(std::span<const float> logits) {
  if (!m_constraint) return m_sampler.sample(logits, m_tokens);
  return m_sampler.sample(logits, m_tokens, m_constraint->allowed(phase(), m_decoder->atTextStart()));
}

// Takes a token of a constrained reply. before, atStart: when it was sampled; answer: the text that it showed. Where reasoning ends
// within a token, the rest of this token is already text.
bool Sequence::follow(TokenId token, ReplyPhase before, bool atStart, const std::string& answer) {
  if (before == ReplyPhase::calls) return true;
  const TokenId reasoning = m_model.channels != nullptr ? m_model.channels->open : text::ChannelFormat::noTokenId;
  if (before == ReplyPhase::beforeText) {
    m_constraint->forget(reasoning);
    return phase() != ReplyPhase::text || m_constraint->accept(answer);
  }
  if (!m_constraint->beginsSomethingElse(token))
    return m_constraint->accept(atStart ? m_model.tokenizer->firstPiece(token) : m_model.tokenizer->piece(token));
  m_callsBegan = token != reasoning;
  return true;
}

bool Sequence::take(std::span<const float> logits) {
  const TokenId token = sample(logits);
  if (token == Sampler::nothingAllowed && m_constraint) failWith(unfollowed());
  if (m_finished) return true;
  if (token < 0) return false;
  const ReplyPhase before = m_constraint ? phase() : ReplyPhase::text;
  const bool atStart = m_constraint && m_decoder->atTextStart();
  const TimePoint now = Clock::now();
  (m_firstToken ? m_phases.decodeMs : m_phases.firstTokenMs) += millisecondsBetween(m_stepEnded, now);
  const int index = static_cast<int>(m_tokens.size()) - m_promptLength;
  const double since = millisecondsBetween(m_lastToken.value_or(m_arrival.time), now);
  if (m_firstToken) m_intervals.push_back(since);
  if (!m_firstToken) m_firstToken = now;
  m_lastToken = now;
  m_tokens.push_back(token);
  beginAgainIfLong();
  const bool ends =
      (m_constraint || !m_arrival.request.ignoreEndOfTurn) && std::ranges::find(m_model.endOfTurn, token) != m_model.endOfTurn.end();
  text::ReplyParts parts = show(token, ends);
  const bool followed = !m_constraint || ends || follow(token, before, atStart, parts.answer);
  if (m_channels && !ends && m_channels->channel() == text::Channel::reasoning) ++m_reasoningTokens;
  m_emit(id(), TokenEvent{token, std::move(parts.answer), index, since, static_cast<int>(m_tokens.size()), std::move(parts.reasoning),
                          std::move(parts.toolCall), std::move(parts.calls), logprobsOf(logits, token, m_arrival.request.logprobs)});
  m_phases.detokenizeMs += millisecondsBetween(now, Clock::now());
  if (!followed) failWith(unfollowed());
  else if (const auto reason = reasonToEnd(ends)) finish(*reason);
  return true;
}

Timings Sequence::timings() const {
  Timings t;
  const TimePoint now = Clock::now();
  t.arrival = m_arrival.time;
  t.queueMs = millisecondsBetween(m_arrival.time, m_firstStep.value_or(now));
  t.phases = m_phases;
  t.phases.templateMs = m_templateMs;
  t.phases.tokenizeMs = m_tokenizeMs;
  t.phases.queueMs = t.queueMs - m_templateMs - m_tokenizeMs;
  t.templateMs = m_templateMs;
  t.tokenizeMs = m_tokenizeMs;
  if (m_firstStep) t.prefillMs = millisecondsBetween(*m_firstStep, m_prefillEnd.value_or(now));
  if (m_firstToken) t.ttftMs = millisecondsBetween(m_arrival.time, *m_firstToken);
  if (m_firstToken) t.decodeMs = millisecondsBetween(*m_firstToken, *m_lastToken);
  t.wallMs = millisecondsBetween(m_arrival.time, now);
  t.promptTokens = m_promptLength;
  t.reusedTokens = m_reused;
  t.generatedTokens = static_cast<int>(m_tokens.size()) - m_promptLength;
  t.reasoningTokens = m_reasoningTokens;
  t.prefillTokensPerSecond = perSecond(std::min(m_computed, m_promptLength) - m_reused, t.prefillMs);
  t.decodeTokensPerSecond = perSecond(t.generatedTokens - 1, t.decodeMs);
  std::vector<double> sorted = m_intervals;
  std::ranges::sort(sorted);
  t.tpotP50 = nearestRank(sorted, 50);
  t.tpotP95 = nearestRank(sorted, 95);
  t.tpotP99 = nearestRank(sorted, 99);
  return t;
}

void Sequence::finish(FinishReason reason) {
  m_finished = true;
  const TimePoint begun = Clock::now();
  text::ReplyParts rest = tail();
  m_phases.detokenizeMs += millisecondsBetween(begun, Clock::now());
  m_emit(id(), Finished{reason, std::move(rest.answer), timings(), static_cast<int>(m_tokens.size()), std::move(rest.reasoning),
                        std::move(rest.toolCall), std::move(rest.calls)});
}

void Sequence::failWith(Error error) {
  m_finished = true;
  m_emit(id(), Failed{std::move(error), timings()});
}

}  // namespace minerva::engine
