// Tracks whose tokens each slot's state stands for and where its recurrent states can return to, and chooses the slot for a new request.
//
// Driving thread only. Keeps the books; the scheduler does on the placement what is decided here. A slot's tokens are those its state has
// seen: keys and values of position i belong to tokens[i], and recurrent states stand behind the last one. Keys and values can be cut back
// to any length, unless a window has given back the positions before it; then, and for recurrent states, only to a checkpoint (backend.h).
// A checkpoint belongs to a prefix of the slot's tokens; a slot that was copied shares those of the copied prefix.
#pragma once

#include "core/text/tokenizer.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace minerva::engine {

using text::TokenId;

// The states as they were behind the first `position` tokens, in a cell of the placement.
struct Checkpoint {
  int position = 0;
  int cell = 0;
};

struct Slot {
  std::vector<TokenId> tokens;
  std::vector<Checkpoint> checkpoints;  // ascending positions, none beyond the tokens
  int promptLength = 0;                 // of the last request; tokens from there on were computed as a reply's (backend::RowUse)
  int returnsTo = 0;                    // keys and values can be cut back to this length or more, and to 0
  std::uint64_t conversation = 0;       // of the last request; 0: none
  std::uint64_t lastUse = 0;            // larger is later
  bool busy = false;
  bool longRope = false;  // its keys use the long rope frequencies (StepRow::longRope), so a short sequence cannot reuse them
};

// Where a request runs: `slot`, keeping its first `kept` positions; if copyFrom >= 0, they are first copied from that
// slot. If checkpoint >= 0, the states are restored from this cell; else they stand at `kept` already.
struct Assignment {
  int slot = 0;
  int kept = 0;
  int copyFrom = -1;
  int checkpoint = -1;
};

// What SequenceStates must know of a model and its placement.
struct StateLimits {
  int slots = 1;
  int longRopeFrom = 0;    // as in model::Plan
  bool recurrent = false;  // the model has recurrent states
  int window = 0;          // the smallest window that gives positions back (smallestWindow() in core/backend/kv_pages.h); 0: none
  int checkpoints = 0;     // as in backend::PlaceOptions
  // Only what rows of prompts computed is reused. A device may compute rows of replies in another way, and whether theirs are still there
  // depends on other requests.
  bool promptsOnly = false;
  std::vector<TokenId> endOfTurn = {};  // of the model: they end messages
};

class SequenceStates {
 public:
  explicit SequenceStates(const StateLimits& limits)
      : m_limits(limits), m_slots(static_cast<std::size_t>(limits.slots)), m_saved(static_cast<std::size_t>(limits.checkpoints)) {}

  // The best idle slot for this prompt; nullopt if all are busy. Preference: the conversation's own slot, then the longest prefix that can
  // be reused, then an empty slot, then the least recently used one. The slot with the prefix goes on with it if it belongs to no
  // conversation and its own chat seems to go on, or little of it is lost; else it is copied, since others may come back to it: clients of
  // a server that share no more than the system's prompt. At least one token of the prompt is always left to compute.
  [[nodiscard]] std::optional<Assignment> choose(std::uint64_t conversation, std::span<const TokenId> prompt) const;
  // Marks the slot as busy and as holding the first `kept` tokens of the prompt.
  void take(const Assignment& assignment, std::uint64_t conversation, std::span<const TokenId> prompt);
  // Records that a step ran tokens from position `from` on, which discards what the slot held from there.
  void run(int slot, int from, std::span<const TokenId> tokens, bool longRope);
  void release(int slot);
  // The slot holds nothing from now on. The scheduler releases it in the placement too, so that one without tokens has no pages.
  void giveBack(int slot);  // its checkpoints stay with the slots that share them
  void forget(int slot);    // they go from those as well: what the slot computed is unusable

  // Makes a checkpoint at the end of what the slot holds, or nullopt if it would be less than `apart` tokens from the one before it (or
  // from position 0). If all cells are in use, one gives way: first those within replies, to which few requests return; then those within
  // prompts, where others may branch off; then the last one of a slot's prompt, where its next turn begins, of the least recently used
  // slot. Of those within a reply or a prompt it is the one whose neighbours, or position 0, are nearest to each other: with n checkpoints
  // for t tokens, returning computes at most about 2 t / n tokens. One within a reply takes the place of no prompt's: nullopt then, too.
  [[nodiscard]] std::optional<Checkpoint> addCheckpoint(int slot, int apart);
  void dropCheckpoint(int cell);  // it could not be saved
  // The cells of checkpoints that no slot has any more, each once.
  [[nodiscard]] std::vector<int> takeUnused();

  // The longest beginning of what the slot holds, of at most `length` tokens, to which it can return, as where a request runs; and that it
  // holds no more from now on.
  [[nodiscard]] Assignment shortened(int slot, int length) const;
  void shorten(const Assignment& to);

  // The idle slots that hold something, least recently used first.
  [[nodiscard]] std::vector<int> idle() const;

  // An idle slot for temporary use, given back as above; nullopt if all are busy.
  [[nodiscard]] std::optional<int> borrow();

  [[nodiscard]] const Slot& at(int slot) const { return m_slots[static_cast<std::size_t>(slot)]; }
  [[nodiscard]] int checkpoints() const { return m_limits.checkpoints; }
  [[nodiscard]] int count() const { return static_cast<int>(m_slots.size()); }
  [[nodiscard]] bool isLong(std::size_t tokens) const {
    return m_limits.longRopeFrom > 0 && tokens > static_cast<std::size_t>(m_limits.longRopeFrom);
  }

 private:
  struct Prefix {
    int kept = 0;
    int checkpoint = -1;  // as in Assignment
    int same = 0;         // tokens that the slot and the prompt share, whether they can be reused or not
  };
  enum class Rank { none, withinReply, withinPrompt, endOfPrompt };
  // What a checkpoint is worth: less first.
  struct Worth {
    Rank rank = Rank::none;
    std::uint64_t within = 0;  // tokens between its neighbours; of ends of prompts, their slot's last use
    friend auto operator<=>(const Worth&, const Worth&) = default;
  };
  [[nodiscard]] Prefix reusable(const Slot& slot, std::span<const TokenId> prompt) const;
  [[nodiscard]] Prefix returningTo(const Slot& slot, int common) const;
  [[nodiscard]] bool goesOn(const Slot& slot, int same) const;
  [[nodiscard]] int victim() const;  // idle slot to overwrite: an empty one, else the least recently used; -1: none
  [[nodiscard]] std::vector<bool> cellsInUse() const;
  [[nodiscard]] int freeCell() const;
  [[nodiscard]] static Worth worthOf(const Slot& slot, std::size_t i, int gets);
  [[nodiscard]] int leastUsefulCell(const Slot& saving) const;
  [[nodiscard]] Slot& slotAt(int slot) { return m_slots[static_cast<std::size_t>(slot)]; }

  StateLimits m_limits;
  std::vector<Slot> m_slots;
  std::vector<bool> m_saved;  // cells of checkpoints, those that no slot has any more included
  std::uint64_t m_uses = 0;
};

}  // namespace minerva::engine
