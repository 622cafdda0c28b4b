#include "core/engine/scheduler.h"

#include "core/backend/kv_pages.h"
#include "core/engine/unusable_logits.h"

#include <algorithm>
#include <random>

namespace minerva::engine {
namespace {

// Limits of the search for a broken weight, which holds up running replies.
constexpr double searchAloneMs = 1000, searchBesideMs = 50;

StateLimits limitsOf(const LoadedModel& model) {
  const int window = backend::smallestWindow(backend::kvGroups(model.plan, model.placed));
  const bool recurrent = !model.plan.recurrent.empty();
  return {.slots = model.placed.slots,
          .longRopeFrom = model.plan.longRopeFrom(),
          .recurrent = recurrent,
          .window = window,
          .checkpoints = recurrent || window > 0 ? model.placed.checkpoints : 0};
}

std::uint64_t newSeed() {
  std::random_device device;
  const std::uint64_t seed = (static_cast<std::uint64_t>(device()) << 32) | device();
  return seed == 0 ? 1 : seed;
}

}  // namespace

Scheduler::Scheduler(LoadedModel& model, double chunkMs, const Emit& emit)
    : m_model(model),
      m_emit(emit),
      m_states(limitsOf(model)),
      m_pacer(model.placed.maxRows, chunkMs),
      m_constraints(model.constraintTokens) {
  if (model.stepMs > 0) m_pacer.learn(1, model.stepMs);
}

void Scheduler::add(Arrival arrival, Result<Prompt> prompt) {
  const Result<void> fits = prompt ? fitsContext(static_cast<int>(prompt->tokens.size())) : Result<void>{};
  if (prompt && fits) {
    m_waiting.push_back({std::move(arrival), std::move(*prompt)});
  } else {
    m_emit(arrival.id, Failed{prompt ? fits.error() : std::move(prompt.error()), timingsOfUnstarted(arrival.time)});
  }
}

void Scheduler::cancelUnstarted(const Arrival& arrival) {
  m_emit(arrival.id, Finished{FinishReason::cancelled, {}, timingsOfUnstarted(arrival.time), 0});
}

void Scheduler::cancel(RequestId id) {
  const auto waiting = std::ranges::find_if(m_waiting, [id](const Waiting& w) { return w.arrival.id == id; });
  if (waiting != m_waiting.end()) {
    cancelUnstarted(waiting->arrival);
    m_waiting.erase(waiting);
    return;
  }
  for (const auto& sequence : m_running) {
    if (sequence->id() == id && !sequence->finished()) sequence->finish(FinishReason::cancelled);
  }
  dropFinished();
}

Result<void> Scheduler::fitsContext(int promptTokens) const {
  const int most = m_model.placed.contextLength - 1;
  if (promptTokens <= most) return {};
  const bool canGrow = m_model.placed.contextLength < m_model.plan.contextLength;
  return fail({.kind = ErrorKind::invalidArgument,
               .what = "The prompt is longer than the context",
               .where = "request",
               .expected = "at most " + std::to_string(most) + " tokens",
               .actual = std::to_string(promptTokens),
               .hint = canGrow ? "Load the model with a longer context (it was made for " + std::to_string(m_model.plan.contextLength) +
                                     "), or shorten the conversation"
                               : "Shorten the conversation: this is the model's maximum"});
}

// Gives the slot the state from which the request continues.
Result<void> Scheduler::prepare(const Assignment& assignment) {
  if (assignment.copyFrom >= 0) MINERVA_TRY(m_model.placement->copySlot(assignment.copyFrom, assignment.slot, assignment.kept));
  if (assignment.checkpoint >= 0) MINERVA_TRY(m_model.placement->restoreCheckpoint(assignment.checkpoint, assignment.slot));
  return {};
}

void Scheduler::keepCheckpoint(int slot, int apart) {
  const std::optional<int> cell = m_states.addCheckpoint(slot, apart);
  if (cell && !m_model.placement->saveCheckpoint(slot, *cell)) m_states.dropCheckpoint(*cell);
}

void Scheduler::start(Arrival arrival, Prompt prompt, const Assignment& assignment) {
  const bool prepared = prepare(assignment).has_value();
  const Assignment taken = prepared ? assignment : Assignment{.slot = assignment.slot};  // else everything is computed again
  m_states.take(taken, arrival.request.conversation, prompt.tokens);
  keepCheckpoint(taken.slot, CheckpointPositions::apart);  // the end of the reply, if a request continues from it
  if (arrival.request.sampling.seed == 0) arrival.request.sampling.seed = newSeed();
  const SequenceModel model{
      m_model.tokenizer.get(),    m_model.endOfTurn, m_model.placed.contextLength, m_model.plan.longRopeFrom(), &m_model.channels,
      m_states.checkpoints() > 0, &m_constraints};
  m_running.push_back(std::make_unique<Sequence>(std::move(arrival), std::move(prompt), taken, model, m_emit));
}

int Scheduler::reusable(std::uint64_t conversation, std::span<const TokenId> tokens) const {
  const auto assignment = m_states.choose(conversation, tokens);
  return assignment ? assignment->kept : 0;
}

// Whether a running request is computing a beginning of this prompt. Its pages will be shared, which is faster than computing it twice.
bool Scheduler::isUnderway(std::span<const TokenId> prompt, int kept) const {
  return std::ranges::any_of(m_running, [&](const std::unique_ptr<Sequence>& sequence) {
    if (!sequence->prefilling() || m_states.isLong(sequence->prompt().size()) != m_states.isLong(prompt.size())) return false;
    const auto same = std::ranges::mismatch(sequence->prompt(), prompt).in2 - prompt.begin();
    int common = std::min(static_cast<int>(same), static_cast<int>(prompt.size()) - 1);
    if (m_states.checkpoints() > 0) common = common / CheckpointPositions::every * CheckpointPositions::every;
    return sequence->computed() < common && common - kept >= CheckpointPositions::apart;
  });
}

// Starts waiting requests in order while there are free slots, except those whose beginning is underway. Returns true if any was started.
bool Scheduler::admit() {
  bool any = false;
  for (auto next = m_waiting.begin(); next != m_waiting.end();) {
    const auto assignment = m_states.choose(next->arrival.request.conversation, next->prompt.tokens);
    if (!assignment) break;
    if (isUnderway(next->prompt.tokens, assignment->kept)) {
      ++next;
      continue;
    }
    start(std::move(next->arrival), std::move(next->prompt), *assignment);
    next = m_waiting.erase(next);
    any = true;
  }
  return any;
}

// Running replies go first, with one row each; the remaining rows go to prompts, oldest first.
std::vector<Scheduler::Share> Scheduler::composeStep() {
  std::vector<Share> shares;
  m_rows.clear();
  const TimePoint now = Clock::now();
  for (const auto& sequence : m_running) {
    if (!sequence->decoding()) continue;
    sequence->addRows(1, m_rows, now);
    shares.push_back({sequence.get(), 1});
  }
  int room = std::min(m_pacer.rows(!m_rows.empty()), m_model.placed.maxRows - static_cast<int>(m_rows.size()));
  for (const auto& sequence : m_running) {
    if (room <= 0) break;
    if (!sequence->prefilling()) continue;
    const int rows = std::min({room, sequence->pending(), sequence->rowsToCheckpoint()});
    sequence->addRows(rows, m_rows, now);
    shares.push_back({sequence.get(), rows});
    room -= rows;
  }
  return shares;
}

void Scheduler::finishStep(const std::vector<Share>& shares) {
  const TimePoint now = Clock::now();
  std::vector<Sequence*> unusable;
  int output = 0;
  for (const Share& share : shares) {
    share.sequence->advance(share.rows, m_states, now);
    if (share.sequence->atCheckpoint()) keepCheckpoint(share.sequence->slot(), 1);
    if (!share.sequence->wantsToken()) continue;
    const Result<std::span<const float>> logits = m_model.placement->logits(output++);
    if (!logits) {
      share.sequence->failWith(logits.error());
    } else if (!share.sequence->take(*logits)) {
      m_states.forget(share.sequence->slot());
      unusable.push_back(share.sequence);
    }
  }
  dropFinished();
  if (unusable.empty()) return;
  const bool othersRun = m_running.size() > unusable.size();
  const Error error = explainUnusableLogits(m_model.plan, othersRun ? searchBesideMs : searchAloneMs);
  for (Sequence* sequence : unusable) sequence->failWith(error);
  dropFinished();
}

void Scheduler::failAll(const Error& error) {
  for (const auto& sequence : m_running) sequence->failWith(error);
  dropFinished();
  m_states.forgetAll();
}

void Scheduler::dropFinished() {
  std::erase_if(m_running, [this](const std::unique_ptr<Sequence>& sequence) {
    if (sequence->finished()) m_states.release(sequence->slot());
    return sequence->finished();
  });
}

bool Scheduler::tick() {
  const bool admitted = admit();
  const std::vector<Share> shares = composeStep();
  if (m_rows.empty()) return admitted;
  const TimePoint start = Clock::now();
  const Result<void> done = m_model.placement->step(m_rows);
  if (!done) {
    failAll(done.error());
    return true;
  }
  // Steps with only several replies are not representative: each of their rows computes logits, most prompt rows do not.
  const int rows = static_cast<int>(m_rows.size());
  if (rows == 1 || rows > static_cast<int>(shares.size())) m_pacer.learn(rows, millisecondsBetween(start, Clock::now()));
  finishStep(shares);
  return true;
}

Result<void> Scheduler::evaluate(std::span<const TokenId> tokens, bool allPositions, int rowsAtOnce, const Engine::TakeLogits& take) {
  MINERVA_TRY(fitsContext(static_cast<int>(tokens.size()) - 1));
  const std::optional<int> slot = m_states.borrow();
  if (!slot || tokens.empty()) {
    return fail({.kind = ErrorKind::invalidArgument,
                 .what = tokens.empty() ? "There is nothing to evaluate" : "Every conversation slot is busy",
                 .where = "evaluate"});
  }
  const int room = allPositions ? m_model.placed.maxOutputRows : m_model.placed.maxRows;
  const auto most = static_cast<std::size_t>(rowsAtOnce > 0 ? std::min(rowsAtOnce, room) : room);
  for (std::size_t begin = 0; begin < tokens.size(); begin += most) {
    const std::size_t end = std::min(tokens.size(), begin + most);
    m_rows.clear();
    for (std::size_t i = begin; i < end; ++i) {
      m_rows.push_back({tokens[i], static_cast<int>(i), *slot, allPositions || i + 1 == tokens.size(), m_states.isLong(tokens.size())});
    }
    MINERVA_TRY(m_model.placement->step(m_rows));
    m_states.run(*slot, static_cast<int>(begin), tokens.subspan(begin, end - begin), m_states.isLong(tokens.size()));
    const auto outputs = static_cast<std::size_t>(std::ranges::count_if(m_rows, &backend::StepRow::wantsLogits));
    for (std::size_t i = 0; i < outputs; ++i) {
      MINERVA_ASSIGN(const std::span<const float> logits, m_model.placement->logits(static_cast<int>(i)));
      if (take(end - outputs + i, logits)) continue;
      return fail({.kind = ErrorKind::cancelled, .what = "The evaluation was cancelled", .where = "evaluate"});
    }
  }
  return {};
}

}  // namespace minerva::engine
