#include "core/engine/prediction_draft.h"

#include "core/base/clock.h"
#include "core/engine/likeliest.h"

#include <algorithm>
#include <new>
#include <utility>

namespace minerva::engine {

// Drafts are worth less than what else the memory is for.
template <class F>
void PredictionDraft::withinMemory(F&& work) {
  if (m_failed) return;
  try {
    work();
  } catch (const std::bad_alloc&) {
    giveUp();
  }
}

PredictionDraft::PredictionDraft(const model::ModelConfig& config, std::unique_ptr<const model::Plan> plan,
                                 const backend::PlaceOptions& placed, std::unique_ptr<backend::Placement> placement)
    : m_config(config),
      m_plan(std::move(plan)),
      m_placed(placed),
      m_placement(std::move(placement)),
      m_embedded(static_cast<std::size_t>(config.prediction->tokenEmbedding.shape.columns())),
      m_held(static_cast<std::size_t>(placed.slots)) {}

Result<void> PredictionDraft::warm() {
  const std::vector<float> hidden(static_cast<std::size_t>(m_plan->hiddenSize), 0.0F);
  const Input input{.slot = 0, .position = 0, .next = 0, .hidden = hidden, .wantsLogits = true};
  const backend::StepRow row{.wantsLogits = true};
  for (int times = 0; times < 2; ++times) {
    const TimePoint begun = Clock::now();
    MINERVA_TRY(step({&input, 1}, {&row, 1}));
    if (times == 1) m_costs.learn(1, millisecondsBetween(begun, Clock::now()));
  }
  m_placement->release(0, 0);
  return {};
}

void PredictionDraft::giveUp() {
  m_failed = true;
  m_held.assign(m_held.size(), {});
}

void PredictionDraft::begin(int slot, int copiedFrom, std::span<const TokenId> tokens) {
  withinMemory([&] {
    if (copiedFrom >= 0) copyFrom(copiedFrom, slot);
    Held& held = heldBy(slot);
    const auto same = static_cast<std::size_t>(std::ranges::mismatch(held.tokens, tokens).in1 - held.tokens.begin());
    held.tokens.resize(same);
    // The last row that is the same goes on only with the token that comes behind it now.
    forgetFrom(held, static_cast<int>(same) - (same < tokens.size() ? 1 : 0));
  });
}

// As the target's slots do, the layer's share the pages of what both have read.
void PredictionDraft::copyFrom(int other, int slot) {
  const Held& from = heldBy(other);
  Held& held = heldBy(slot);
  const auto read = static_cast<int>(from.read.size());
  held = {.tokens = {}, .read = {}, .waiting = {}, .lastUse = ++m_uses};
  if (read > 0 && !m_placement->copySlot(other, slot, read)) return m_placement->release(slot, 0);
  held.tokens = from.tokens;
  held.read = from.read;
  held.waiting = from.waiting;
}

void PredictionDraft::observe(std::span<const backend::StepRow> rows, const backend::BufferRows& hidden, int first) {
  if (rows.empty()) return;
  withinMemory([&] {
    Held& held = heldBy(rows.front().slot);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const float* from = hidden.data + (static_cast<std::size_t>(first) + i) * hidden.stride;
      takeRow(held, rows[i], {from, static_cast<std::size_t>(hidden.columns)});
    }
  });
}

void PredictionDraft::catchUp() {
  withinMemory([&] {
    for (int slot = 0; slot < static_cast<int>(m_held.size()) && !m_failed; ++slot) {
      if (heldBy(slot).waiting.size() > rowsAtOnce) readWaiting(slot);
    }
  });
}

// Rows of this position of the target and of those behind it.
void PredictionDraft::forgetFrom(Held& held, int position) {
  std::erase_if(held.waiting, [&](const Row& row) { return row.position >= position; });
  while (!held.read.empty() && held.read.back().position >= position) held.read.pop_back();
}

// A row that was observed before, as after a draft was taken back, is the same again. Another one changes what the row before it goes on
// with.
void PredictionDraft::takeRow(Held& held, const backend::StepRow& row, std::span<const float> hidden) {
  const auto at = static_cast<std::size_t>(row.position);
  if (at < held.tokens.size() && held.tokens[at] == row.token) return;
  held.tokens.resize(at, -1);
  held.tokens.push_back(row.token);
  forgetFrom(held, row.position);
  if (!held.read.empty() && held.read.back().position == row.position - 1 && held.read.back().next != row.token) held.read.pop_back();
  held.waiting.push_back({row.position, {hidden.begin(), hidden.end()}});
}

