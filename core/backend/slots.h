// Which positions of each slot are filled, and the check of a step's rows that every backend makes before it runs them.
//
// Values only; used by one thread at a time (the Placement's).
#pragma once

#include "core/backend/backend.h"

namespace minerva::backend {

class Slots {
 public:
  // vocabulary: token ids must be below it.
  Slots(const PlaceOptions& options, int vocabulary);

  // Errors: invalidArgument, naming the row and the limit: too many rows or output rows, a token, slot or position out of
  // range, a gap in a slot's positions, positions of a slot not ascending by one. Changes nothing.
  [[nodiscard]] Result<void> check(std::span<const StepRow> rows) const;
  // Call when the rows were accepted: what they wrote is filled, what stood behind it is gone.
  void advance(std::span<const StepRow> rows);

  // Checks copySlot's arguments, then copy() marks the target as filled.
  [[nodiscard]] Result<void> checkCopy(int from, int to, int length) const;
  void copy(int to, int length) { m_filled[static_cast<std::size_t>(to)] = length; }

  [[nodiscard]] int filled(int slot) const { return m_filled[static_cast<std::size_t>(slot)]; }

 private:
  PlaceOptions m_options;
  int m_vocabulary;
  std::vector<int> m_filled;  // [slots]
};

// Checks options against each other and fills in nothing. Errors: invalidArgument.
[[nodiscard]] Result<void> checkPlaceOptions(const PlaceOptions& options);
// And against the plan: learned positions end the context. Errors: invalidArgument.
[[nodiscard]] Result<void> checkPlaceOptions(const model::Plan& plan, const PlaceOptions& options);

}  // namespace minerva::backend
