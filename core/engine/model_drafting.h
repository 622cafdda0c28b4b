// Asks a draft model, or a layer that predicts, for the replies and the numbers of tokens for which that pays, and learns from each step
// whether it did.
//
// Driving thread only. The durations of the target's steps come from the scheduler, those of the drafter's from itself, what was
// accepted from each reply. Where a draft model would have to read more than that is worth, it begins anew with the last tokens of the
// reply: its drafts need not know all that was said.
#pragma once

#include "core/engine/draft_costs.h"
#include "core/engine/draft_gain.h"
#include "core/engine/drafter.h"
#include "core/engine/sequence.h"

#include <span>
#include <vector>

namespace minerva::engine {

class ModelDrafting {
 public:
  // Both must outlive it. costs: of the target's steps. again: see DraftTime.
  ModelDrafting(Drafter& drafter, int slots, const DraftCosts& costs, bool again);

  // Another request runs in the slot.
  void begin(int slot) { m_replies[static_cast<std::size_t>(slot)] = {.gain = DraftGain::after(m_usual), .from = 0}; }
  // What such a step takes without drafts must be known, or it could not be said what drafts gain.
  [[nodiscard]] bool needsStepWithoutDrafts(int replies, int rows) const {
    return rows == replies && !m_drafter.failed() && !m_costs.isFresh(rows);
  }
  // Gives drafts to replies of the next step, which has so many rows without them and room for so many of drafts. Returns the milliseconds
  // it took.
  double draft(std::span<Sequence* const> replies, int rows, int room);
  // The drafts are not checked after all, as where a step finds no pages for them.
  void drop() { m_tries.clear(); }
  // What the step accepted of a reply's draft.
  void note(const Sequence& reply);
  // After a step of replies that had so many rows, whose duration the costs know.
  void learn(int rows);

 private:
  struct Try {
    int slot = 0;
    double ms = 0;       // of the drafter's steps
    bool reads = false;  // it has only read
    int drafted = 0, accepted = 0;
  };
  struct Reply {
    DraftGain gain;
    int from = 0;  // its first token that the drafter reads
  };
  struct Plan {
    Sequence* reply = nullptr;
    int from = 0, missing = 0;
  };
  [[nodiscard]] Reply& at(int slot) { return m_replies[static_cast<std::size_t>(slot)]; }
  [[nodiscard]] const Reply& at(int slot) const { return m_replies[static_cast<std::size_t>(slot)]; }
  [[nodiscard]] static std::span<const TokenId> tokensOf(const Plan& plan);
  [[nodiscard]] bool mayHelp(const Sequence& reply) const;
  [[nodiscard]] Plan planFrom(Sequence* reply, int from) const;
  [[nodiscard]] int wanted(const Plan& plan, std::size_t asking, int reading, int rows) const;
  [[nodiscard]] std::vector<Plan> candidates(std::span<Sequence* const> replies) const;

  Drafter& m_drafter;
  const DraftCosts& m_costs;
  bool m_again;
  std::vector<Reply> m_replies;  // by slot
  DraftGain m_usual;
  std::vector<Try> m_tries;                   // of the step in progress, as is what follows
  int m_running = 0, m_rows = 0, m_room = 0;  // replies, rows without drafts, and how many drafts may have
};

}  // namespace minerva::engine