// The first rows that wait in the slot, each with the token behind it.
void PredictionDraft::addWaiting(int slot, std::span<const TokenId> tokens, std::size_t count, std::vector<Input>& inputs) {
  const Held& held = heldBy(slot);
  for (std::size_t i = 0; i < count; ++i) {
    const Row& row = held.waiting[i];
    inputs.push_back({slot, static_cast<int>(held.read.size() + i), tokens[static_cast<std::size_t>(row.position) + 1], row.hidden, false});
  }
}

// They were run.
void PredictionDraft::keepRead(Held& held, std::span<const Input> inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) held.read.push_back({held.waiting[i].position, inputs[i].next});
  held.waiting.erase(held.waiting.begin(), held.waiting.begin() + static_cast<std::ptrdiff_t>(inputs.size()));
}

// All but the last row, behind which no token is known.
void PredictionDraft::readWaiting(int slot) {
  Held& held = heldBy(slot);
  held.lastUse = ++m_uses;
  while (held.waiting.size() > 1) {
    std::vector<Input> inputs;
    addWaiting(slot, held.tokens, std::min(held.waiting.size() - 1, static_cast<std::size_t>(m_placed.maxRows)), inputs);
    if (!run(inputs)) break;
    keepRead(held, inputs);
  }
  // Where there are no pages for them, the layer does without them.
  if (held.waiting.size() > 1) held.waiting.erase(held.waiting.begin(), held.waiting.end() - 1);
}

int PredictionDraft::missing(int slot, std::span<const TokenId>) const {
  return std::max(1, static_cast<int>(m_held[static_cast<std::size_t>(slot)].waiting.size()));
}

int PredictionDraft::room(std::size_t tokens) const { return std::max(0, m_placed.contextLength - static_cast<int>(tokens)); }

// The row before the last token must be there: it is what the first drafted token is made from.
bool PredictionDraft::canDraft(const Wish& wish) const {
  const Held& held = m_held[static_cast<std::size_t>(wish.slot)];
  if (wish.most <= 0 || held.waiting.empty() || room(wish.tokens.size()) <= 0) return false;
  const std::size_t last = wish.tokens.size() - 1;
  return last > 0 && held.tokens.size() == last && held.waiting.back().position == static_cast<int>(last) - 1;
}

// Where slots share fewer pages than they could fill, the slot that was used least recently, and is not in this step, gives back its own.
bool PredictionDraft::findPages(std::span<const backend::StepRow> rows) {
  if (m_placed.contexts == 0 || m_placed.contexts >= m_placed.slots) return true;
  while (m_placement->pagesLeft(rows, {}) < 0) {
    Held* oldest = nullptr;
    for (std::size_t slot = 0; slot < m_held.size(); ++slot) {
      Held& held = m_held[slot];
      if (held.read.empty() || std::ranges::find(rows, static_cast<int>(slot), &backend::StepRow::slot) != rows.end()) continue;
      if (oldest == nullptr || held.lastUse < oldest->lastUse) oldest = &held;
    }
    if (oldest == nullptr) return false;
    beginAgain(static_cast<int>(oldest - m_held.data()));
  }
  return true;
}

// The layer's keys and values of a slot are gone. It goes on with what it reads from now on.
void PredictionDraft::beginAgain(int slot) {
  m_placement->release(slot, 0);
  heldBy(slot).read.clear();
}

Result<void> PredictionDraft::step(std::span<const Input> inputs, std::span<const backend::StepRow> rows) {
  MINERVA_TRY(m_placement->begin(rows));
  MINERVA_ASSIGN(const backend::BufferRows pairs, m_placement->rows(m_plan->pairs));
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    // As the target's first op gives it. The rows may lie where reading is slow.
    dequantizeRows(m_config.prediction->tokenEmbedding, static_cast<std::size_t>(inputs[i].next), 1, m_embedded.data());
    float* pair = pairs.data + i * pairs.stride;
    std::ranges::transform(m_embedded, pair, [&](float value) { return value * m_config.embeddingScale; });
    std::ranges::copy(inputs[i].hidden, pair + m_plan->hiddenSize);
  }
  return m_placement->runPart(0);
}

