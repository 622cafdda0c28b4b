// The pages of the KV states: what a slot can read is what was written for it, whatever other slots and checkpoints did meanwhile.
#include "core/backend/slots.h"
#include "tests/support/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace minerva::tests {
namespace {

using backend::KvGroup;
using backend::kvPagePositions;
using backend::PlaceOptions;
using backend::StepRow;

model::Plan planWith(const std::vector<int>& windows) {
  model::Plan plan;
  plan.vocabularySize = 1 << 30;
  for (const int window : windows) plan.kv.push_back({1, 16, 16, window});
  return plan;
}

TEST(KvPages, OnlyWindowsThatSaveMostGivePagesBack) {
  const model::Plan plan = planWith({0, 128, 0, 1024, 128});
  const PlaceOptions options{.contextLength = 8192, .slots = 2, .checkpoints = 3, .maxRows = 512};
  const auto groups = backend::kvGroups(plan, options);
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].pagesOfSlot, 64);
  EXPECT_EQ(groups[0].pages, 2 * 64);
  EXPECT_EQ(groups[0].states, (std::vector{0, 2}));
  EXPECT_EQ(groups[1].window, 128);
  EXPECT_EQ(groups[1].pagesOfSlot, 6);        // 127 + 512 positions, wherever they begin
  EXPECT_EQ(groups[1].pagesOfCheckpoint, 2);  // 127 positions
  EXPECT_EQ(groups[1].pages, 2 * 6 + 3 * 2);
  EXPECT_EQ(groups[1].states, (std::vector{1, 4}));
  EXPECT_EQ(groups[2].pagesOfSlot, 13);
  EXPECT_EQ(backend::groupOfStates(groups), (std::vector{0, 1, 0, 2, 1}));
  EXPECT_EQ(backend::smallestWindow(groups), 128);
  PlaceOptions shorter = options;
  shorter.contextLength = 4096;
  EXPECT_EQ(backend::kvGroups(plan, shorter).size(), 2U) << "13 pages are more than a fourth of 32";
  shorter.contextLength = 100;
  const auto whole = backend::kvGroups(plan, shorter);
  ASSERT_EQ(whole.size(), 1U);
  EXPECT_EQ(whole[0].pages, 2);
  EXPECT_EQ(backend::smallestWindow(whole), 0);
  EXPECT_EQ(backend::storedPositions(shorter), 112);
}

TEST(KvPages, StatesAreCountedByPages) {
  model::Plan plan = planWith({0, 128});  // 64 bytes a position each
  plan.recurrent.push_back({"state", 3, 5});
  const PlaceOptions options{.contextLength = 8192, .slots = 2, .checkpoints = 3, .maxRows = 512};
  EXPECT_EQ(backend::checkpointBytes(plan, options), 2 * 128 * 64 + 60);
  EXPECT_EQ(backend::stateBytes(plan, options), 2 * (64 + 6) * 128 * 64 + 2 * 60 + 3 * (2 * 128 * 64 + 60));
  EXPECT_EQ(backend::stateBytesPerPosition(plan, options), 2 * 64);
  PlaceOptions shorter = options;
  shorter.contextLength = 1024;  // the window keeps everything
  EXPECT_EQ(backend::checkpointBytes(plan, shorter), 60);
  EXPECT_EQ(backend::stateBytesPerPosition(plan, shorter), 2 * 2 * 64);
}

TEST(KvPages, FewerContextsTakeLessMemory) {
  model::Plan plan = planWith({0, 128});
  plan.recurrent.push_back({"state", 3, 5});
  PlaceOptions options{.contextLength = 8192, .slots = 5, .contexts = 2, .checkpoints = 3, .maxRows = 512};
  EXPECT_EQ(backend::kvGroups(plan, options)[0].pages, 2 * 64);
  EXPECT_EQ(backend::kvGroups(plan, options)[1].pages, 5 * 6 + 3 * 2) << "windows have their own";
  EXPECT_EQ(backend::stateBytes(plan, options), (2 * 64 + 5 * 6 + 3 * 2) * 128 * 64 + (5 + 3) * 60);
  EXPECT_EQ(backend::stateBytesPerPosition(plan, options), 2 * 64);
  options.contexts = 9;
  EXPECT_EQ(backend::kvGroups(plan, options)[0].pages, 5 * 64) << "no more than one for each slot";
}

