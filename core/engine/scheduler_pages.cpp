// The part of Scheduler about pages, where all slots share the keys and values of fewer whole contexts (LoadOptions::contexts).
//
// One request alone always finds its pages, because there is at least one whole context. A new request waits until there are pages for its
// prompt and one more for each running reply. Before anybody waits, idle slots give back what they hold, page by page from its end, so that
// whoever returns to one finds its beginning. If replies together outgrow the pages, the youngest pauses: it gives back all of its pages
// and is computed again when there is room, before any new request starts.
#include "core/engine/scheduler.h"

#include "core/backend/kv_pages.h"

#include <algorithm>
#include <array>
#include <utility>

namespace minerva::engine {
namespace {

// The first and the last row of what a slot will write, its next token included: the pages of all rows between are those that they need.
void addEnds(int slot, int from, std::size_t tokens, std::vector<backend::StepRow>& rows) {
  rows.push_back({0, from, slot});
  rows.push_back({0, static_cast<int>(tokens), slot});
}

}  // namespace

bool Scheduler::sharesPages() const { return m_model.placed.contexts > 0 && m_model.placed.contexts < m_model.placed.slots; }

// In the books and in the placement, here and wherever a slot's state is of no more use: pages that only one of them knows would be lost.
void Scheduler::giveBack(int slot) {
  m_states.giveBack(slot);
  m_model.placement->release(slot, 0);
}

// The least recently used idle slot gives back its last page, and what is of no use without it. Returns false if there is none.
bool Scheduler::giveBackIdle(std::span<const int> except) {
  for (const int slot : m_states.idle()) {
    if (std::ranges::find(except, slot) != except.end()) continue;
    const auto held = static_cast<int>(m_states.at(slot).tokens.size());
    const Assignment rest = m_states.shortened(slot, (held - 1) / backend::kvPagePositions * backend::kvPagePositions);
    if (rest.kept == 0 || !prepare(rest)) {
      giveBack(slot);
    } else {
      m_states.shorten(rest);
      m_model.placement->release(slot, rest.kept);
    }
    return true;
  }
  return false;
}

// What the requests that run will write next.
std::vector<backend::StepRow> Scheduler::rowsAhead() const {
  std::vector<backend::StepRow> rows;
  for (const auto& sequence : m_running) {
    if (!sequence->paused())
      addEnds(sequence->slot(), sequence->computed(), static_cast<std::size_t>(sequence->computed() + sequence->pending()), rows);
  }
  return rows;
}

// Makes pages free for these rows and `more` beside them, if idle slots other than `except` hold enough.
bool Scheduler::findPages(std::span<const backend::StepRow> ahead, int more, std::span<const int> except) {
  std::vector<int> idle = m_states.idle();
  std::erase_if(idle, [&](int slot) { return std::ranges::find(except, slot) != except.end(); });
  if (m_model.placement->pagesLeft(ahead, idle) < more) return false;
  while (m_model.placement->pagesLeft(ahead, {}) < more && giveBackIdle(except)) continue;
  return true;
}

// Where a waiting request runs, given the place chosen for it; nullopt: it goes on waiting for pages.
std::optional<Assignment> Scheduler::findPagesFor(Assignment chosen, const Prompt& prompt) {
  if (!sharesPages()) return chosen;
  if (std::ranges::any_of(m_running, [](const auto& sequence) { return sequence->paused(); })) return {};
  std::vector<backend::StepRow> ahead = rowsAhead();
  addEnds(chosen.slot, chosen.kept, prompt.tokens.size(), ahead);
  if (findPages(ahead, static_cast<int>(m_running.size()), std::array{chosen.copyFrom >= 0 ? chosen.copyFrom : chosen.slot})) return chosen;
  if (!m_running.empty()) return {};
  // Alone it finds its pages, but not beside the slot from which it copies: it takes that slot.
  if (chosen.copyFrom >= 0) chosen.slot = std::exchange(chosen.copyFrom, -1);
  return chosen;
}

// The last of the requests that run pauses. Returns false if it would be the only one.
bool Scheduler::pauseYoungest() {
  std::vector<Sequence*> active;
  for (const auto& sequence : m_running) {
    if (!sequence->paused()) active.push_back(sequence.get());
  }
  if (active.size() < 2) return false;
  active.back()->pause();
  giveBack(active.back()->slot());
  return true;
}

// In the order of their arrival, as far as there are pages for all that they hold again.
void Scheduler::resumePaused() {
  if (!sharesPages()) return;
  auto active = static_cast<int>(std::ranges::count_if(m_running, [](const auto& sequence) { return !sequence->paused(); }));
  for (const auto& sequence : m_running) {
    if (!sequence->paused()) continue;
    std::vector<backend::StepRow> ahead = rowsAhead();
    addEnds(sequence->slot(), 0, static_cast<std::size_t>(sequence->pending()), ahead);
    if (!findPages(ahead, active, {}) && active > 0) return;
    sequence->resume();
    ++active;
  }
}

}  // namespace minerva::engine
