#include "core/engine/sequence.h"

#include "core/base/percentile.h"
#include "core/engine/logprobs.h"
#include "core/engine/lookup_draft.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace minerva::engine {
namespace {

double perSecond(int count, double ms) { return count > 0 && ms > 0 ? count / ms * 1e3 : 0; }

// Of suppressed tokens: no finite bias makes up for this one.
SamplingOptions samplingOf(SamplingOptions options, std::span<const TokenId> tokens, std::size_t promptTokens) {
  options.promptTokens = promptTokens;
  for (const TokenId id : tokens) options.logitBias.emplace_back(id, -std::numeric_limits<float>::infinity());
  return options;
}

// A reply with a constraint says itself what is a call.
std::vector<std::string> callableTools(const Request& request) {
  return request.constraint == nullptr ? text::toolNames(request.chat.tools) : std::vector<std::string>();
}

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
      m_sampler(samplingOf(m_arrival.request.sampling, model.suppressed, prompt.tokens.size())),
      m_stop(m_arrival.request.stop),
      m_tokens(std::move(prompt.tokens)),
      m_promptLength(static_cast<int>(m_tokens.size())),
      m_computed(assignment.kept),
      m_reused(assignment.kept),
      m_slot(assignment.slot),
      m_repliesFrom(m_promptLength),
      m_templateMs(prompt.templateMs),
      m_tokenizeMs(prompt.tokenizeMs) {
  if (model.tokenizer != nullptr) m_decoder.emplace(*model.tokenizer, !m_arrival.request.showSpecial, !prompt.continuesText);
  if (m_arrival.request.constraint != nullptr) constrain();
  if (m_decoder && model.channels != nullptr && !m_arrival.request.chat.messages.empty() && !m_arrival.request.showSpecial)
    m_channels.emplace(*m_model.channels, *model.tokenizer, m_tokens, callableTools(m_arrival.request));
  if (m_channels && m_arrival.request.callPieces) m_channels->tellOfCalls(m_arrival.request.chat.tools);
  if (const auto start = replyStart(m_arrival.request.chat); m_channels && start) m_channels->goOn(*start);
  placeCheckpoints();
  m_long = model.longRopeFrom > 0 && m_promptLength > model.longRopeFrom;
  m_emit(id(), Started{m_promptLength, m_reused, m_arrival.request.sampling.seed});
}

// A step with a draft must not reach a position of a checkpoint, because what stands there is known only afterwards.
int Sequence::draftRoom() const {
  if (!mayDraft() || m_resumed) return 0;
  const auto size = static_cast<int>(m_tokens.size());
  const int limits[] = {mostDrafted + 1 - pending(), rowsToCheckpoint() - pending() - 1, m_model.contextLength - 1 - size,
                        m_model.longRopeFrom > 0 && !m_long ? m_model.longRopeFrom - size : mostDrafted,
                        m_arrival.request.maxTokens > 0 ? m_arrival.request.maxTokens - (size - m_promptLength) - 1 : mostDrafted};
  return std::max(0, *std::ranges::min_element(limits));
}

// A suppressed token is never sampled, so neither it nor what follows it can be right.
void Sequence::cutDraft() {
  const auto isSuppressed = [&](TokenId id) { return std::ranges::find(m_model.suppressed, id) != m_model.suppressed.end(); };
  m_draft.erase(std::ranges::find_if(m_draft, isSuppressed), m_draft.end());
}

void Sequence::findDraft() {
  constexpr int likely = 6;  // matched tokens
  LookupDraft found = lookUpDraft(m_tokens, draftRoom());
  m_draft = std::move(found.tokens);
  cutDraft();
  m_draftSource = found.matched >= likely ? DraftSource::manyTokens : DraftSource::fewTokens;
}

void Sequence::takeDraft(std::vector<TokenId> tokens) {
  m_draft = std::move(tokens);
  cutDraft();
  m_draftSource = DraftSource::model;
}

int Sequence::expectedMore() const {
  constexpr int least = 64;
  const int generated = static_cast<int>(m_tokens.size()) - m_promptLength;
  const int expected = std::max(least, generated);
  return m_arrival.request.maxTokens > 0 ? std::min(expected, m_arrival.request.maxTokens - generated) : expected;
}

int Sequence::rowsAtOnce() const {
  if (m_takenBack) return pending();
  const int most = std::min(pending(), rowsToCheckpoint());
  return decoding() ? std::min(most, mostDrafted + 1) : std::min(most, m_repliesFrom - m_computed);
}

void Sequence::addRows(int count, std::vector<backend::StepRow>& rows, TimePoint now) {
  if (!m_firstStep) m_firstStep = now;
  m_stepBegan = now;
  const float drawnAt = m_arrival.request.sampling.temperature, temperature = drawnAt > 0 ? drawnAt : 1;
  for (int i = 0; i < count; ++i) {
    const int position = m_computed + i;
    const bool last = position + 1 == static_cast<int>(m_tokens.size());
    const backend::RowUse use = position >= m_repliesFrom ? backend::RowUse::reply : backend::RowUse::prompt;
    rows.push_back({m_tokens[static_cast<std::size_t>(position)], position, m_slot, last, m_long, 0, use, temperature});
  }
  for (int i = 0; i < drafted(); ++i)
    rows.push_back(
        {m_draft[static_cast<std::size_t>(i)], m_computed + count + i, m_slot, true, m_long, 0, backend::RowUse::reply, temperature});
}

std::optional<TokenId> Sequence::sampleOne(const RowLogits& row) {
  const std::span<const std::uint64_t> allowed = allowedNext();
  if (row.best && row.all.empty()) return m_sampler.sampleTop(*row.best, m_tokens, allowed);
  return m_sampler.sample(row.all, m_tokens, allowed);
}

std::optional<std::size_t> Sequence::sample(std::span<const RowLogits> rows) {
  for (auto i = static_cast<std::size_t>(m_sampled); i < rows.size(); ++i) {
    const std::optional<TokenId> token = sampleOne(rows[i]);
    if (!token) return i;
    m_nothingAllowed = isConstrained() && *token == Sampler::nothingAllowed;
    m_unusable = *token < 0 && !m_nothingAllowed;
    if (*token < 0) return std::nullopt;
    m_logprobs.push_back(needsWholeRows() ? logprobsOf(rows[i].all, *token, m_arrival.request.logprobs, m_model.suppressed) : std::nullopt);
    m_tokens.push_back(*token);
    ++m_sampled;
    if (endsTurn(*token) || i >= m_draft.size() || m_draft[i] != *token) return std::nullopt;
  }
  return std::nullopt;
}

void Sequence::advance(int count, bool takenBack, SequenceStates& states, TimePoint now) {
  const bool prompt = m_computed < m_promptLength;
  const int seen = takenBack ? 0 : count + accepted();
  if (seen > 0)
    states.run(m_slot, m_computed, std::span(m_tokens).subspan(static_cast<std::size_t>(m_computed), static_cast<std::size_t>(seen)),
               m_long);
  m_computed += seen;
  m_takenBack = takenBack || (m_takenBack && pending() > 1);
  m_resumed = m_resumed && pending() > 1;
  m_stepEnded = now;
  m_drafted += drafted();
  if (m_draft.empty()) {
    for (DraftRate& rate : m_rates) rate.forget();
  } else {
    m_rates[static_cast<std::size_t>(m_draftSource)].learn(accepted(), std::min(accepted() + 1, drafted()));
  }
  (m_firstToken ? m_phases.decodeMs : m_phases.prefillMs) += millisecondsBetween(m_stepBegan, now);
  if (!prompt || m_firstToken) return;
  if (decoding()) m_prefillEnd = now;
  const int done = std::max(0, m_computed - m_reused);  // less after a pause
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
  if (!m_model.channels->isMarker(token)) return upToStop(m_channels->text(m_decoder->push(token)));
  const bool answered = m_channels->channel() == text::Channel::answer;
  text::ReplyParts parts = m_channels->marker(token);
  // Stop strings do not span what is no answer.
  if (!answered || m_channels->channel() == text::Channel::answer) return upToStop(std::move(parts));
  text::ReplyParts before{.answer = m_stop.flush(), .reasoning = {}, .toolCall = {}, .calls = {}};
  return before += upToStop(std::move(parts));
}

// Of these parts, what precedes a stop string in the answer. Stop strings are looked for in the answer alone: nobody who sends one means
// thoughts or calls, in which it may be as well.
text::ReplyParts Sequence::upToStop(text::ReplyParts parts) {
  text::ReplyParts shown;
  std::size_t done = 0;
  const auto showUpTo = [&](std::size_t& place) {
    shown.answer += m_stop.push(std::string_view(parts.answer).substr(done, place - done));
    shown.answer += m_stop.flush();
    done = std::exchange(place, shown.answer.size());
    return !m_stop.matched();
  };
  std::size_t told = 0;
  const auto tellUpTo = [&](std::size_t place) {
    for (; told < parts.pieces.size() && parts.pieces[told].place <= place; ++told) {
      if (!showUpTo(parts.pieces[told].place)) return false;
      shown.pieces.push_back(std::move(parts.pieces[told]));
    }
    return true;
  };
  for (text::ToolCall& call : parts.calls) {
    if (!tellUpTo(call.place) || !showUpTo(call.place)) return shown;
    shown.calls.push_back(std::move(call));
  }
  if (!tellUpTo(parts.answer.size())) return shown;
  shown.answer += m_stop.push(std::string_view(parts.answer).substr(done));
  shown.reasoning = std::move(parts.reasoning);
  shown.toolCall = std::move(parts.toolCall);
  return shown;
}

// The text held back until the end. ended: by the model.
text::ReplyParts Sequence::tail(bool ended) {
  if (!m_decoder) return {};
  text::ReplyParts parts{.answer = {}, .reasoning = {}, .toolCall = {}, .calls = {}};
  if (m_channels) {
    if (m_stop.matched()) return parts;  // what follows the stop string was never said
    parts = upToStop(m_channels->text(m_decoder->flush()));
    parts += upToStop(m_channels->flush(ended));
  } else {
    parts.answer = m_stop.push(m_decoder->flush());
  }
  parts.answer += m_stop.flush();
  return parts;
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
  m_repliesFrom = static_cast<int>(m_tokens.size());
  placeCheckpoints();
}

void Sequence::pause() {
  m_paused = true;
  m_resumed = static_cast<int>(m_tokens.size()) > m_repliesFrom;
  m_takenBack = false;
  m_computed = 0;
  m_draft.clear();
  placeCheckpoints();
}

bool Sequence::endsTurn(TokenId token) const {
  const bool mayEnd = isConstrained() || !m_arrival.request.ignoreEndOfTurn;
  return mayEnd && std::ranges::find(m_model.endOfTurn, token) != m_model.endOfTurn.end();
}

bool Sequence::take() {
  const TimePoint now = Clock::now();
  if (m_nothingAllowed) {
    failWith(unfollowed());
    return true;
  }
  if (m_sampled > 0) (m_firstToken ? m_phases.decodeMs : m_phases.firstTokenMs) += millisecondsBetween(m_stepEnded, now);
  // Tokens of one step arrive together: each took its part of the time since the last.
  const double since = millisecondsBetween(m_lastToken.value_or(m_arrival.time), now) / std::max(1, m_sampled);
  const std::vector<TokenId> sampled(m_tokens.end() - m_sampled, m_tokens.end());
  const auto fromDraft = static_cast<std::size_t>(accepted());
  m_tokens.resize(m_tokens.size() - sampled.size());
  m_draft.clear();
  m_sampled = 0;
  for (std::size_t i = 0; i < sampled.size() && !m_finished; ++i) {
    m_accepted += i < fromDraft ? 1 : 0;
    takeOne(sampled[i], std::move(m_logprobs[i]), since, now);
  }
  m_logprobs.clear();
  if (m_finished) return true;
  beginAgainIfLong();
  return !m_unusable;
}

void Sequence::takeOne(TokenId token, std::optional<Logprobs> logprobs, double sinceMs, TimePoint now) {
  const ReplyPhase before = m_constraint ? phase() : ReplyPhase::text;
  const bool atStart = m_decoder && m_decoder->atTextStart();
  const int index = static_cast<int>(m_tokens.size()) - m_promptLength;
  if (m_firstToken) m_intervals.push_back(sinceMs);
  if (!m_firstToken) m_firstToken = now;
  m_lastToken = now;
  m_tokens.push_back(token);
  const bool ends = endsTurn(token);
  const TimePoint begun = Clock::now();
  text::ReplyParts parts = show(token, ends);
  text::useDeclaredTypes(parts.calls, m_arrival.request.chat.tools);
  const bool followed = ends || (follow(token, before, atStart, parts.answer) && followInCall(token, atStart));
  if (m_channels && !ends && m_channels->channel() == text::Channel::reasoning) ++m_reasoningTokens;
  m_emit(id(), TokenEvent{token, std::move(parts.answer), index, sinceMs, static_cast<int>(m_tokens.size()), std::move(parts.reasoning),
                          std::move(parts.toolCall), std::move(parts.calls), m_drafted, m_accepted, std::move(logprobs),
                          std::move(parts.pieces)});
  m_phases.detokenizeMs += millisecondsBetween(begun, Clock::now());
  if (!followed) failWith(unfollowed());
  else if (const auto reason = reasonToEnd(ends)) finish(*reason);
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
  t.draftedTokens = m_drafted;
  t.acceptedTokens = m_accepted;
  t.prefillTokensPerSecond = perSecond(std::max(0, std::min(m_computed, m_promptLength) - m_reused), t.prefillMs);
  t.decodeTokensPerSecond = perSecond(t.generatedTokens - 1, t.decodeMs);
  std::vector<double> sorted = m_intervals;
  std::ranges::sort(sorted);
  t.tpotP50 = nearestRank(sorted, 50);
  t.tpotP95 = nearestRank(sorted, 95);
  t.tpotP99 = nearestRank(sorted, 99);
  return t;
}

void Sequence::finish(FinishReason reason) {
  const TimePoint begun = Clock::now();
  text::ReplyParts rest = tail(reason == FinishReason::endOfTurn);
  if (m_stop.matched() && reason != FinishReason::cancelled) reason = FinishReason::stopString;  // in text that was held back
  text::useDeclaredTypes(rest.calls, m_arrival.request.chat.tools);
  m_phases.detokenizeMs += millisecondsBetween(begun, Clock::now());
  m_finished = true;  // not before: what throws above has told nobody
  m_emit(id(), Finished{reason, std::move(rest.answer), timings(), static_cast<int>(m_tokens.size()), std::move(rest.reasoning),
                        std::move(rest.toolCall), std::move(rest.calls), reason == FinishReason::stopString ? m_stop.match() : "",
                        std::move(rest.pieces)});
}

void Sequence::failWith(Error error) {
  m_finished = true;
  m_emit(id(), Failed{std::move(error), timings()});
}

}  // namespace minerva::engine
