// Which memory holds the keys and values of every slot's positions: pages with reference counts.
//
// The KV states of a plan form groups by how long they keep positions: all of them, or the last ones that a window sees. A page of a group
// is memory for kvPagePositions consecutive positions in each state of the group; a slot has a table of its pages per group, by position.
// Slots that share a prefix share its pages; a page that others hold too is copied before it is written. A window gives back the pages that
// no later row sees; a checkpoint holds those that the window saw then. Of windows there are as many pages as slots and checkpoints can
// ever need. Of states that keep all positions there may be fewer (PlaceOptions::contexts): left() says whether a step finds its pages.
//
// Plain bookkeeping for every backend (slots.h drives it); the memory is the backend's. Not thread-safe.
#pragma once

#include "core/backend/backend.h"

#include <span>
#include <vector>

namespace minerva::backend {

inline constexpr int kvPagePositions = 128;
inline constexpr int noPage = -1;

struct KvGroup {
  int window = 0;             // positions that a row sees of them, itself included; 0: all are kept
  int pagesOfSlot = 0;        // at most
  int pagesOfCheckpoint = 0;  // at most; 0 if all positions are kept, as a checkpoint then relies on what its slot holds
  std::int64_t pages = 0;     // of all slots and checkpoints
  std::vector<int> states;    // indices in Plan::kv
};

// A window gives pages back only where that saves most of the memory, because a slot then can return to an earlier position only where a
// checkpoint is.
[[nodiscard]] std::vector<KvGroup> kvGroups(const model::Plan& plan, const PlaceOptions& options);
// The group of each state in Plan::kv.
[[nodiscard]] std::vector<int> groupOfStates(std::span<const KvGroup> groups);
// The smallest window that gives pages back; 0: none does, and keys and values can be cut back to any position.
[[nodiscard]] int smallestWindow(std::span<const KvGroup> groups);
// Positions that a page has memory for: fewer than kvPagePositions, in whole blocks of 16, if the context is shorter than a page.
[[nodiscard]] int storedPositions(const PlaceOptions& options);

// Memory of all states, those of checkpoints included, without device-specific padding.
[[nodiscard]] std::uint64_t stateBytes(const model::Plan& plan, const PlaceOptions& options);
// What each checkpoint takes of it; 0 if the plan needs none.
[[nodiscard]] std::uint64_t checkpointBytes(const model::Plan& plan, const PlaceOptions& options);
// What a longer context takes of it for each further position, while windows keep giving back what they give back now.
[[nodiscard]] std::uint64_t stateBytesPerPosition(const model::Plan& plan, const PlaceOptions& options);

// The memory of a page is to be copied to another page of its group.
struct PageCopy {
  int group, from, to;
};

class KvPages {
 public:
  KvPages(const model::Plan& plan, const PlaceOptions& options);

  [[nodiscard]] const std::vector<KvGroup>& groups() const { return m_groups; }
  // The slot's page of each run of kvPagePositions positions, as far as it holds any; noPage where it holds none. Valid until the next
  // call that changes the slot.
  [[nodiscard]] std::span<const int> table(int group, int slot) const { return m_tables[index(group, slot)]; }
  // Whether the slot holds what a row at `position` sees before it.
  [[nodiscard]] bool holdsBefore(int slot, int position) const;
  // Pages of the group that slots or checkpoints hold; shared ones count once.
  [[nodiscard]] int used(int group) const { return m_used[static_cast<std::size_t>(group)]; }

  struct Range {
    int slot, from, to;
  };
  // Gives each slot pages of its own for the positions [from, to), discarding what it holds from there on and what their windows do not
  // see. All slots discard before the first of them takes a page, so that there are never more in use than left() says. `copies` are to
  // be made before the positions are written; none reads what another writes. REQUIRES at most PlaceOptions::maxRows positions, each slot
  // once.
  void write(std::span<const Range> writes, std::vector<PageCopy>& copies);
  // Slot `to` holds from now on what slot `from` holds of the positions [0, length).
  void share(int from, int to, int length);
  // A checkpoint of the slot at `position` holds the positions that windows see before it; a slot returns to it.
  void save(int slot, int position, int checkpoint);
  void restore(int checkpoint, int slot, int position);
  void drop(int checkpoint) { cut(m_slots + checkpoint, 0); }
  // The slot holds no more than the positions [0, length) from now on.
  void cut(int slot, int length);

  // Pages of states that keep all positions that are free after these writes, at most one for each slot, if the slots `cleared` were
  // cleared before. Negative: so many are missing.
  [[nodiscard]] int left(std::span<const Range> writes, std::span<const int> cleared) const;

 private:
  using Table = std::vector<int>;
  [[nodiscard]] std::size_t index(int group, int holder) const {
    return static_cast<std::size_t>(group) * static_cast<std::size_t>(m_holders) + static_cast<std::size_t>(holder);
  }
  void discard(int group, const Range& write);
  void own(int group, const Range& write, std::vector<PageCopy>& copies);
  [[nodiscard]] int take(int group);
  void release(int group, int& entry);
  void hold(int group, const Table& from, std::size_t begin, std::size_t end, Table& to);

  int m_slots, m_holders;  // slots, then checkpoints
  std::vector<KvGroup> m_groups;
  std::vector<Table> m_tables;             // [groups, holders]
  std::vector<std::vector<int>> m_counts;  // [groups][pages ever taken]: holders of a page
  std::vector<int> m_used;                 // [groups] pages with holders
};

}  // namespace minerva::backend
