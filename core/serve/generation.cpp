#include "core/serve/generation.h"

#include "core/serve/reply_parts.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace minerva::serve {
namespace {

constexpr std::chrono::milliseconds lookForClient{50};  // how often it is seen whether the client is still there and has time left

std::unexpected<Error> abandoned(const char* what, const char* where) {
  return fail({.kind = ErrorKind::cancelled, .what = what, .where = where});
}

std::size_t placeOfCalls(const engine::TokenEvent& token) { return token.calls.empty() ? 0 : token.calls.front().place; }

}  // namespace

Generation::Generation(std::unique_ptr<Job> job, How how)
    : m_job(std::move(job)), m_how(std::move(how)), m_called(m_job->count()), m_calls(m_job->count()) {
  if (m_how.tokenizer != nullptr) m_tokens = std::vector<ShownTokens>(m_job->count(), {*m_how.tokenizer, m_how.channels});
}

Result<std::unique_ptr<Generation>> Generation::start(Desk& desk, std::vector<engine::Request> requests, How how) {
  MINERVA_ASSIGN(auto job, desk.submit(std::move(requests)));
  return over(std::move(job), std::move(how));
}

Result<std::unique_ptr<Generation>> Generation::over(std::unique_ptr<Job> job, How how) {
  std::unique_ptr<Generation> made(new Generation(std::move(job), std::move(how)));
  MINERVA_ASSIGN(const std::optional<engine::Event> first, made->nextEvent());
  if (!first) return made;  // which next() tells
  const auto* started = std::get_if<engine::Started>(&first->body);
  if (started == nullptr) return abandoned("The request was cancelled before it began", "connection");
  made->m_started = *started;
  return made;
}

// By the clock: a model that writes on and on leaves no pause.
Result<void> Generation::lookForEnd() {
  const TimePoint now = Clock::now();
  if (now - m_looked < lookForClient) return {};
  m_looked = now;
  if (m_how.gone && m_how.gone()) return abandoned("The client has closed its connection", "connection");
  if (now - m_began > m_how.most) return abandoned("The reply takes longer than the server allows", "reply");
  return {};
}

// Events that make no piece, such as those of a call that is being written, are no end of a silence.
Result<std::optional<engine::Event>> Generation::nextEvent() {
  for (;;) {
    MINERVA_TRY(lookForEnd());
    if (m_how.silence.count() > 0 && Clock::now() - m_told >= m_how.silence) return std::nullopt;
    std::optional<engine::Event> event = m_job->next(lookForClient);
    if (!event) continue;
    if (const auto* failed = std::get_if<engine::Failed>(&event->body)) return fail(failed->error);
    return event;
  }
}

Piece Generation::pieceOf(const engine::TokenEvent& token, std::size_t choice) {
  Piece piece{.choice = choice, .content = token.text, .reasoning = token.reasoning, .calls = {}, .end = {}};
  if (m_how.callsAsText) piece.content.insert(placeOfCalls(token), token.toolCall);
  else piece.calls = callPartsOf(token, choice);
  if (!m_tokens.empty()) piece.logprobs = logprobsOf(token, m_tokens[choice]);
  return piece;
}

std::vector<CallPart> Generation::callPartsOf(const engine::TokenEvent& token, std::size_t choice) {
  std::vector<CallPart> parts;
  std::size_t& number = m_calls[choice];
  auto piece = token.callPieces.begin();
  const auto addPieces = [&](std::size_t upTo) {
    if (!m_how.callPieces) return;
    for (; piece != token.callPieces.end() && piece->call <= upTo; ++piece)
      parts.push_back({.number = piece->call, .begins = piece->begins, .name = piece->name, .arguments = piece->arguments});
  };
  for (const text::ToolCall& call : token.calls) {
    addPieces(number);
    const auto told = m_how.callPieces ? call.told : std::nullopt;
    parts.push_back(
        {.number = number++, .begins = !told, .name = call.name, .arguments = argumentsOf(call).substr(told.value_or(0)), .whole = call});
  }
  addPieces(std::string::npos);
  return parts;
}

