#include "core/engine/draft_model.h"

#include "core/backend/kv_pages.h"
#include "core/base/clock.h"
#include "core/engine/likeliest.h"
#include "core/engine/loader.h"

#include <algorithm>

namespace minerva::engine {
namespace {

constexpr int worthSharing = 32;  // tokens; reading fewer is as fast as copying

TokenId tokenAt(const DraftModel::Wish& wish, std::size_t position) {
  return position < wish.tokens.size() ? wish.tokens[position] : wish.draft[position - wish.tokens.size()];
}

int commonLength(std::span<const TokenId> a, std::span<const TokenId> b) {
  return static_cast<int>(std::ranges::mismatch(a, b).in1 - a.begin());
}

}  // namespace

DraftModel::DraftModel(std::unique_ptr<LoadedModel> model, int vocabulary)
    : m_model(std::move(model)),
      m_vocabulary(std::min(vocabulary, m_model->plan.vocabularySize)),
      m_held(static_cast<std::size_t>(m_model->placed.slots)) {
  if (m_model->stepMs > 0) m_costs.learn(1, m_model->stepMs);
}

DraftModel::~DraftModel() = default;

backend::PlaceOptions DraftModel::placeOptions(const backend::PlaceOptions& target, const model::Plan& plan) {
  backend::PlaceOptions placed = target;
  placed.contextLength = std::min(target.contextLength, plan.contextLength);
  placed.maxRows = std::max(target.slots, std::min(rowsAtOnce, placed.contextLength));
  placed.maxOutputRows = target.slots;
  placed.checkpoints = target.slots;
  placed.alike = backend::Alike::never;  // what it drafts is checked
  placed.drafts = true;
  placed.reserved = 0;
  if (plan.recurrent.empty() && backend::smallestWindow(backend::kvGroups(plan, placed)) == 0) placed.checkpoints = 0;
  return placed;
}

bool DraftModel::cutsBack() const { return m_model->placed.checkpoints == 0; }

bool DraftModel::isLong(std::size_t tokens) const {
  const int from = m_model->plan.longRopeFrom();
  return from > 0 && tokens > static_cast<std::size_t>(from);
}

// How many of these tokens the slot's state can stand behind without reading. The last one is always read, because its logits are needed.
int DraftModel::kept(const Held& held, std::span<const TokenId> tokens) const {
  if (held.longRope != isLong(tokens.size())) return 0;
  const int common = std::min(commonLength(held.tokens, tokens), static_cast<int>(tokens.size()) - 1);
  if (cutsBack() || common == static_cast<int>(held.tokens.size())) return common;
  return held.checkpoint >= 0 && held.checkpoint <= common ? held.checkpoint : 0;
}

int DraftModel::missing(int slot, std::span<const TokenId> tokens) const {
  int most = 0;
  for (const Held& held : m_held) {
    if (&held == &m_held[static_cast<std::size_t>(slot)] || (cutsBack() && kept(held, tokens) >= worthSharing))
      most = std::max(most, kept(held, tokens));
  }
  return static_cast<int>(tokens.size()) - most;
}

int DraftModel::room(std::size_t tokens) const {
  const int longFrom = m_model->plan.longRopeFrom();
  const int end = longFrom > 0 && !isLong(tokens) ? std::min(longFrom, m_model->placed.contextLength) : m_model->placed.contextLength;
  return std::max(0, end + 1 - static_cast<int>(tokens));  // the last token of a draft is not read
}

// Conversations that begin alike, as branches do, need not be read twice.
void DraftModel::copyFromAnother(const Wish& wish) {
  if (!cutsBack()) return;
  Held& own = heldBy(wish);
  const auto better = [&](const Held& a, const Held& b) { return kept(a, wish.tokens) < kept(b, wish.tokens); };
  const auto best = std::ranges::max_element(m_held, better);
  const int length = kept(*best, wish.tokens);
  if (length < kept(own, wish.tokens) + worthSharing) return;
  if (!m_model->placement->copySlot(static_cast<int>(best - m_held.begin()), wish.slot, length)) return;
  own.tokens.assign(best->tokens.begin(), best->tokens.begin() + length);
  own.longRope = best->longRope;
}

// Brings the slot's state back to where it agrees with the tokens. Returns false if it cannot draft after them.
bool DraftModel::goBack(const Wish& wish) {
  if (wish.most <= 0 || wish.tokens.empty() || room(wish.tokens.size()) <= 0) return false;
  copyFromAnother(wish);
  Held& held = heldBy(wish);
  held.lastUse = ++m_uses;
  int length = kept(held, wish.tokens);
  const bool stands = cutsBack() || length == static_cast<int>(held.tokens.size()) || length == 0;
  if (!stands && !m_model->placement->restoreCheckpoint(wish.slot, wish.slot)) length = 0;
  if (length == 0) m_model->placement->release(wish.slot, 0);  // a slot without tokens has no pages
  held.tokens.resize(static_cast<std::size_t>(length));
  if (held.checkpoint > length) held.checkpoint = -1;
  held.longRope = isLong(wish.tokens.size());
  return true;
}

// The next rows of a wish: of the tokens that were not read yet, or the last one of its draft.
void DraftModel::addRows(const Wish& wish, int most) {
  const Held& held = heldBy(wish);
  const std::size_t seen = held.tokens.size(), all = wish.tokens.size() + wish.draft.size();
  const std::size_t end = std::min(all, seen + static_cast<std::size_t>(most));
  for (std::size_t i = seen; i < end; ++i) {
    const TokenId id = tokenAt(wish, i);
    const TokenId known = id < m_model->plan.vocabularySize ? id : 0;  // else it is a special token that only the target has
    m_rows.push_back({known, static_cast<int>(i), wish.slot, i + 1 == all, held.longRope, 0, backend::RowUse::any});
  }
}

// The slot that was used least recently, and for none of these, gives back its pages. Returns false if there is none.
bool DraftModel::giveBackAnother(std::span<Wish* const> wishes) {
  Held* oldest = nullptr;
  for (std::size_t slot = 0; slot < m_held.size(); ++slot) {
    Held& held = m_held[slot];
    if (held.tokens.empty() || std::ranges::find(wishes, static_cast<int>(slot), &Wish::slot) != wishes.end()) continue;
    if (oldest == nullptr || held.lastUse < oldest->lastUse) oldest = &held;
  }
  if (oldest == nullptr) return false;
  m_model->placement->release(static_cast<int>(oldest - m_held.data()), 0);
  *oldest = {};
  return true;
}

// The rows of the next step. The last wishes are dropped if there are not enough pages for all.
void DraftModel::compose(std::vector<Wish*>& wishes) {
  const backend::PlaceOptions& placed = m_model->placed;
  const bool sharesPages = placed.contexts > 0 && placed.contexts < placed.slots;
  for (;; wishes.pop_back()) {
    m_rows.clear();
    if (wishes.empty()) return;
    const int each = placed.maxRows / static_cast<int>(wishes.size());
    for (const Wish* wish : wishes) addRows(*wish, each);
    if (!sharesPages) return;
    while (m_model->placement->pagesLeft(m_rows, {}) < 0 && giveBackAnother(wishes)) continue;
    if (m_model->placement->pagesLeft(m_rows, {}) >= 0) return;
  }
}

void DraftModel::giveUp() {
  m_failed = true;
  m_held.assign(m_held.size(), {});
}

bool DraftModel::runStep(std::span<Wish* const> wishes) {
  const TimePoint begun = Clock::now();
  if (!m_model->placement->step(m_rows)) return false;
  for (const backend::StepRow& row : m_rows) {
    const Wish& wish = **std::ranges::find(wishes, row.slot, &Wish::slot);
    heldBy(wish).tokens.push_back(tokenAt(wish, static_cast<std::size_t>(row.position)));
  }
  const auto rows = static_cast<int>(m_rows.size());
  m_costs.learn(rows, millisecondsBetween(begun, Clock::now()));
  for (Wish* wish : wishes) wish->ms += m_costs.ms(rows) / static_cast<double>(wishes.size());
  return true;
}

// Adds the likeliest token. Returns whether the draft goes on.
bool DraftModel::extend(Wish& wish, TokenId token) const {
  if (token < 0) return false;
  wish.draft.push_back(token);
  return static_cast<int>(wish.draft.size()) < std::min(wish.most, room(wish.tokens.size()));
}

// The state behind all that the sequence says, before that of the draft.
void DraftModel::keep(const Wish& wish) {
  if (cutsBack()) return;
  Held& held = heldBy(wish);
  const auto position = static_cast<int>(held.tokens.size());
  held.checkpoint = m_model->placement->saveCheckpoint(wish.slot, position, wish.slot) ? position : -1;
}

// What the last step says of these wishes. Returns those whose drafts go on. reading: it was the first one.
std::vector<DraftModel::Wish*> DraftModel::takeLogits(std::span<Wish* const> wishes, bool reading) {
  std::vector<Wish*> open;
  int output = 0;
  for (Wish* wish : wishes) {
    if (heldBy(*wish).tokens.size() < wish->tokens.size() + wish->draft.size()) continue;  // there is more to read
    const Result<TokenId> token = likeliestToken(*m_model->placement, m_model->plan, output++, m_vocabulary, leastProbability);
    if (!token) {
      giveUp();
      return {};
    }
    wish->isRead = true;
    if (reading) keep(*wish);
    if (extend(*wish, *token)) open.push_back(wish);
  }
  return open;
}

void DraftModel::draft(std::span<Wish> wishes) {
  std::vector<Wish*> open;
  for (Wish& wish : wishes) {
    if (!m_failed && goBack(wish)) open.push_back(&wish);
  }
  for (bool reading = true; !open.empty(); reading = false) {
    compose(open);
    if (open.empty()) return;
    if (!runStep(open)) return giveUp();
    open = takeLogits(open, reading);
  }
}

}  // namespace minerva::engine
