#include "bench/load_engine.h"

#include <algorithm>

namespace minerva::bench {
namespace {

engine::Request requestOf(const ChatAsk& ask, const serve::ServedModel& model) {
  engine::Request request;
  request.chat.messages.push_back({{"role", "user"}, {"content", ask.prompt}});
  request.sampling = model.recommendedSampling();
  request.sampling.temperature = 0;
  request.maxTokens = ask.maxTokens;
  request.ignoreEndOfTurn = ask.ignoreEnd;
  return request;
}

void takeEvent(ChatProgress& progress, const engine::Event& event) {
  if (const auto* token = std::get_if<engine::TokenEvent>(&event.body)) {
    if (token->text.empty() && token->reasoning.empty() && token->toolCall.empty()) return;
    progress.last = Clock::now();
    if (progress.pieces++ == 0) progress.first = progress.last;
  } else if (const auto* finished = std::get_if<engine::Finished>(&event.body)) {
    progress.promptTokens = finished->timings.promptTokens;
    progress.completionTokens = finished->timings.generatedTokens;
    progress.cachedTokens = finished->timings.reusedTokens;
    progress.finishReason = engine::name(finished->reason);
    progress.done = true;
  } else if (const auto* failed = std::get_if<engine::Failed>(&event.body)) {
    progress.error = LoadError{"engine", failed->error.message()};
  }
}

}  // namespace

ChatOutcome EngineLoadClient::chat(const ChatAsk& ask) {
  ChatOutcome outcome;
  outcome.start = Clock::now();
  const TimePoint latest = outcome.start + m_timeout;
  ChatProgress& progress = outcome.progress;
  if (const auto job = m_desk.submit({requestOf(ask, m_desk.model())}); !job) {
    progress.error = LoadError{"refused", job.error().message()};
  } else {
    while (!progress.done && !progress.error) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(latest - Clock::now());
      const auto event = (*job)->next(std::max(left, std::chrono::milliseconds(0)));
      if (event) takeEvent(progress, *event);
      else if (Clock::now() >= latest) progress.error = LoadError{"timeout", "no end of the reply in time"};
    }
  }
  outcome.end = Clock::now();
  return outcome;
}

}  // namespace minerva::bench
