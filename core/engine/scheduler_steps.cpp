// The part of Scheduler that says which rows a step has: those of replies and their drafts, then those of prompts.
#include "core/engine/scheduler.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace minerva::engine {

// Every running reply has a row in every step. One that computes tokens again, after a pause or a rejected draft, has as many more as there
// is room for beside those.
std::vector<Scheduler::Share> Scheduler::repliesOfStep() const {
  std::vector<Share> replies;
  const auto decoding = std::ranges::count_if(m_running, [](const auto& sequence) { return sequence->decoding(); });
  const bool fewAlike = m_repliesApart && decoding <= m_mostAlike;
  int room = fewAlike ? m_mostAlike : m_model.placed.maxRows;
  for (const auto& sequence : m_running) {
    if (!sequence->decoding()) continue;
    replies.push_back({sequence.get(), 1});
    --room;
  }
  for (Share& share : replies) {
    const int more = std::clamp(share.sequence->rowsAtOnce() - share.rows, 0, std::max(0, room));
    share.rows += more;
    room -= more;
  }
  // Rows that see about as many positions are attended together where rows must be alike.
  if (m_repliesApart) std::ranges::stable_sort(replies, {}, [](const Share& share) { return share.sequence->computed(); });
  return replies;
}

// The rows that a step has for prompts. The oldest prompt gets at least half of them, so that it never waits for all that come later; the
// others go to the prompts with the fewest tokens left, so that a short one does not wait for a long one.
void Scheduler::addPrompts(int chunk, int most, std::vector<Share>& shares) const {
  std::vector<Share> prompts;
  int wanted = 0;
  for (const auto& sequence : m_running) {
    if (!sequence->prefilling()) continue;
    prompts.push_back({sequence.get(), 0});
    wanted += sequence->rowsAtOnce();
  }
  int room = std::min(most, wanted <= chunk + ChunkPacer::restWithin(chunk) ? wanted : chunk);
  const auto give = [&room](Share& share, int rows) {
    const int more = std::clamp(rows, 0, std::min(room, share.sequence->rowsAtOnce() - share.rows));
    share.rows += more;
    room -= more;
  };
  if (prompts.empty()) return;
  give(prompts.front(), (room + 1) / 2);
  std::vector<Share*> byLength;
  for (Share& share : prompts) byLength.push_back(&share);
  std::ranges::stable_sort(byLength, {}, [](const Share* share) { return share->sequence->pending(); });
  for (Share* share : byLength) give(*share, room);
  std::ranges::copy_if(prompts, std::back_inserter(shares), [](const Share& share) { return share.rows > 0; });
}

// Nobody gives anything up for the sake of drafted tokens.
std::vector<Scheduler::Share> Scheduler::composeStep() {
  const auto lacksPages = [this] { return sharesPages() && !m_rows.empty() && m_model.placement->pagesLeft(m_rows, {}) < 0; };
  std::vector<Share> shares = shareOut(true);
  if (lacksPages()) shares = shareOut(false);
  while (lacksPages()) {
    if (!giveBackIdle() && !pauseYoungest()) break;
    shares = shareOut(false);
  }
  return shares;
}

// Running replies go first, with one row each and those of their drafts; the remaining rows go to prompts. Where replies must be apart, the
// step is of one or the other.
std::vector<Scheduler::Share> Scheduler::shareOut(bool drafts) {
  const TimePoint now = Clock::now();  // drafting is a part of the step
  std::vector<Share> shares = repliesOfStep();
  const auto replies = static_cast<int>(shares.size());
  bool prompts = std::ranges::any_of(m_running, [](const auto& sequence) { return sequence->prefilling(); });
  if (m_repliesApart && prompts && replies > 0) {
    if (m_promptsTurn) shares.clear();
    else prompts = false;
  } else if (prompts && replies > 2 * m_mostReplies) {
    prompts = drafts = false;  // so that the pacer learns what so many take by themselves
  }
  for (const Share& share : shares) share.sequence->draft(0);
  if (m_drafting) m_drafting->drop();
  if (m_model.drafts && drafts && !prompts) draft(shares);
  int rows = 0;
  for (const Share& share : shares) rows += share.rows + share.sequence->drafted();
  if (prompts) addPrompts(m_pacer.rows(replies), m_model.placed.maxRows - rows, shares);
  m_rows.clear();
  for (const Share& share : shares) share.sequence->addRows(share.rows, m_rows, now);
  return shares;
}

}  // namespace minerva::engine
