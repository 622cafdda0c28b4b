// Tracks which positions of each slot are filled and where its recurrent states stand, and validates a step's rows for every backend.
//
// Plain values; not thread-safe.
#pragma once

#include "core/backend/backend.h"

namespace minerva::backend {

class Slots {
 public:
  Slots(const model::Plan& plan, const PlaceOptions& options);

  // Errors: invalidArgument, naming the row and the limit: too many rows or output rows; a token, slot or position out of
  // range; a gap in a slot's positions, or positions not ascending by one; a recurrent state that stands elsewhere. Changes nothing.
  [[nodiscard]] Result<void> check(std::span<const StepRow> rows) const;
  // Call after the rows were accepted: marks their positions as filled and discards all later ones.
  void advance(std::span<const StepRow> rows);

  // Validate the arguments of copySlot, saveCheckpoint and restoreCheckpoint; the functions after them record what was done.
  [[nodiscard]] Result<void> checkCopy(int from, int to, int length) const;
  void copy(int from, int to, int length);
  [[nodiscard]] Result<void> checkSave(int slot, int checkpoint) const;
  void save(int slot, int checkpoint);
  [[nodiscard]] Result<void> checkRestore(int checkpoint, int slot) const;
  void restore(int checkpoint, int slot);

  [[nodiscard]] int filled(int slot) const { return m_slots[static_cast<std::size_t>(slot)].filled; }

 private:
  struct Slot {
    int filled = 0;
    int stateAt = 0;  // the position of the next token for which its recurrent states are right
  };
  PlaceOptions m_options;
  int m_vocabulary;
  bool m_recurrent;
  std::vector<Slot> m_slots;
  std::vector<int> m_checkpoints;  // position of each; -1: never saved
};

// Validates options. Errors: invalidArgument.
[[nodiscard]] Result<void> checkPlaceOptions(const PlaceOptions& options);
// Also against the plan: learned position embeddings limit the context. Errors: invalidArgument.
[[nodiscard]] Result<void> checkPlaceOptions(const model::Plan& plan, const PlaceOptions& options);

}  // namespace minerva::backend
