// Tracks which tokens each KV slot holds and who uses it, and chooses the slot for a new request.
//
// Driving thread only. A slot's tokens are those whose keys and values are stored: position i holds tokens[i].
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
  std::uint64_t lastUse = 0;       // larger is later
  bool busy = false;
  bool longRope = false;  // its keys use the long rope frequencies (StepRow::longRope), so a short sequence cannot reuse them
};

// Where a request runs: `slot`, keeping its first `kept` positions; if copyFrom >= 0, they are first copied from that
// slot.
struct Assignment {
  int slot = 0;
  int kept = 0;
  int copyFrom = -1;
};

class SlotTable {
 public:
  // longRopeFrom: as in model::Plan.
  explicit SlotTable(int count, int longRopeFrom = 0) : m_slots(static_cast<std::size_t>(count)), m_longRopeFrom(longRopeFrom) {}

  // The best idle slot for this prompt; nullopt if all are busy. Preference: the conversation's own slot, then the
  // longest common prefix (copied if its slot belongs to another conversation and should not be overwritten), then an
  // empty slot, then the least recently used one. At least one token of the prompt is always left to compute.
  [[nodiscard]] std::optional<Assignment> choose(std::uint64_t conversation, std::span<const TokenId> prompt) const;
  // Marks the slot as busy and as holding the first `kept` tokens of the prompt.
  void take(const Assignment& assignment, std::uint64_t conversation, std::span<const TokenId> prompt);
  void release(int slot);
  void forgetAll();  // after a failed step the contents of the cache are unknown

  // An idle slot for temporary use, marked as empty; nullopt if all are busy.
  [[nodiscard]] std::optional<int> borrow();

  [[nodiscard]] Slot& at(int slot) { return m_slots[static_cast<std::size_t>(slot)]; }
  [[nodiscard]] int count() const { return static_cast<int>(m_slots.size()); }
  [[nodiscard]] bool isLong(std::size_t tokens) const { return m_longRopeFrom > 0 && tokens > static_cast<std::size_t>(m_longRopeFrom); }

 private:
  [[nodiscard]] int commonPrefix(int slot, std::span<const TokenId> prompt) const;
  [[nodiscard]] int victim() const;  // idle slot to overwrite: an empty one, else the least recently used; -1: none
  std::vector<Slot> m_slots;
  std::uint64_t m_uses = 0;
  int m_longRopeFrom = 0;
};

}  // namespace minerva::engine
