// Tracks which positions of each slot are filled, and validates a step's rows for every backend.
//
// Plain values; not thread-safe.
#pragma once

#include "core/backend/backend.h"

namespace minerva::backend {

class Slots {
 public:
  // vocabulary: number of token ids.
  Slots(const PlaceOptions& options, int vocabulary);

  // Errors: invalidArgument, naming the row and the limit: too many rows or output rows; a token, slot or position out of
  // range; a gap in a slot's positions, or positions not ascending by one. Changes nothing.
  [[nodiscard]] Result<void> check(std::span<const StepRow> rows) const;
  // Call after the rows were accepted: marks their positions as filled and discards all later ones.
  void advance(std::span<const StepRow> rows);

  // Validates copySlot's arguments; copy() then marks the target as filled.
  [[nodiscard]] Result<void> checkCopy(int from, int to, int length) const;
  void copy(int to, int length) { m_filled[static_cast<std::size_t>(to)] = length; }

  [[nodiscard]] int filled(int slot) const { return m_filled[static_cast<std::size_t>(slot)]; }

 private:
  PlaceOptions m_options;
  int m_vocabulary;
  std::vector<int> m_filled;  // [slots]
};

// Validates options. Errors: invalidArgument.
[[nodiscard]] Result<void> checkPlaceOptions(const PlaceOptions& options);
// Also against the plan: learned position embeddings limit the context. Errors: invalidArgument.
[[nodiscard]] Result<void> checkPlaceOptions(const model::Plan& plan, const PlaceOptions& options);

}  // namespace minerva::backend
