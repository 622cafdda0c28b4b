// The scheduler's drafts: which tokens a step checks beside the next ones, and what a layer that predicts sees of it.
#include "core/engine/scheduler.h"

#include <algorithm>

namespace minerva::engine {

// The checkpoint to which a slot's state returns if a draft is rejected; -1: it can be cut back.
int Scheduler::draftCell(int slot) const { return m_model.plan.recurrent.empty() ? -1 : m_states.checkpoints() + slot; }

void Scheduler::askDraftModel(std::span<const Share> replies, int rows, int room) {
  std::vector<Sequence*> sequences;
  for (const Share& share : replies) sequences.push_back(share.sequence);
  m_draftingMs += m_drafting->draft(sequences, rows, room);
}

// Lets replies check drafted tokens as far as that pays.
void Scheduler::draft(std::span<const Share> replies) {
  int rows = 0;
  for (const Share& share : replies) rows += share.rows;
  if (m_drafting && m_drafting->needsStepWithoutDrafts(static_cast<int>(replies.size()), rows)) return;
  for (const Share& share : replies) share.sequence->findDraft();
  // A prompt may end in this step, and then wants logits, too.
  const int prompts = static_cast<int>(m_running.size() - replies.size());
  int room = std::min(m_model.placed.maxRows, m_model.placed.maxOutputRows) - prompts;
  if (m_repliesApart) room = std::min(room, m_mostAlike);
  if (m_drafting) askDraftModel(replies, rows, room - rows);
  auto tokens = static_cast<double>(replies.size());
  for (const Share& share : replies) {
    Sequence& sequence = *share.sequence;
    const int available = std::clamp(room - rows, 0, sequence.drafted());
    const int cell = draftCell(sequence.slot());
    int count = worthDrafting(m_draftCosts, rows, tokens, sequence.acceptance(), available, {.again = cell >= 0});
    if (count > 0 && cell >= 0 && !m_model.placement->saveCheckpoint(sequence.slot(), sequence.computed(), cell)) count = 0;
    sequence.draft(count);
    rows += count;
    double chance = 1;
    for (int i = 0; i < count; ++i) tokens += chance *= sequence.acceptance();
  }
}

// The rows that stay, of requests that may have drafts: of a draft, those of the tokens that were sampled.
void Scheduler::showPrediction(std::span<const Share> shares) {
  const auto hidden = m_model.placement->rows(m_model.plan.hidden);
  if (!hidden) return m_model.prediction->giveUp();
  int first = 0;
  for (const Share& share : shares) {
    const int all = share.rows + share.sequence->drafted(), kept = share.rows + share.sequence->accepted();
    const auto rows = std::span(m_rows).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(kept));
    if (share.sequence->mayDraft()) m_model.prediction->observe(rows, *hidden, first);
    first += all;
  }
}

}  // namespace minerva::engine
