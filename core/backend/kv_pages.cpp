#include "core/backend/kv_pages.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace minerva::backend {
namespace {

constexpr int savesMost = 4;  // a window gives pages back if a slot then needs at most a fourth of its context

int pagesFor(int positions) { return (positions + kvPagePositions - 1) / kvPagePositions; }

// The most pages that a run of positions touches, wherever it begins.
int pagesTouched(int positions) { return positions == 0 ? 0 : pagesFor(positions - 1) + 1; }

std::size_t pageOf(int position) { return static_cast<std::size_t>(position / kvPagePositions); }

int windowBegin(const KvGroup& group, int position) { return group.window == 0 ? 0 : std::max(0, position - group.window + 1); }

// Whole contexts for which there are pages.
int wholeContexts(const PlaceOptions& options) { return options.contexts > 0 ? std::min(options.contexts, options.slots) : options.slots; }

KvGroup groupFor(int window, const PlaceOptions& options) {
  const int whole = pagesFor(options.contextLength);
  const int seen = window == 0 ? 0 : pagesTouched(std::min(window - 1 + options.maxRows, options.contextLength));
  if (window == 0 || savesMost * seen > whole)
    return {.pagesOfSlot = whole, .pages = std::int64_t{wholeContexts(options)} * whole, .states = {}};
  const int saved = pagesTouched(window - 1);
  return {.window = window,
          .pagesOfSlot = seen,
          .pagesOfCheckpoint = saved,
          .pages = std::int64_t{options.slots} * seen + std::int64_t{options.checkpoints} * saved,
          .states = {}};
}

std::uint64_t bytesPerPosition(const model::Plan& plan, const KvGroup& group, const PlaceOptions& options) {
  std::uint64_t bytes = 0;
  for (const int state : group.states) bytes += model::bytesPerPosition(plan.kv[static_cast<std::size_t>(state)], keptKv(plan, options));
  return bytes;
}

std::uint64_t bytesOfPage(const model::Plan& plan, const KvGroup& group, const PlaceOptions& options) {
  return static_cast<std::uint64_t>(storedPositions(options)) * bytesPerPosition(plan, group, options);
}

}  // namespace

std::vector<KvGroup> kvGroups(const model::Plan& plan, const PlaceOptions& options) {
  std::vector<KvGroup> groups;
  for (std::size_t i = 0; i < plan.kv.size(); ++i) {
    KvGroup group = groupFor(plan.kv[i].window, options);
    auto same = std::ranges::find(groups, group.window, &KvGroup::window);
    if (same == groups.end()) {
      groups.push_back(std::move(group));
      same = groups.end() - 1;
    }
    same->states.push_back(static_cast<int>(i));
  }
  return groups;
}

std::vector<int> groupOfStates(std::span<const KvGroup> groups) {
  std::size_t count = 0;
  for (const KvGroup& group : groups) count += group.states.size();
  std::vector<int> of(count);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const int state : groups[g].states) of[static_cast<std::size_t>(state)] = static_cast<int>(g);
  }
  return of;
}

int smallestWindow(std::span<const KvGroup> groups) {
  int smallest = 0;
  for (const KvGroup& group : groups) {
    if (group.window > 0 && (smallest == 0 || group.window < smallest)) smallest = group.window;
  }
  return smallest;
}

int storedPositions(const PlaceOptions& options) { return std::min(kvPagePositions, (options.contextLength + 15) / 16 * 16); }

std::uint64_t stateBytes(const model::Plan& plan, const PlaceOptions& options) {
  std::uint64_t bytes = static_cast<std::uint64_t>(options.slots + options.checkpoints) * plan.recurrentBytes();
  for (const KvGroup& group : kvGroups(plan, options)) bytes += static_cast<std::uint64_t>(group.pages) * bytesOfPage(plan, group, options);
  return bytes;
}

std::uint64_t checkpointBytes(const model::Plan& plan, const PlaceOptions& options) {
  std::uint64_t bytes = plan.recurrentBytes();
  for (const KvGroup& group : kvGroups(plan, options)) {
    bytes += static_cast<std::uint64_t>(group.pagesOfCheckpoint) * bytesOfPage(plan, group, options);
  }
  return bytes;
}

std::uint64_t stateBytesPerPosition(const model::Plan& plan, const PlaceOptions& options) {
  std::uint64_t bytes = 0;
  for (const KvGroup& group : kvGroups(plan, options)) {
    if (group.window == 0) bytes += static_cast<std::uint64_t>(wholeContexts(options)) * bytesPerPosition(plan, group, options);
  }
  return bytes;
}

KvPages::KvPages(const model::Plan& plan, const PlaceOptions& options)
    : m_slots(options.slots), m_holders(options.slots + options.checkpoints), m_groups(kvGroups(plan, options)) {
  m_tables.resize(m_groups.size() * static_cast<std::size_t>(m_holders));
  m_counts.resize(m_groups.size());
  m_used.resize(m_groups.size(), 0);
}

bool KvPages::holdsBefore(int slot, int position) const {
  for (std::size_t g = 0; g < m_groups.size(); ++g) {
    const std::span<const int> pages = table(static_cast<int>(g), slot);
    for (int p = windowBegin(m_groups[g], position); p < position; p = (p / kvPagePositions + 1) * kvPagePositions) {
      if (pageOf(p) >= pages.size() || pages[pageOf(p)] == noPage) return false;
    }
  }
  return true;
}

