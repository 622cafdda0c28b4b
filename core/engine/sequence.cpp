#include "core/engine/sequence.h"

#include "core/base/percentile.h"

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
  if (m_decoder && model.channels != nullptr && !m_arrival.request.chat.messages.empty() && !m_arrival.request.showSpecial)
    m_channels.emplace(*model.channels, *model.tokenizer, m_tokens);
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
    const backend::RowUse use = decoding() ? backend::RowUse::reply : backend::RowUse::prompt;
    rows.push_back({m_tokens[static_cast<std::size_t>(position)], position, m_slot, last, m_long, 0, use});
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

bool Sequence::take(std::span<const float> logits) {
  const TokenId token = m_sampler.sample(logits, m_tokens);
  if (token < 0) return false;
  const TimePoint now = Clock::now();
  (m_firstToken ? m_phases.decodeMs : m_phases.firstTokenMs) += millisecondsBetween(m_stepEnded, now);
  const int index = static_cast<int>(m_tokens.size()) - m_promptLength;
  const double since = millisecondsBetween(m_lastToken.value_or(m_arrival.time), now);
  if (m_firstToken) m_intervals.push_back(since);
  if (!m_firstToken) m_firstToken = now;
  m_lastToken = now;
  m_tokens.push_back(token);
  beginAgainIfLong();
  const bool ends = !m_arrival.request.ignoreEndOfTurn && std::ranges::find(m_model.endOfTurn, token) != m_model.endOfTurn.end();
  text::ReplyParts parts = show(token, ends);
  if (m_channels && !ends && m_channels->channel() == text::Channel::reasoning) ++m_reasoningTokens;
  m_emit(id(), TokenEvent{token, std::move(parts.answer), index, since, static_cast<int>(m_tokens.size()), std::move(parts.reasoning),
                          std::move(parts.toolCall), std::move(parts.calls)});
  m_phases.detokenizeMs += millisecondsBetween(now, Clock::now());
  if (const auto reason = reasonToEnd(ends)) finish(*reason);
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
