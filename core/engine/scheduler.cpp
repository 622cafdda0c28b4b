#include "core/engine/scheduler.h"

#include "core/backend/kv_pages.h"
#include "core/engine/sampling/largest.h"
#include "core/engine/unusable_logits.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <new>
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
          .checkpoints = recurrent || window > 0 ? model.placed.checkpoints - draftCheckpoints(model.drafts, model.placed, model.plan) : 0,
          .promptsOnly = model.placed.alike == backend::Alike::always,
          .endOfTurn = model.endOfTurn};
}

Error noMemory() {
  return {.kind = ErrorKind::outOfMemory,
          .what = "There is not enough memory to go on with the reply",
          .where = "request",
          .hint = "Close other programs, or run fewer conversations at once"};
}

// A reply's mishap, which on the engine's thread would end the program.
Error mishap(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return noMemory();
  return {.what = "The reply broke off", .where = "request", .actual = error.what()};
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
      m_repliesApart((model.drafts || model.placed.alike == backend::Alike::always) && model.info.device.alike == backend::Alike::apart),
      m_mostAlike(model.placed.alike == backend::Alike::always ? model.placed.maxRows : std::min(backend::mostAlike, model.placed.maxRows)),
      m_constraints(model.constraintTokens) {
  if (model.stepMs > 0) m_pacer.learn(1, model.stepMs);
  const bool again = !model.plan.recurrent.empty();
  if (model.draftModel) m_drafting.emplace(*model.draftModel, model.placed.slots, m_draftCosts, again);
  else if (model.prediction) m_drafting.emplace(*model.prediction, model.placed.slots, m_draftCosts, again);
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
               .where = contextField,
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
  const std::optional<Checkpoint> made = m_states.addCheckpoint(slot, apart);
  if (made && !m_model.placement->saveCheckpoint(slot, made->position, made->cell)) m_states.dropCheckpoint(made->cell);
}

void Scheduler::start(Waiting waiting, const Assignment& assignment) {
  const RequestId id = waiting.arrival.id;
  const TimePoint time = waiting.arrival.time;
  try {
    startIn(assignment, std::move(waiting.arrival), std::move(waiting.prompt));
  } catch (const std::exception& error) {  // no memory for its grammar, for one
    m_states.release(assignment.slot);
    giveBack(assignment.slot);
    m_emit(id, Failed{mishap(error), timingsOfUnstarted(time)});
  }
}

void Scheduler::startIn(const Assignment& assignment, Arrival arrival, Prompt prompt) {
  const bool prepared = prepare(assignment).has_value();
  const Assignment taken = prepared ? assignment : Assignment{.slot = assignment.slot};  // else everything is computed again
  if (taken.kept == 0) giveBack(taken.slot);
  m_states.take(taken, arrival.request.conversation, prompt.tokens);
  if (m_drafting) m_drafting->begin(taken.slot);
  if (m_model.prediction)
    m_model.prediction->begin(taken.slot, taken.copyFrom, std::span(prompt.tokens).first(static_cast<std::size_t>(taken.kept)));
  keepCheckpoint(taken.slot, CheckpointPositions::apart);  // the end of the reply, if a request continues from it
  if (arrival.request.sampling.seed == 0) arrival.request.sampling.seed = newSeed();
  const SequenceModel model{m_model.tokenizer.get(),
                            m_model.endOfTurn,
                            m_model.placed.contextLength,
                            m_model.plan.longRopeFrom(),
                            &m_model.channels,
                            m_states.checkpoints() > 0,
                            &m_constraints,
                            m_model.suppressed};
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

// Starts waiting requests in order while there are free slots and pages, except those whose beginning is underway. Returns true if any was
// started.
bool Scheduler::admit() {
  bool any = false;
  resumePaused();
  for (auto next = m_waiting.begin(); next != m_waiting.end();) {
    const auto chosen = m_states.choose(next->arrival.request.conversation, next->prompt.tokens);
    if (chosen && isUnderway(next->prompt.tokens, chosen->kept)) {
      ++next;
      continue;
    }
    const auto assignment = chosen ? findPagesFor(*chosen, next->prompt) : std::nullopt;
    if (!assignment) break;
    Waiting taken = std::move(*next);
    next = m_waiting.erase(next);
    start(std::move(taken), *assignment);
    any = true;
  }
  return any;
}

// Writes a step into the books of a reply and tells its reader. What throws there is this reply's own mishap: it ends, and its slot holds
// nothing. Returns false if its logits were unusable.
bool Scheduler::tell(const Share& share, bool takenBack, TimePoint stepEnded) {
  Sequence& sequence = *share.sequence;
  try {
    sequence.advance(share.rows, takenBack, m_states, stepEnded);
    if (!takenBack && sequence.atCheckpoint()) keepCheckpoint(sequence.slot(), 1);
    return sequence.take();
  } catch (const std::exception& error) {
    giveBack(sequence.slot());
    if (!sequence.finished()) sequence.failWith(mishap(error));
    return true;
  }
}

void Scheduler::finishStep(const std::vector<Share>& shares, TimePoint stepEnded) {
  if (const Result<void> sampled = sample(shares); !sampled) {
    failAll(sampled.error());
    return;
  }
  if (m_model.prediction) showPrediction(shares);
  std::vector<Sequence*> unusable;
  for (const Share& share : shares) {
    Sequence& sequence = *share.sequence;
    const int cell = draftCell(sequence.slot());
    const bool takenBack = sequence.rejects() && cell >= 0;
    if (takenBack) {
      if (const Result<void> restored = m_model.placement->restoreCheckpoint(cell, sequence.slot()); !restored) {
        failAll(restored.error());
        return;
      }
    }
    if (m_drafting) m_drafting->note(sequence);
    if (tell(share, takenBack, stepEnded)) continue;
    m_states.forget(sequence.slot());
    giveBack(sequence.slot());
    unusable.push_back(&sequence);
  }
  dropFinished();
  if (unusable.empty()) return;
  const bool othersRun = m_running.size() > unusable.size();
  const Error error = explainUnusableLogits(m_model.plan, othersRun ? searchBesideMs : searchAloneMs);
  for (Sequence* sequence : unusable) sequence->failWith(error);
  dropFinished();
}

// Nothing is run of a step that is refused (backend::Placement): it is the fault of its own requests. After any other failure the contents
// of all states are unknown.
void Scheduler::failStep(const Error& error, std::span<const Share> shares) {
  if (error.kind != ErrorKind::limit && error.kind != ErrorKind::invalidArgument) return failAll(error);
  for (const Share& share : shares) {
    share.sequence->failWith(error);
    giveBack(share.sequence->slot());
  }
  dropFinished();
}

void Scheduler::failAll(const Error& error) {
  for (const auto& sequence : m_running)
    if (!sequence->finished()) sequence->failWith(error);
  dropFinished();
  for (int slot = 0; slot < m_states.count(); ++slot) giveBack(slot);
}

void Scheduler::dropFinished() {
  std::erase_if(m_running, [this](const std::unique_ptr<Sequence>& sequence) {
    if (sequence->finished()) m_states.release(sequence->slot());
    return sequence->finished();
  });
}

bool Scheduler::tick() try { return runTick(); } catch (const std::exception& error) {
  failAll(mishap(error));
  return true;
}

bool Scheduler::runTick() {
  const bool admitted = admit();
  for (const int cell : m_states.takeUnused()) m_model.placement->dropCheckpoint(cell);
  m_draftingMs = 0;
  const TimePoint start = Clock::now();
  const std::vector<Share> shares = composeStep();
  if (m_rows.empty()) return admitted;
  const bool prompts = shares.back().sequence->prefilling();
  const auto rows = static_cast<int>(m_rows.size());
  const auto replies = static_cast<int>(std::ranges::count_if(shares, [](const Share& share) { return share.sequence->decoding(); }));
  const Result<void> done = m_model.placement->step(m_rows);
  if (!done) {
    failStep(done.error(), shares);
    return true;
  }
  const TimePoint stepEnded = Clock::now();
  m_promptsTurn = !prompts;
  // Steps with only several replies are not representative: each of their rows computes logits, most prompt rows do not.
  const double stepMs = millisecondsBetween(start, stepEnded) - m_draftingMs;
  if (rows == 1 || prompts) m_pacer.learn(rows, stepMs, prompts ? replies : 0);
  if (!prompts && rows == replies) m_pacer.learnReplies(rows, stepMs);
  if (!prompts) m_mostReplies = std::max(m_mostReplies, replies);
  finishStep(shares, stepEnded);
  if (m_model.drafts && !prompts) {
    m_draftCosts.learn(rows, millisecondsBetween(start, Clock::now()) - m_draftingMs);
    if (m_drafting) m_drafting->learn(rows);
  }
  if (m_model.prediction) m_model.prediction->catchUp();
  return true;
}

// Runs the rows, which are the tokens of a slot up to `end`. Returns false if `take` aborts.
Result<bool> Scheduler::evaluateRows(std::span<const TokenId> tokens, std::size_t end, const Engine::TakeLogits& take) {
  MINERVA_TRY(m_model.placement->step(m_rows));
  m_states.run(m_rows.front().slot, m_rows.front().position, tokens.subspan(end - m_rows.size(), m_rows.size()), m_rows.front().longRope);
  const auto outputs = static_cast<std::size_t>(std::ranges::count_if(m_rows, &backend::StepRow::wantsLogits));
  for (std::size_t i = 0; i < outputs; ++i) {
    MINERVA_ASSIGN(const std::span<const float> logits, m_model.placement->logits(static_cast<int>(i)));
    if (!take(end - outputs + i, logits)) return false;
  }
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
  giveBack(*slot);
  // A GPU shows nothing else while it computes, and drivers end what takes too long; a CPU is shared.
  const int fitting = allPositions ? m_model.placed.maxOutputRows : m_model.placed.maxRows;
  const bool shared = m_model.info.device.kind == "CPU";
  const int room = shared ? fitting : ChunkPacer::rowsOfText(fitting, m_model.stepMs);
  const auto most = static_cast<std::size_t>(rowsAtOnce > 0 ? std::min(rowsAtOnce, room) : room);
  for (std::size_t begin = 0; begin < tokens.size(); begin += most) {
    const std::size_t end = std::min(tokens.size(), begin + most);
    m_rows.clear();
    for (std::size_t i = begin; i < end; ++i) {
      m_rows.push_back({tokens[i], static_cast<int>(i), *slot, allPositions || i + 1 == tokens.size(), m_states.isLong(tokens.size())});
    }
    while (sharesPages() && m_model.placement->pagesLeft(m_rows, {}) < 0 && giveBackIdle(std::array{*slot})) continue;
    bool usable = true;
    const auto takeUsable = [&](std::size_t position, std::span<const float> logits) {
      usable = !std::isnan(sampling::largestOf(logits));
      return usable && take(position, logits);
    };
    const Result<bool> goesOn = evaluateRows(tokens, end, takeUsable);
    if (!usable) {
      giveBack(*slot);
      return fail(explainUnusableLogits(m_model.plan, m_running.empty() ? searchAloneMs : searchBesideMs));
    }
    if (!goesOn) {
      giveBack(*slot);
      failStep(goesOn.error(), {});
      return fail(goesOn.error());
    }
    if (!*goesOn) return fail({.kind = ErrorKind::cancelled, .what = "The evaluation was cancelled", .where = "evaluate"});
  }
  return {};
}

}  // namespace minerva::engine