// The first free one, so that memory which was never used is touched last.
int KvPages::take(int group) {
  auto& counts = m_counts[static_cast<std::size_t>(group)];
  const auto free = std::ranges::find(counts, 0);
  const auto page = static_cast<std::size_t>(free - counts.begin());
  if (free == counts.end()) counts.push_back(0);
  assert(static_cast<std::int64_t>(counts.size()) <= m_groups[static_cast<std::size_t>(group)].pages);
  counts[page] = 1;
  ++m_used[static_cast<std::size_t>(group)];
  return static_cast<int>(page);
}

void KvPages::release(int group, int& entry) {
  if (entry == noPage) return;
  if (--m_counts[static_cast<std::size_t>(group)][static_cast<std::size_t>(entry)] == 0) --m_used[static_cast<std::size_t>(group)];
  entry = noPage;
}

void KvPages::discard(int group, const Range& write) {
  Table& pages = m_tables[index(group, write.slot)];
  const std::size_t seen = pageOf(windowBegin(m_groups[static_cast<std::size_t>(group)], write.from)), end = pageOf(write.to - 1) + 1;
  for (std::size_t i = 0; i < pages.size(); ++i) {
    if (i < seen || i >= end) release(group, pages[i]);
  }
  pages.resize(end, noPage);
}

void KvPages::own(int group, const Range& write, std::vector<PageCopy>& copies) {
  Table& pages = m_tables[index(group, write.slot)];
  for (std::size_t i = pageOf(write.from); i < pages.size(); ++i) {
    int& entry = pages[i];
    const bool shared = entry != noPage && m_counts[static_cast<std::size_t>(group)][static_cast<std::size_t>(entry)] > 1;
    if (entry != noPage && !shared) continue;
    const int taken = take(group);
    if (shared && static_cast<int>(i) * kvPagePositions < write.from) copies.push_back({group, entry, taken});
    release(group, entry);
    entry = taken;
  }
}

void KvPages::write(std::span<const Range> writes, std::vector<PageCopy>& copies) {
  for (int g = 0; g < static_cast<int>(m_groups.size()); ++g) {
    for (const Range& write : writes) discard(g, write);
    for (const Range& write : writes) own(g, write, copies);
  }
}

// `to` holds the entries [begin, end) of `from`, and nothing else.
void KvPages::hold(int group, const Table& from, std::size_t begin, std::size_t end, Table& to) {
  end = std::min(end, from.size());
  Table held(end, noPage);
  for (std::size_t i = begin; i < end; ++i) {
    held[i] = from[i];
    if (held[i] != noPage) ++m_counts[static_cast<std::size_t>(group)][static_cast<std::size_t>(held[i])];
  }
  for (int& entry : to) release(group, entry);
  to = std::move(held);
}

void KvPages::share(int from, int to, int length) {
  if (from == to) return;
  const auto end = static_cast<std::size_t>(pagesFor(length));
  for (int g = 0; g < static_cast<int>(m_groups.size()); ++g) hold(g, m_tables[index(g, from)], 0, end, m_tables[index(g, to)]);
}

void KvPages::save(int slot, int position, int checkpoint) {
  for (int g = 0; g < static_cast<int>(m_groups.size()); ++g) {
    const KvGroup& group = m_groups[static_cast<std::size_t>(g)];
    if (group.window == 0) continue;
    const int first = windowBegin(group, position);
    const std::size_t begin = pageOf(first), end = first < position ? static_cast<std::size_t>(pagesFor(position)) : begin;
    hold(g, m_tables[index(g, slot)], begin, end, m_tables[index(g, m_slots + checkpoint)]);
  }
}

void KvPages::restore(int checkpoint, int slot, int position) {
  for (int g = 0; g < static_cast<int>(m_groups.size()); ++g) {
    if (m_groups[static_cast<std::size_t>(g)].window == 0) continue;
    const auto end = static_cast<std::size_t>(pagesFor(position));
    hold(g, m_tables[index(g, m_slots + checkpoint)], 0, end, m_tables[index(g, slot)]);
  }
}

void KvPages::cut(int slot, int length) {
  for (int g = 0; g < static_cast<int>(m_groups.size()); ++g) {
    Table& pages = m_tables[index(g, slot)];
    const std::size_t end = std::min(pages.size(), static_cast<std::size_t>(pagesFor(length)));
    for (std::size_t i = end; i < pages.size(); ++i) release(g, pages[i]);
    pages.resize(end);
  }
}

int KvPages::left(std::span<const Range> writes, std::span<const int> cleared) const {
  const auto whole = std::ranges::find(m_groups, 0, &KvGroup::window);
  if (whole == m_groups.end()) return std::numeric_limits<int>::max();
  const auto g = static_cast<int>(whole - m_groups.begin());
  std::vector<int> counts = m_counts[static_cast<std::size_t>(g)];
  const auto drop = [&counts](int page) {
    if (page != noPage) --counts[static_cast<std::size_t>(page)];
  };
  for (const int slot : cleared) std::ranges::for_each(table(g, slot), drop);
  std::int64_t taken = 0;
  for (const Range& write : writes) {
    const bool empty = std::ranges::find(cleared, write.slot) != cleared.end();
    const std::span<const int> pages = empty ? std::span<const int>() : table(g, write.slot);
    const std::size_t end = pageOf(write.to - 1) + 1;
    for (std::size_t i = pageOf(write.from); i < std::max(end, pages.size()); ++i) {
      const int page = i < pages.size() ? pages[i] : noPage;
      if (i < end && page != noPage && counts[static_cast<std::size_t>(page)] == 1) continue;  // its own
      taken += i < end ? 1 : 0;
      drop(page);
    }
  }
  const auto held = std::ranges::count_if(counts, [](int holders) { return holders > 0; });
  return static_cast<int>(whole->pages - held - taken);
}

}  // namespace minerva::backend
