// Which tokens each KV slot holds, who uses it, and which slot a new request should get.
//
// Driving thread only. Tokens of a slot are those whose keys and values are stored: position i holds tokens[i].
#pragma once

#include "core/text/tokenizer.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace minerva::engine {

using text::TokenId;

struct Slot {
  std::vector<TokenId> tokens;
  std::uint64_t conversation = 0;  // of the last request; 0: none
  std::uint64_t lastUse = 0;       // larger: later
  bool busy = false;
  bool longRope = false;  // its keys were rotated for a long sequence (StepRow::longRope): no use to a short one
};

// Where a request goes: reuse `kept` positions of `slot`; where copyFrom >= 0, copy them from there first.
struct Assignment {
  int slot = 0;
  int kept = 0;
  int copyFrom = -1;
};

class SlotTable {
 public:
  // longRopeFrom: as in model::Plan.
  explicit SlotTable(int count, int longRopeFrom = 0) : m_slots(static_cast<std::size_t>(count)), m_longRopeFrom(longRopeFrom) {}

  // The best idle slot for this prompt, or nothing while all are busy. Prefers the conversation's own slot, then the longest
  // common prefix (copied from another conversation's slot if there is a better victim), then an empty one, then the one
  // unused longest. At least one token of the prompt is always left to compute.
  [[nodiscard]] std::optional<Assignment> choose(std::uint64_t conversation, std::span<const TokenId> prompt) const;
  // Marks the slot as busy with the first `kept` tokens of prompt in it.
  void take(const Assignment& assignment, std::uint64_t conversation, std::span<const TokenId> prompt);
  void release(int slot);
  void forgetAll();  // after a failed step nothing is certain any more

  // An idle slot to work in, its tokens forgotten; nothing while all are busy.
  [[nodiscard]] std::optional<int> borrow();

  [[nodiscard]] Slot& at(int slot) { return m_slots[static_cast<std::size_t>(slot)]; }
  [[nodiscard]] int count() const { return static_cast<int>(m_slots.size()); }
  [[nodiscard]] bool isLong(std::size_t tokens) const { return m_longRopeFrom > 0 && tokens > static_cast<std::size_t>(m_longRopeFrom); }

 private:
  [[nodiscard]] int commonPrefix(int slot, std::span<const TokenId> prompt) const;
  [[nodiscard]] int victim() const;  // idle slot to overwrite: an empty one, else the one unused longest; -1: none
  std::vector<Slot> m_slots;
  std::uint64_t m_uses = 0;
  int m_longRopeFrom = 0;
};

}  // namespace minerva::engine