int largestPage(const backend::KvPages& pages, int slots) {
  int largest = backend::noPage;
  for (int slot = 0; slot < slots; ++slot)
    for (const int page : pages.table(0, slot)) largest = std::max(largest, page);
  return largest;
}

TEST(KvPages, WhatIsLeftIsWhatThereIsAfterwards) {
  constexpr PlaceOptions options{.contextLength = 1024, .slots = 5, .contexts = 2, .checkpoints = 2, .maxRows = 400, .maxOutputRows = 1};
  constexpr int pages = 2 * 8;
  int refused = 0, released = 0, shared = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    backend::Slots slots(planWith({0, 40}), options);
    for (int round = 0; round < 400; ++round) {
      const int slot = random.below(options.slots), other = random.below(options.slots);
      if (random.below(4) == 0) {
        const int length = random.below(slots.filled(slot) + 1);
        slots.copy(slot, other, length);
        shared += length > 0 && slot != other ? 1 : 0;
        continue;
      }
      std::vector<StepRow> rows;
      for (const int writes : {slot, other}) {
        if (writes == other && other == slot) continue;
        const int from = random.below(3) == 0 ? 0 : slots.filled(writes), count = random.below(200);
        for (int i = from; i < std::min(from + count, options.contextLength); ++i) rows.push_back({0, i, writes});
      }
      if (rows.empty() || (!slots.check(rows) && slots.pagesLeft(rows, {}) >= 0)) continue;  // a window has given back what a row sees
      std::vector<int> without;
      while (slots.pagesLeft(rows, without) < 0 && static_cast<int>(without.size()) < options.slots)
        without.push_back(static_cast<int>(without.size()));
      const int expected = slots.pagesLeft(rows, without);
      if (!without.empty()) {
        ++refused;
        EXPECT_EQ(slots.check(rows).error().kind, ErrorKind::limit);
      }
      if (std::ranges::any_of(without, [&](int gone) { return gone == slot || gone == other; })) continue;  // the rows would have a gap
      for (const int gone : without) slots.release(gone, 0);
      released += without.empty() ? 0 : 1;
      ASSERT_TRUE(slots.check(rows)) << slots.check(rows).error().message();
      const std::vector<backend::PageCopy> copies = slots.advance(rows);
      ASSERT_EQ(pages - slots.pages().used(0), expected) << "seed " << seed << ", round " << round;
      ASSERT_LT(largestPage(slots.pages(), options.slots), pages) << "seed " << seed << ", round " << round << ": memory that is not there";
      for (const backend::PageCopy& copy : copies) {
        ASSERT_TRUE(std::ranges::none_of(copies, [&](const backend::PageCopy& other) { return other.to == copy.from; }));
      }
    }
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(released, 50);
  EXPECT_GT(shared, 100);
}

// The pages that one slot discards in a step are there for another slot of the same step, whichever comes first.
TEST(KvPages, WhatASlotDiscardsAnotherTakesInTheSameStep) {
  constexpr PlaceOptions options{.contextLength = 1024, .slots = 2, .contexts = 1, .maxRows = 2048};
  const auto rowsOf = [](int slot, int from, int to) {
    std::vector<StepRow> rows;
    for (int i = from; i < to; ++i) rows.push_back({0, i, slot});
    return rows;
  };
  for (const int restarts : {0, 1}) {
    const int writes = 1 - restarts;
    backend::Slots slots(planWith({0}), options);
    static_cast<void>(slots.advance(rowsOf(restarts, 0, 6 * kvPagePositions)));
    static_cast<void>(slots.advance(rowsOf(writes, 0, 2 * kvPagePositions)));
    EXPECT_EQ(slots.pages().used(0), 8) << "all that there are";
    std::vector<StepRow> rows = rowsOf(restarts, kvPagePositions, kvPagePositions + 1);
    std::ranges::copy(rowsOf(writes, 2 * kvPagePositions, 6 * kvPagePositions), std::back_inserter(rows));
    ASSERT_TRUE(slots.check(rows));
    EXPECT_TRUE(slots.advance(rows).empty());
    EXPECT_EQ(slots.pages().used(0), 8);
    EXPECT_LT(largestPage(slots.pages(), options.slots), 8) << "slot " << restarts << " begins again";
  }
}