std::vector<TokenProbability> Generation::logprobsOf(const engine::TokenEvent& token, ShownTokens& tokens) const {
  if (token.logprobs) tokens.add(token.token, *token.logprobs);
  tokens.pass(token.reasoning);
  std::vector<TokenProbability> out = tokens.take(std::string_view(token.text).substr(0, placeOfCalls(token)));
  if (m_how.callsAsText) std::ranges::move(tokens.take(token.toolCall), std::back_inserter(out));
  else tokens.pass(token.toolCall);
  std::ranges::move(tokens.take(std::string_view(token.text).substr(placeOfCalls(token))), std::back_inserter(out));
  return out;
}

Piece Generation::take(const engine::Finished& finished, std::size_t choice) {
  const engine::Timings& t = finished.timings;
  if (choice % m_how.choicesPerPrompt == 0) {
    m_usage.promptTokens += t.promptTokens;
    m_usage.reusedTokens += t.reusedTokens;
  }
  m_usage.generatedTokens += t.generatedTokens;
  m_usage.reasoningTokens += t.reasoningTokens;
  m_usage.prefillMs += t.prefillMs;
  m_usage.decodeMs += t.decodeMs;
  ++m_ended;
  engine::TokenEvent rest;
  rest.text = finished.tail;
  rest.reasoning = finished.reasoningTail;
  rest.toolCall = finished.toolCallTail;
  rest.calls = finished.callsTail;
  rest.callPieces = finished.callPiecesTail;
  Piece piece = pieceOf(rest, choice);
  piece.end = finished.reason;
  piece.stopString = finished.stopString;
  return piece;
}

// Nothing follows the first call.
void Generation::keepOneCall(Piece& piece) {
  if (m_called[piece.choice]) {
    piece = {
        .choice = piece.choice, .content = {}, .reasoning = {}, .calls = {}, .end = piece.end, .stopString = std::move(piece.stopString)};
    return;
  }
  std::erase_if(piece.calls, [](const CallPart& part) { return part.number > 0; });
  if (std::ranges::none_of(piece.calls, [](const CallPart& part) { return part.whole.has_value(); })) return;
  m_called[piece.choice] = true;
  m_job->end(piece.choice);
}

// Of a piece, what goes on with a call; the rest is for later. All of it if there is nothing else.
Piece Generation::withoutLater(Piece piece) {
  const auto begins = std::ranges::find_if(piece.calls, &CallPart::begins);
  if (begins == piece.calls.begin() || (piece.content.empty() && piece.reasoning.empty())) return piece;
  Piece first{.choice = piece.choice, .content = {}, .reasoning = {}, .calls = {piece.calls.begin(), begins}, .end = {}};
  piece.calls.erase(piece.calls.begin(), begins);
  m_later = std::move(piece);
  return first;
}

void Generation::end() {
  for (std::size_t i = 0; i < m_job->count(); ++i) m_job->end(i);
}

Result<Piece> Generation::next() {
  if (m_later) return *std::exchange(m_later, std::nullopt);
  for (;;) {
    MINERVA_ASSIGN(const std::optional<engine::Event> event, nextEvent());
    Piece piece;
    if (!event) {
      m_told = Clock::now();
      piece.silent = true;
      return piece;
    }
    const std::size_t choice = m_job->indexOf(event->request);
    if (const auto* token = std::get_if<engine::TokenEvent>(&event->body)) {
      piece = pieceOf(*token, choice);
      if (m_how.oneCall) keepOneCall(piece);
      if (piece.content.empty() && piece.reasoning.empty() && piece.calls.empty() && piece.logprobs.empty()) continue;
    } else if (const auto* finished = std::get_if<engine::Finished>(&event->body)) {
      piece = take(*finished, choice);
      if (m_how.oneCall) keepOneCall(piece);
    } else {
      if (const auto* started = std::get_if<engine::Started>(&event->body); started != nullptr && !m_started) m_started = *started;
      continue;
    }
    m_told = Clock::now();
    return withoutLater(std::move(piece));
  }
}

}  // namespace minerva::serve