// Returns false if the rows were not run: there are no pages for them, their window has given back what they would see, or the layer
// failed.
bool PredictionDraft::run(std::span<const Input> inputs) {
  std::vector<backend::StepRow> rows;  // of no token: the pairs have its embedding
  for (const Input& input : inputs) {
    rows.push_back({.token = 0, .position = input.position, .slot = input.slot, .wantsLogits = input.wantsLogits});
  }
  if (!findPages(rows)) return false;
  const TimePoint begun = Clock::now();
  if (const Result<void> done = step(inputs, rows); !done) {
    const bool isRefused = done.error().kind == ErrorKind::invalidArgument || done.error().kind == ErrorKind::limit;
    if (!isRefused) giveUp();
    for (const Input& input : inputs) beginAgain(input.slot);
    return false;
  }
  m_costs.learn(static_cast<int>(rows.size()), millisecondsBetween(begun, Clock::now()));
  return true;
}

// What the last step took, as it usually does, is shared by those it was for.
void PredictionDraft::share(std::size_t rows, std::span<Wish* const> wishes) const {
  for (Wish* wish : wishes) wish->ms += m_costs.ms(static_cast<int>(rows)) / static_cast<double>(wishes.size());
}

// The layer's row of which these are the logits.
std::vector<float> PredictionDraft::hiddenOf(int output) {
  const auto hidden = m_placement->rows(m_plan->hidden);
  if (!hidden) return {};
  const float* from = hidden->data + static_cast<std::size_t>(output) * hidden->stride;
  return {from, from + hidden->columns};
}

// Adds the likeliest token. Returns whether the draft goes on.
bool PredictionDraft::extend(Wish& wish, int output) {
  const Result<TokenId> token = likeliestToken(*m_placement, *m_plan, output, m_plan->vocabularySize, leastProbability);
  if (!token) giveUp();
  if (!token || *token < 0) return false;
  wish.draft.push_back(*token);
  return static_cast<int>(wish.draft.size()) < std::min(wish.most, room(wish.tokens.size()));
}

// Reads what waits for these wishes. Returns the drafts that go on.
std::vector<PredictionDraft::Chain> PredictionDraft::readAll(std::vector<Wish*> open) {
  std::vector<Chain> chains;
  while (!open.empty()) {
    const std::size_t each = static_cast<std::size_t>(m_placed.maxRows) / open.size();
    std::vector<Input> inputs;
    std::vector<std::size_t> counts;
    for (const Wish* wish : open) {
      const std::size_t waiting = heldBy(wish->slot).waiting.size();
      counts.push_back(std::min(each, waiting));
      addWaiting(wish->slot, wish->tokens, counts.back(), inputs);
      inputs.back().wantsLogits = counts.back() == waiting;
    }
    if (!run(inputs)) return chains;
    share(inputs.size(), open);
    std::vector<Wish*> more;
    std::span<const Input> rest = inputs;
    int output = 0;
    for (std::size_t i = 0; i < open.size(); rest = rest.subspan(counts[i]), ++i) {
      Held& held = heldBy(open[i]->slot);
      keepRead(held, rest.first(counts[i]));
      if (!held.waiting.empty()) {
        more.push_back(open[i]);
        continue;
      }
      open[i]->isRead = true;
      const int from = output++;
      if (extend(*open[i], from)) chains.push_back({open[i], static_cast<int>(held.read.size()), hiddenOf(from)});
      if (m_failed) return {};
    }
    open = std::move(more);
  }
  return chains;
}

// The next token of each draft, from the layer's own row in place of the target's. One whose slot lost what it had read, as to others,
// ends.
std::vector<PredictionDraft::Chain> PredictionDraft::goOn(std::vector<Chain> chains) {
  std::erase_if(chains, [&](const Chain& chain) { return heldBy(chain.wish->slot).read.empty(); });
  if (chains.empty()) return {};
  std::vector<Input> inputs;
  std::vector<Wish*> wishes;
  for (const Chain& chain : chains) {
    inputs.push_back({chain.wish->slot, chain.position, chain.wish->draft.back(), chain.hidden, true});
    wishes.push_back(chain.wish);
  }
  if (!run(inputs)) return {};
  share(inputs.size(), wishes);
  std::vector<Chain> open;
  for (std::size_t i = 0; i < chains.size(); ++i) {
    if (extend(*chains[i].wish, static_cast<int>(i)))
      open.push_back({chains[i].wish, chains[i].position + 1, hiddenOf(static_cast<int>(i))});
    if (m_failed) return {};
  }
  return open;
}

void PredictionDraft::draft(std::span<Wish> wishes) {
  withinMemory([&] {
    std::vector<Wish*> open;
    for (Wish& wish : wishes) {
      if (!canDraft(wish)) continue;
      heldBy(wish.slot).lastUse = ++m_uses;
      open.push_back(&wish);
    }
    for (std::vector<Chain> chains = readAll(std::move(open)); !chains.empty();) chains = goOn(std::move(chains));
  });
}

}  // namespace minerva::engine
