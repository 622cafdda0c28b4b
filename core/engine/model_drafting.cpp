#include "core/engine/model_drafting.h"

#include <algorithm>

namespace minerva::engine {
namespace {

constexpr int leastTried = 2;   // tokens of a draft that is to find out whether drafts pay
constexpr int lastTokens = 64;  // that are read where all would be too many

}  // namespace

ModelDrafting::ModelDrafting(Drafter& drafter, int slots, const DraftCosts& costs, bool again)
    : m_drafter(drafter), m_costs(costs), m_again(again), m_replies(static_cast<std::size_t>(slots)) {}

std::span<const TokenId> ModelDrafting::tokensOf(const Plan& plan) {
  return plan.reply->tokens().subspan(static_cast<std::size_t>(plan.from));
}

ModelDrafting::Plan ModelDrafting::planFrom(Sequence* reply, int from) const {
  Plan plan{reply, std::max(0, from), 0};
  plan.missing = m_drafter.missing(reply->slot(), tokensOf(plan));
  return plan;
}

// What the conversation itself suggests costs nothing, so it goes first, unless it is seldom right or a model that pays is right more
// often.
bool ModelDrafting::mayHelp(const Sequence& reply) const {
  constexpr double seldom = 0.3;
  if (reply.drafted() == 0) return true;
  if (reply.draftSource() == DraftSource::manyTokens) return false;
  const double found = reply.acceptance();
  return found < seldom || (at(reply.slot()).gain.pays() && found < reply.acceptance(DraftSource::model));
}

// The replies that a draft could help.
std::vector<ModelDrafting::Plan> ModelDrafting::candidates(std::span<Sequence* const> replies) const {
  std::vector<Plan> found;
  for (Sequence* reply : replies) {
    if (reply->draftRoom() <= 0 || at(reply->slot()).gain.isWaiting()) continue;
    if (!mayHelp(*reply)) continue;
    const Plan plan = planFrom(reply, at(reply->slot()).from);
    const bool isFull = m_drafter.room(tokensOf(plan).size()) <= 0;
    found.push_back(isFull && m_drafter.beginsAnywhere() ? planFrom(reply, static_cast<int>(reply->tokens().size()) - lastTokens) : plan);
  }
  return found;
}

// How many tokens to draft for a reply; 0: none, as it is not expected to pay. asking: replies that are asked for together; reading: tokens
// that all of them miss.
int ModelDrafting::wanted(const Plan& plan, std::size_t asking, int reading, int rows) const {
  const DraftGain& gain = at(plan.reply->slot()).gain;
  const double step = m_costs.ms(rows), several = static_cast<double>(asking);
  if (step <= 0 || !m_costs.isFresh(m_running)) return 0;
  const double each = m_drafter.ms(static_cast<int>(asking)) / several;
  const double first = m_drafter.ms(std::min(reading, Drafter::rowsAtOnce)) / several;
  const int room = std::min({plan.reply->draftRoom(), m_drafter.room(tokensOf(plan).size()), m_room});
  const DraftTime time{.firstMs = 0, .eachMs = each, .again = m_again};
  int count = worthDrafting(m_costs, rows, m_running, plan.reply->acceptance(DraftSource::model), room, time);
  if (!gain.pays()) count = std::max(count, std::min(room, leastTried));
  const double rest = std::max(0, plan.missing - Drafter::rowsAtOnce) * first / std::max(1, std::min(reading, Drafter::rowsAtOnce));
  const double rejected = m_again ? computedAgain(m_costs, rows, 0) : 0;
  const double cost = count * each + std::max(0.0, m_costs.ms(rows + count) - step) + rejected;
  return gain.mayTry(cost / step, std::max(0.0, first - each + rest) / step, plan.reply->expectedMore()) ? count : 0;
}

double ModelDrafting::draft(std::span<Sequence* const> replies, int rows, int room) {
  m_running = static_cast<int>(replies.size());
  m_rows = rows;
  m_room = std::max(0, room);
  if (m_drafter.failed()) return 0;
  const TimePoint begun = Clock::now();
  const std::vector<Plan> plans = candidates(replies);
  int reading = 0;
  for (const Plan& plan : plans) reading += plan.missing;
  std::vector<Drafter::Wish> wishes;
  std::vector<Sequence*> asked;
  for (Plan plan : plans) {
    int count = wanted(plan, plans.size(), reading, rows);
    if (count <= 0 && plan.missing > lastTokens && m_drafter.beginsAnywhere()) {
      reading += lastTokens - plan.missing;
      plan = planFrom(plan.reply, static_cast<int>(plan.reply->tokens().size()) - lastTokens);
      count = wanted(plan, plans.size(), reading, rows);
    }
    if (count <= 0) continue;
    at(plan.reply->slot()).from = plan.from;
    wishes.push_back({.slot = plan.reply->slot(), .from = plan.from, .tokens = tokensOf(plan), .most = count});
    asked.push_back(plan.reply);
  }
  if (wishes.empty()) return 0;
  m_drafter.draft(wishes);
  for (std::size_t i = 0; i < wishes.size(); ++i) {
    Drafter::Wish& wish = wishes[i];
    m_tries.push_back({.slot = wish.slot, .ms = wish.ms, .reads = !wish.isRead});
    if (!wish.draft.empty()) asked[i]->takeDraft(std::move(wish.draft));
  }
  return millisecondsBetween(begun, Clock::now());
}

void ModelDrafting::note(const Sequence& reply) {
  const auto found = std::ranges::find(m_tries, reply.slot(), &Try::slot);
  if (found == m_tries.end() || reply.draftSource() != DraftSource::model) return;
  found->drafted = reply.drafted();
  found->accepted = reply.accepted();
}

// Costs are those of the last steps of their kinds, not of these alone, which may have been held up by something else.
void ModelDrafting::learn(int rows) {
  const double step = m_costs.ms(m_rows);
  for (Reply& reply : m_replies) reply.gain.step();
  if (step > 0 && m_running > 0) {
    const double furtherRow = rows > m_rows ? std::max(0.0, m_costs.ms(rows) - step) / (rows - m_rows) : 0;
    for (const Try& made : m_tries) {
      DraftGain& gain = at(made.slot).gain;
      const double again = m_again && made.accepted < made.drafted ? computedAgain(m_costs, m_rows, made.accepted) : 0;
      const double cost = (made.ms + made.drafted * furtherRow + again) / step;
      if (made.reads) {
        gain.read(cost);
        continue;
      }
      gain.learn(1.0 * made.accepted / m_running - cost);
      m_usual.learn(1.0 * made.accepted / m_running - cost);
    }
  }
  m_tries.clear();
}

}  // namespace minerva::engine