TEST(KvPages, APrefixIsKeptOnce) {
  constexpr int prompt = 1000, own = 30, slots = 20;
  backend::Slots state(planWith({0}), {.contextLength = 2048, .slots = slots, .maxRows = 2048});
  std::vector<StepRow> rows;
  for (int i = 0; i < prompt; ++i) rows.push_back({i, i, 0});
  EXPECT_TRUE(state.advance(rows).empty());
  EXPECT_EQ(state.pages().used(0), 8);
  std::size_t copied = 0;
  for (int slot = 1; slot < slots; ++slot) state.copy(0, slot, prompt);
  EXPECT_EQ(state.pages().used(0), 8);
  for (int slot = 0; slot < slots; ++slot) {
    std::vector<StepRow> reply;
    for (int i = 0; i < own; ++i) reply.push_back({i, prompt + i, slot});
    copied += state.advance(reply).size();
  }
  EXPECT_EQ(copied, 19U) << "of the page in which the prompt ends, all but the last";
  EXPECT_EQ(state.pages().used(0), 7 + 2 * slots) << "7 whole pages once, and what follows for each";
}

TEST(KvPages, ASlotGivesBackItsEnd) {
  backend::Slots state(planWith({0}), {.contextLength = 1024, .slots = 2, .maxRows = 1024});
  std::vector<StepRow> rows;
  for (int i = 0; i < 600; ++i) rows.push_back({i, i, 0});
  static_cast<void>(state.advance(rows));
  EXPECT_EQ(state.pages().used(0), 5);
  state.release(0, 300);
  EXPECT_EQ(state.pages().used(0), 3);
  const StepRow next{0, 300, 0}, gap{0, 301, 0};
  EXPECT_TRUE(state.check({&next, 1}));
  EXPECT_FALSE(state.check({&gap, 1}));
  state.release(0, 500);
  EXPECT_EQ(state.filled(0), 300) << "it holds no more for that";
  state.copy(0, 1, 200);
  state.release(0, 0);
  EXPECT_EQ(state.pages().used(0), 2) << "the other's";
}

// The memory as a backend keeps it, holding for each position the token that was written there.
class Simulation {
 public:
  Simulation(const model::Plan& plan, const PlaceOptions& options)
      : m_options(options),
        m_slots(plan, options),
        m_groups(backend::kvGroups(plan, options)),
        m_truth(options.slots),
        m_saved(options.checkpoints) {
    for (const KvGroup& group : m_groups) m_memory.emplace_back(static_cast<std::size_t>(group.pages * kvPagePositions), -1);
  }

  [[nodiscard]] int length(int slot) const { return static_cast<int>(truth(slot).size()); }
  [[nodiscard]] bool allows(int slot, int position) const {
    const StepRow row{0, position, slot};
    return m_slots.check({&row, 1}).has_value();
  }
  void step(int slot, int from, int count) {
    std::vector<StepRow> rows;
    for (int i = 0; i < count; ++i) rows.push_back({m_next++, from + i, slot});
    ASSERT_TRUE(m_slots.check(rows).has_value()) << m_slots.check(rows).error().message();
    for (const backend::PageCopy& copy : m_slots.advance(rows)) {
      auto& memory = m_memory[static_cast<std::size_t>(copy.group)];
      std::copy_n(memory.begin() + copy.from * kvPagePositions, kvPagePositions, memory.begin() + copy.to * kvPagePositions);
    }
    truth(slot).resize(static_cast<std::size_t>(from));
    for (const StepRow& row : rows) {
      truth(slot).push_back(row.token);
      for (int g = 0; g < static_cast<int>(m_groups.size()); ++g) at(g, slot, row.position) = row.token;
    }
    for (const StepRow& row : rows) expectSeen(slot, row.position);
  }
  void share(int from, int to, int length) {
    ASSERT_TRUE(m_slots.checkCopy(from, to, length).has_value());
    m_slots.copy(from, to, length);
    truth(to) = std::vector(truth(from).begin(), truth(from).begin() + length);
  }
  void release(int slot, int from) {
    m_slots.release(slot, from);
    truth(slot).resize(static_cast<std::size_t>(from));
  }
  // Of the slot as it would be if it were cut back to `position`.
  void save(int slot, int position, int checkpoint) {
    if (position == m_options.contextLength) return;
    ASSERT_EQ(m_slots.checkSave(slot, position, checkpoint).has_value(), allows(slot, position)) << position << " of " << length(slot);
    if (!allows(slot, position)) return;
    m_slots.save(slot, position, checkpoint);
    m_saved[static_cast<std::size_t>(checkpoint)] = std::vector(truth(slot).begin(), truth(slot).begin() + position);
  }
  // Only to a slot that holds the same tokens, as the engine does.
  bool restore(int checkpoint, int slot) {
    const std::vector<int>& saved = m_saved[static_cast<std::size_t>(checkpoint)];
    if (saved.empty() || saved.size() > truth(slot).size() || !std::equal(saved.begin(), saved.end(), truth(slot).begin())) return false;
    EXPECT_TRUE(m_slots.checkRestore(checkpoint, slot).has_value());
    m_slots.restore(checkpoint, slot);
    truth(slot) = saved;
    EXPECT_TRUE(allows(slot, length(slot)));
    return true;
  }
  void expectWithinBounds() const {
    for (int g = 0; g < static_cast<int>(m_groups.size()); ++g) {
      EXPECT_LE(m_slots.pages().used(g), m_groups[static_cast<std::size_t>(g)].pages);
    }
  }

