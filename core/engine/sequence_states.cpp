#include "core/engine/sequence_states.h"

#include <algorithm>
#include <utility>

namespace minerva::engine {
namespace {

constexpr int worthCopying = 32;  // tokens; recomputing fewer is as fast as copying

// Discards what the slot holds from `length` on.
void cutBack(Slot& slot, int length) {
  slot.tokens.resize(static_cast<std::size_t>(length));
  slot.returnsTo = std::min(slot.returnsTo, length);
  std::erase_if(slot.checkpoints, [length](const Checkpoint& checkpoint) { return checkpoint.position > length; });
}

}  // namespace

SequenceStates::Prefix SequenceStates::reusable(const Slot& slot, std::span<const TokenId> prompt) const {
  if (slot.longRope != isLong(prompt.size())) return {};
  const auto same = static_cast<int>(std::ranges::mismatch(slot.tokens, prompt).in2 - prompt.begin());
  const int most = m_limits.promptsOnly ? slot.promptLength : static_cast<int>(slot.tokens.size());
  const int common = std::min({same, static_cast<int>(prompt.size()) - 1, most});
  Prefix prefix = returningTo(slot, common);
  prefix.same = same;
  return prefix;
}

// The longest prefix of these tokens of the slot at which it can go on.
SequenceStates::Prefix SequenceStates::returningTo(const Slot& slot, int common) const {
  const bool stands = !m_limits.recurrent || common == static_cast<int>(slot.tokens.size());
  if (stands && common >= slot.returnsTo) return {.kept = common};
  const auto after = std::ranges::upper_bound(slot.checkpoints, common, {}, &Checkpoint::position);
  if (after == slot.checkpoints.begin()) return {};
  return {.kept = std::prev(after)->position, .checkpoint = std::prev(after)->cell};
}

// Whether a prompt that shares the slot's first `same` tokens may take the place of its others. What the slot was last asked tells whose
// prompt it is: that of the same chat has all of its messages, and differs at most in how the template began the reply. The reply itself
// tells nothing: of a chat that thinks, it comes back without its thoughts. Where no token ends a message, a small part may differ.
bool SequenceStates::goesOn(const Slot& slot, int same) const {
  constexpr int little = 64;  // tokens, soon computed again
  const auto held = static_cast<int>(slot.tokens.size());
  if (held - same <= little) return true;
  const int asked = std::min(slot.promptLength, held);
  if (same >= asked) return true;
  const auto differs = std::span(slot.tokens).subspan(static_cast<std::size_t>(same), static_cast<std::size_t>(asked - same));
  if (asked - same > std::max(little, asked / 8)) return false;
  return std::ranges::find_first_of(differs, m_limits.endOfTurn) == differs.end();
}

int SequenceStates::victim() const {
  int best = -1;
  for (int i = 0; i < count(); ++i) {
    if (at(i).busy) continue;
    if (at(i).tokens.empty()) return i;
    if (best < 0 || at(i).lastUse < at(best).lastUse) best = i;
  }
  return best;
}

std::optional<Assignment> SequenceStates::choose(std::uint64_t conversation, std::span<const TokenId> prompt) const {
  const int target = victim();
  if (target < 0) return std::nullopt;
  int donor = -1;
  Prefix longest;
  for (int i = 0; i < count(); ++i) {
    const Prefix prefix = reusable(at(i), prompt);
    if (!at(i).busy && conversation != 0 && at(i).conversation == conversation) return Assignment{i, prefix.kept, -1, prefix.checkpoint};
    if (prefix.kept > 0 && std::pair(prefix.kept, prefix.same) > std::pair(longest.kept, longest.same)) {
      longest = prefix;
      donor = i;
    }
  }
  if (donor < 0) return Assignment{.slot = target};
  const Slot& from = at(donor);
  const bool takesOver = !from.busy && from.conversation == 0 && goesOn(from, longest.same);
  if (donor == target || takesOver) return Assignment{donor, longest.kept, -1, longest.checkpoint};
  if (longest.kept >= worthCopying) return Assignment{target, longest.kept, donor, longest.checkpoint};
  const Prefix own = reusable(at(target), prompt);
  return Assignment{target, own.kept, -1, own.checkpoint};
}

void SequenceStates::take(const Assignment& assignment, std::uint64_t conversation, std::span<const TokenId> prompt) {
  Slot& slot = slotAt(assignment.slot);
  slot.busy = true;
  slot.conversation = conversation;
  slot.lastUse = ++m_uses;
  if (assignment.copyFrom >= 0) {
    slot.checkpoints = at(assignment.copyFrom).checkpoints;
    slot.returnsTo = at(assignment.copyFrom).returnsTo;
  }
  slot.promptLength = static_cast<int>(prompt.size());
  slot.tokens.assign(prompt.begin(), prompt.begin() + assignment.kept);
  shorten(assignment);
  slot.longRope = isLong(prompt.size());
}

void SequenceStates::run(int slot, int from, std::span<const TokenId> tokens, bool longRope) {
  Slot& ran = slotAt(slot);
  cutBack(ran, from);
  if (m_limits.window > 0 && from >= m_limits.window) ran.returnsTo = from;
  ran.tokens.insert(ran.tokens.end(), tokens.begin(), tokens.end());
  ran.longRope = longRope;
}

void SequenceStates::release(int slot) {
  slotAt(slot).busy = false;
  slotAt(slot).lastUse = ++m_uses;
}

void SequenceStates::forget(int slot) {
  for (const Checkpoint& checkpoint : std::exchange(slotAt(slot).checkpoints, {})) dropCheckpoint(checkpoint.cell);
  giveBack(slot);
}

// A busy one is that of a request that pauses.
void SequenceStates::giveBack(int slot) {
  cutBack(slotAt(slot), 0);
  if (at(slot).busy) return;
  slotAt(slot).conversation = 0;
  slotAt(slot).promptLength = 0;
}

Assignment SequenceStates::shortened(int slot, int length) const {
  const Prefix rest = returningTo(at(slot), length);
  return {.slot = slot, .kept = rest.kept, .checkpoint = rest.checkpoint};
}

void SequenceStates::shorten(const Assignment& to) {
  Slot& slot = slotAt(to.slot);
  if (to.checkpoint >= 0 && m_limits.window > 0) slot.returnsTo = to.kept;
  cutBack(slot, to.kept);
}

std::vector<int> SequenceStates::idle() const {
  std::vector<int> slots;
  for (int i = 0; i < count(); ++i) {
    if (!at(i).busy && !at(i).tokens.empty()) slots.push_back(i);
  }
  std::ranges::sort(slots, {}, [this](int slot) { return at(slot).lastUse; });
  return slots;
}

std::optional<Checkpoint> SequenceStates::addCheckpoint(int slot, int apart) {
  Slot& saving = slotAt(slot);
  const int position = static_cast<int>(saving.tokens.size());
  const int last = saving.checkpoints.empty() ? 0 : saving.checkpoints.back().position;
  if (m_limits.checkpoints == 0 || position - last < std::max(1, apart)) return std::nullopt;
  int cell = freeCell();
  if (cell < 0) {
    cell = leastUsefulCell(saving);
    if (cell < 0) return std::nullopt;
    dropCheckpoint(cell);
  }
  saving.checkpoints.push_back({position, cell});
  m_saved[static_cast<std::size_t>(cell)] = true;
  return saving.checkpoints.back();
}

void SequenceStates::dropCheckpoint(int cell) {
  for (Slot& slot : m_slots) std::erase_if(slot.checkpoints, [cell](const Checkpoint& checkpoint) { return checkpoint.cell == cell; });
}

std::vector<int> SequenceStates::takeUnused() {
  std::vector<bool> used = cellsInUse();
  std::vector<int> unused;
  for (std::size_t cell = 0; cell < used.size(); ++cell) {
    if (m_saved[cell] && !used[cell]) unused.push_back(static_cast<int>(cell));
  }
  m_saved = std::move(used);
  return unused;
}

std::vector<bool> SequenceStates::cellsInUse() const {
  std::vector<bool> used(static_cast<std::size_t>(m_limits.checkpoints), false);
  for (const Slot& slot : m_slots) {
    for (const Checkpoint& checkpoint : slot.checkpoints) used[static_cast<std::size_t>(checkpoint.cell)] = true;
  }
  return used;
}

int SequenceStates::freeCell() const {
  const std::vector<bool> used = cellsInUse();
  const auto first = std::ranges::find(used, false);
  return first == used.end() ? -1 : static_cast<int>(first - used.begin());
}

// Of a slot's checkpoint i. `gets` is the position of one that the slot is about to get at its end; -1: none.
SequenceStates::Worth SequenceStates::worthOf(const Slot& slot, std::size_t i, int gets) {
  const bool last = i + 1 == slot.checkpoints.size();
  const int position = slot.checkpoints[i].position, before = i == 0 ? 0 : slot.checkpoints[i - 1].position;
  const int next = last ? static_cast<int>(slot.tokens.size()) : slot.checkpoints[i + 1].position;
  const auto between = static_cast<std::uint64_t>(next - before);
  if (position > slot.promptLength) return {Rank::withinReply, between};
  const int nextOne = last ? gets : next;
  const bool endsPrompt = nextOne < 0 || nextOne > slot.promptLength;
  return endsPrompt ? Worth{Rank::endOfPrompt, slot.lastUse} : Worth{Rank::withinPrompt, between};
}

// For the one that `saving` is about to get at its end; -1: it is within a reply, and all cells hold ones of prompts. A shared checkpoint
// counts where it is worth most.
int SequenceStates::leastUsefulCell(const Slot& saving) const {
  const int position = static_cast<int>(saving.tokens.size());
  std::vector<Worth> worth(static_cast<std::size_t>(m_limits.checkpoints));
  for (const Slot& slot : m_slots) {
    for (std::size_t i = 0; i < slot.checkpoints.size(); ++i) {
      Worth& most = worth[static_cast<std::size_t>(slot.checkpoints[i].cell)];
      most = std::max(most, worthOf(slot, i, &slot == &saving ? position : -1));
    }
  }
  const auto least = std::ranges::min_element(worth);
  if (position > saving.promptLength && least->rank > Rank::withinReply) return -1;
  return static_cast<int>(least - worth.begin());
}

std::optional<int> SequenceStates::borrow() {
  const int slot = victim();
  if (slot < 0) return std::nullopt;
  giveBack(slot);
  slotAt(slot).lastUse = ++m_uses;
  return slot;
}

}  // namespace minerva::engine
