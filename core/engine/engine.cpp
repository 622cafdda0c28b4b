// Forwards to the inbox (functions for any thread) and the scheduler (driving thread).
#include "core/engine/engine.h"

#include "core/engine/inbox.h"
#include "core/engine/scheduler.h"

#include <chrono>

namespace minerva::engine {

namespace {

constexpr std::chrono::milliseconds promptPatience{20};  // how long a step waits for a prompt before it returns

}  // namespace

struct Engine::State {
  State(std::unique_ptr<LoadedModel> loaded, const LoadOptions& options)
      : model(std::move(loaded)),
        emit([this](RequestId id, auto body) {
          if (sink) sink(Event{id, Clock::now(), std::move(body), model->placement->memory().kvHeld});
        }),
        scheduler(*model, options.chunkMs, emit),
        inbox(makerOf(*model), options.queue) {}

  static PromptMaker makerOf(const LoadedModel& model) {
    return {model.tokenizer, model.chatTemplate, model.plan.vocabularySize, model.placed.contextLength, model.constraintTokens};
  }

  std::unique_ptr<LoadedModel> model;
  Sink sink;
  Emit emit;
  Scheduler scheduler;
  Inbox inbox;
};

Result<std::unique_ptr<Engine>> Engine::load(backend::Backend& backend, const LoadOptions& options,
                                             const std::function<void(const LoadProgress&)>& progress, std::stop_token stop) {
  MINERVA_ASSIGN(auto model, loadModel(backend, options, progress, std::move(stop)));
  return std::unique_ptr<Engine>(new Engine(std::make_unique<State>(std::move(model), options)));
}

Engine::Engine(std::unique_ptr<State> state) : m_state(std::move(state)) {}
Engine::~Engine() = default;

const ModelInfo& Engine::info() const { return m_state->model->info; }
const text::Tokenizer* Engine::tokenizer() const { return m_state->model->tokenizer.get(); }
const text::ChatTemplate* Engine::chatTemplate() const { return m_state->model->chatTemplate.get(); }
SamplingOptions Engine::recommendedSampling() const { return m_state->model->recommended; }

void Engine::setSink(Sink sink) { m_state->sink = std::move(sink); }

RequestId Engine::submit(Request request) { return m_state->inbox.submit(std::move(request)); }
void Engine::cancel(RequestId id) { m_state->inbox.cancel(id); }
void Engine::waitForPrompts() { m_state->inbox.waitForPrompts(); }
bool Engine::waitForWork(std::stop_token stop) { return m_state->inbox.waitForWork(std::move(stop)); }

PromptMaker Engine::promptMaker() const { return State::makerOf(*m_state->model); }

int Engine::reusable(std::uint64_t conversation, std::span<const TokenId> tokens) const {
  return m_state->scheduler.reusable(conversation, tokens);
}

Result<Preview> Engine::preview(const Request& request) const {
  MINERVA_ASSIGN(Prompt prompt, promptMaker().make(request));
  const int kept = reusable(request.conversation, prompt.tokens);
  return Preview{std::move(prompt.text), std::move(prompt.tokens), kept};
}

bool Engine::step() {
  Scheduler& scheduler = m_state->scheduler;
  Inbox::Delivery delivery = m_state->inbox.take();
  const bool delivered = !delivery.empty();
  for (Inbox::Made& made : delivery.made) scheduler.add(std::move(made.arrival), std::move(made.prompt));
  for (const Inbox::Made& gone : delivery.withdrawn) scheduler.cancelUnstarted(gone.arrival);
  for (const RequestId id : delivery.cancelled) scheduler.cancel(id);
  const bool ran = scheduler.tick();
  m_state->inbox.setWaiting(scheduler.waiting());
  return ran || delivered || m_state->inbox.waitForPrompt(promptPatience);
}

Result<std::vector<float>> Engine::evaluate(std::span<const TokenId> tokens, bool allPositions) {
  std::vector<float> all;
  MINERVA_TRY(m_state->scheduler.evaluate(tokens, allPositions, 0, [&](std::size_t, std::span<const float> logits) {
    all.insert(all.end(), logits.begin(), logits.end());
    return true;
  }));
  return all;
}

Result<void> Engine::evaluate(std::span<const TokenId> tokens, int rowsAtOnce, const TakeLogits& take) {
  return m_state->scheduler.evaluate(tokens, true, rowsAtOnce, take);
}

}  // namespace minerva::engine
