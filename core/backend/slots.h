// Tracks which positions of each slot are filled, in which pages, and where its recurrent states stand; validates a step's rows for every
// backend.
//
// Plain values; not thread-safe.
#pragma once

#include "core/backend/kv_pages.h"

namespace minerva::backend {

class Slots {
 public:
  Slots(const model::Plan& plan, const PlaceOptions& options);

  // Errors: invalidArgument, naming the row and the limit: too many rows or output rows; a token, slot or position out of
  // range; a gap in a slot's positions, or positions not ascending by one; a recurrent state that stands elsewhere; a window whose
  // positions were given back; of a plan with whole texts, rows that are not whole texts one after the other; limit: fewer pages are free
  // than the rows need. Changes nothing.
  [[nodiscard]] Result<void> check(std::span<const StepRow> rows) const;
  // Call after the rows were accepted: marks their positions as filled, discards all later ones, and gives them pages. Returns the pages
  // to copy before the rows run.
  [[nodiscard]] std::vector<PageCopy> advance(std::span<const StepRow> rows);

  // Validate the arguments of copySlot, saveCheckpoint and restoreCheckpoint; the functions after them record what was done.
  [[nodiscard]] Result<void> checkCopy(int from, int to, int length) const;
  void copy(int from, int to, int length);
  [[nodiscard]] Result<void> checkSave(int slot, int position, int checkpoint) const;
  void save(int slot, int position, int checkpoint);
  [[nodiscard]] Result<void> checkRestore(int checkpoint, int slot) const;
  void restore(int checkpoint, int slot);

  // As in Placement.
  [[nodiscard]] int pagesLeft(std::span<const StepRow> rows, std::span<const int> released) const;
  void release(int slot, int from);
  void dropCheckpoint(int checkpoint);

  [[nodiscard]] int filled(int slot) const { return m_slots[static_cast<std::size_t>(slot)].filled; }
  [[nodiscard]] const KvPages& pages() const { return m_pages; }

 private:
  [[nodiscard]] Result<void> checkExist(int slot, int checkpoint) const;
  [[nodiscard]] Result<void> checkPages(std::span<const StepRow> rows) const;

  struct Slot {
    int filled = 0;
    int stateAt = 0;  // the position of the next token for which its recurrent states are right
  };
  PlaceOptions m_options;
  int m_vocabulary, m_types;
  bool m_recurrent, m_wholeTexts;
  std::vector<Slot> m_slots;
  std::vector<int> m_checkpoints;  // position of each; -1: never saved
  KvPages m_pages;
};

// Validates options. Errors: invalidArgument.
[[nodiscard]] Result<void> checkPlaceOptions(const PlaceOptions& options);
// Also against the plan: learned position embeddings limit the context. Errors: invalidArgument.
[[nodiscard]] Result<void> checkPlaceOptions(const model::Plan& plan, const PlaceOptions& options);

}  // namespace minerva::backend
