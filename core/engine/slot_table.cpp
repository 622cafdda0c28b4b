#include "core/engine/slot_table.h"

#include <algorithm>

namespace minerva::engine {
namespace {

constexpr int worthCopying = 32;  // tokens; recomputing fewer is as fast as copying

}  // namespace

int SlotTable::commonPrefix(int slot, std::span<const TokenId> prompt) const {
  const std::vector<TokenId>& held = m_slots[static_cast<std::size_t>(slot)].tokens;
  if (m_slots[static_cast<std::size_t>(slot)].longRope != isLong(prompt.size())) return 0;
  const auto same = std::ranges::mismatch(held, prompt).in2 - prompt.begin();
  return std::min(static_cast<int>(same), static_cast<int>(prompt.size()) - 1);
}

int SlotTable::victim() const {
  int best = -1;
  for (int i = 0; i < count(); ++i) {
    const Slot& slot = m_slots[static_cast<std::size_t>(i)];
    if (slot.busy) continue;
    if (slot.tokens.empty()) return i;
    if (best < 0 || slot.lastUse < m_slots[static_cast<std::size_t>(best)].lastUse) best = i;
  }
  return best;
}

std::optional<Assignment> SlotTable::choose(std::uint64_t conversation, std::span<const TokenId> prompt) const {
  const int target = victim();
  if (target < 0) return std::nullopt;
  int donor = -1;
  int longest = 0;
  for (int i = 0; i < count(); ++i) {
    const Slot& slot = m_slots[static_cast<std::size_t>(i)];
    const int common = commonPrefix(i, prompt);
    if (!slot.busy && conversation != 0 && slot.conversation == conversation) return Assignment{i, common, -1};
    if (common > longest) {
      longest = common;
      donor = i;
    }
  }
  if (donor < 0) return Assignment{target, 0, -1};
  const Slot& from = m_slots[static_cast<std::size_t>(donor)];
  if (donor == target || (!from.busy && from.conversation == 0)) return Assignment{donor, longest, -1};
  if (longest >= worthCopying) return Assignment{target, longest, donor};
  return Assignment{target, commonPrefix(target, prompt), -1};
}

void SlotTable::take(const Assignment& assignment, std::uint64_t conversation, std::span<const TokenId> prompt) {
  Slot& slot = at(assignment.slot);
  slot.busy = true;
  slot.conversation = conversation;
  slot.lastUse = ++m_uses;
  slot.tokens.assign(prompt.begin(), prompt.begin() + assignment.kept);
  slot.longRope = isLong(prompt.size());
}

void SlotTable::release(int slot) {
  at(slot).busy = false;
  at(slot).lastUse = ++m_uses;
}

void SlotTable::forgetAll() {
  for (Slot& slot : m_slots) slot.tokens.clear();
}

std::optional<int> SlotTable::borrow() {
  const int slot = victim();
  if (slot < 0) return std::nullopt;
  at(slot).tokens.clear();
  at(slot).conversation = 0;
  at(slot).lastUse = ++m_uses;
  return slot;
}

}  // namespace minerva::engine
