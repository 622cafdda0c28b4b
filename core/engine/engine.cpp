// The door: what other threads may call is queued here under a lock; everything else is the scheduler's.
#include "core/engine/engine.h"

#include "core/engine/scheduler.h"

#include <condition_variable>
#include <mutex>

namespace minerva::engine {

struct Engine::State {
  std::unique_ptr<LoadedModel> model;
  Sink sink;
  Emit emit;
  std::optional<Scheduler> scheduler;

  std::mutex mutex;
  std::condition_variable_any arrived;
  std::vector<Arrival> submitted;    // guarded by mutex
  std::vector<RequestId> cancelled;  // guarded by mutex
  RequestId nextId = 1;              // guarded by mutex

  bool takeCommands();
};

// A request that was submitted and cancelled before this tick is seen as both, in that order.
bool Engine::State::takeCommands() {
  std::vector<Arrival> arrivals;
  std::vector<RequestId> cancels;
  {
    const std::scoped_lock lock(mutex);
    arrivals.swap(submitted);
    cancels.swap(cancelled);
  }
  for (Arrival& arrival : arrivals) scheduler->add(std::move(arrival));
  for (const RequestId id : cancels) scheduler->cancel(id);
  return !cancels.empty();
}

Result<std::unique_ptr<Engine>> Engine::load(backend::Backend& backend, const LoadOptions& options,
                                             const std::function<void(const LoadProgress&)>& progress, std::stop_token stop) {
  MINERVA_ASSIGN(auto model, loadModel(backend, options, progress, std::move(stop)));
  auto state = std::make_unique<State>();
  state->model = std::move(model);
  State* raw = state.get();
  state->emit = [raw](RequestId id, auto body) {
    if (raw->sink) raw->sink(Event{id, Clock::now(), std::move(body)});
  };
  state->scheduler.emplace(*state->model, options.chunkMs, state->emit);
  return std::unique_ptr<Engine>(new Engine(std::move(state)));
}

Engine::Engine(std::unique_ptr<State> state) : m_state(std::move(state)) {}
Engine::~Engine() = default;

const ModelInfo& Engine::info() const { return m_state->model->info; }
const text::Tokenizer* Engine::tokenizer() const { return m_state->model->tokenizer.get(); }
const text::ChatTemplate* Engine::chatTemplate() const { return m_state->model->chatTemplate ? &*m_state->model->chatTemplate : nullptr; }
SamplingOptions Engine::recommendedSampling() const { return m_state->model->recommended; }

void Engine::setSink(Sink sink) { m_state->sink = std::move(sink); }

RequestId Engine::submit(Request request) {
  const std::scoped_lock lock(m_state->mutex);
  const RequestId id = m_state->nextId++;
  m_state->submitted.push_back({id, std::move(request), Clock::now()});
  m_state->arrived.notify_all();
  return id;
}

void Engine::cancel(RequestId id) {
  const std::scoped_lock lock(m_state->mutex);
  m_state->cancelled.push_back(id);
  m_state->arrived.notify_all();
}

Result<Preview> Engine::preview(const Request& request) const { return m_state->scheduler->preview(request); }

bool Engine::step() {
  const bool cancelled = m_state->takeCommands();
  return m_state->scheduler->tick() || cancelled;
}

bool Engine::waitForWork(std::stop_token stop) {
  std::unique_lock lock(m_state->mutex);
  return m_state->arrived.wait(lock, stop, [this] { return !m_state->submitted.empty() || !m_state->cancelled.empty(); });
}

Result<std::vector<float>> Engine::evaluate(std::span<const TokenId> tokens, bool allPositions) {
  std::vector<float> all;
  MINERVA_TRY(m_state->scheduler->evaluate(tokens, allPositions, 0, [&](std::size_t, std::span<const float> logits) {
    all.insert(all.end(), logits.begin(), logits.end());
    return true;
  }));
  return all;
}

Result<void> Engine::evaluate(std::span<const TokenId> tokens, int rowsAtOnce, const TakeLogits& take) {
  return m_state->scheduler->evaluate(tokens, true, rowsAtOnce, take);
}

}  // namespace minerva::engine