 private:
  [[nodiscard]] const std::vector<int>& truth(int slot) const { return m_truth[static_cast<std::size_t>(slot)]; }
  [[nodiscard]] std::vector<int>& truth(int slot) { return m_truth[static_cast<std::size_t>(slot)]; }
  [[nodiscard]] int& at(int group, int slot, int position) {
    const int page = m_slots.pages().table(group, slot)[static_cast<std::size_t>(position / kvPagePositions)];
    EXPECT_NE(page, backend::noPage) << "group " << group << ", position " << position;
    return m_memory[static_cast<std::size_t>(group)]
                   [static_cast<std::size_t>(std::max(0, page) * kvPagePositions + position % kvPagePositions)];
  }
  void expectSeen(int slot, int position) {
    for (int g = 0; g < static_cast<int>(m_groups.size()); ++g) {
      const int window = m_groups[static_cast<std::size_t>(g)].window;
      for (int p = window == 0 ? 0 : std::max(0, position - window + 1); p <= position; ++p) {
        ASSERT_EQ(at(g, slot, p), truth(slot)[static_cast<std::size_t>(p)]) << "group " << g << ", slot " << slot << ", position " << p;
      }
    }
  }

  PlaceOptions m_options;
  backend::Slots m_slots;
  std::vector<KvGroup> m_groups;
  std::vector<std::vector<int>> m_memory;  // [groups][pages * kvPagePositions]
  std::vector<std::vector<int>> m_truth;   // [slots] tokens
  std::vector<std::vector<int>> m_saved;   // [checkpoints] tokens
  int m_next = 0;
};

TEST(KvPages, EverySlotReadsItsOwnTokens) {
  constexpr PlaceOptions options{.contextLength = 3000, .slots = 4, .checkpoints = 3, .maxRows = 200, .maxOutputRows = 200};
  int restored = 0, refused = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    Simulation simulation(planWith({0, 150, 40, 1}), options);
    for (int round = 0; round < 150 && !testing::Test::HasFatalFailure(); ++round) {
      const int slot = random.below(options.slots), other = random.below(options.slots), checkpoint = random.below(options.checkpoints);
      switch (random.below(10)) {
        case 0: simulation.share(slot, other, random.below(simulation.length(slot) + 1)); break;
        case 1: simulation.save(slot, simulation.length(slot), checkpoint); break;
        case 2: simulation.save(slot, random.below(simulation.length(slot) + 1), checkpoint); break;
        case 3: restored += simulation.restore(checkpoint, slot) ? 1 : 0; break;
        case 4: simulation.release(slot, random.below(simulation.length(slot) + 1)); break;
        default: {
          const bool returns = random.below(3) == 0;
          int from = returns ? random.below(simulation.length(slot) + 1) : simulation.length(slot);
          if (!simulation.allows(slot, from)) {
            ++refused;
            from = 0;
          }
          const int count = std::min({1 + random.below(options.maxRows), options.contextLength - from});
          if (count > 0) simulation.step(slot, from, count);
        }
      }
      simulation.expectWithinBounds();
    }
  }
  EXPECT_GT(restored, 20);
  EXPECT_GT(refused, 20) << "windows gave pages back";
}

}  // namespace
}  // namespace minerva::tests
