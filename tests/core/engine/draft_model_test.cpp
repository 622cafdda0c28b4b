// A draft model suggests what it would say itself, whatever it has read before, with states of every kind.
#include "tests/core/engine/draft_models.h"

#include <algorithm>
#include <cmath>

namespace minerva::engine {
namespace {

class DraftModelItself : public DraftModels {
 protected:
  // Whether a token is likely enough must not hang on how its step rounds.
  static backend::PlaceOptions exactFor(int slots, int contexts = 0) {
    backend::PlaceOptions placed = placedFor(slots, contexts);
    placed.precision = backend::Precision::exact;
    return placed;
  }
  // The likeliest tokens after these, computed from nothing, up to one that is not likely.
  Tokens expected(Tokens tokens, int most) {
    auto plan = model::buildPlan(m_made.config);
    backend::PlaceOptions whole = exactFor(1);
    whole.maxRows = draftContext;
    auto placement = *m_backend->place(*plan, whole, {}, {});
    Tokens found;
    while (static_cast<int>(found.size()) < most) {
      std::vector<backend::StepRow> rows;
      for (std::size_t i = 0; i < tokens.size(); ++i) rows.push_back({tokens[i], static_cast<int>(i), 0, i + 1 == tokens.size()});
      EXPECT_TRUE(placement->step(rows));
      const std::span<const float> logits = *placement->logits(0);
      const auto best = std::ranges::max_element(logits);
      double sum = 0;
      for (const float logit : logits) sum += std::exp(logit - *best);
      if (1 / sum < DraftModel::leastProbability) break;
      found.push_back(static_cast<TokenId>(best - logits.begin()));
      tokens.push_back(found.back());
    }
    return found;
  }
  // Several answers, because the model reads only so many tokens in each.
  Tokens suggested(int slot, const Tokens& tokens, int most) {
    for (int calls = 0; calls < 10; ++calls) {
      DraftModel::Wish wish{.slot = slot, .tokens = tokens, .most = most};
      m_model->draft(std::span(&wish, 1));
      if (wish.isRead) return wish.draft;
      EXPECT_TRUE(wish.draft.empty());
    }
    ADD_FAILURE() << "it never read all";
    return {};
  }
  void check(int slot, const Tokens& tokens, int most, const std::string& what) {
    const Tokens wanted = expected(tokens, most);
    EXPECT_EQ(suggested(slot, tokens, most), wanted) << what;
    m_length += wanted.size();
  }

  tests::RandomModel m_made = sure(modelOf(GetParam(), draftableTokens, draftContext));
  std::unique_ptr<DraftModel> m_model = draftModel(m_made, exactFor(3));
  std::size_t m_length = 0;
};

TEST_P(DraftModelItself, SuggestsWhatItWouldSay) {
  Tokens tokens = someTokens(40, 1);
  check(0, tokens, 6, "from nothing");
  check(0, tokens, 6, "the same again");
  Tokens taken = tokens;
  const Tokens draft = expected(tokens, 6);
  taken.insert(taken.end(), draft.begin(), draft.end());
  taken.push_back(5);
  check(0, taken, 4, "all was accepted, and the next one");
  Tokens rejected = taken;
  rejected.back() = 7;
  check(0, rejected, 4, "another token in its place");
  rejected.push_back(8);
  check(0, rejected, 4, "one more");
  tokens[10] = (tokens[10] + 1) % draftableTokens;
  check(0, tokens, 5, "edited far back");
  tokens.resize(8);
  check(0, tokens, 5, "cut back");
  check(0, someTokens(300, 3), 5, "another conversation, longer than a step");
  const int rows = m_draftNotes.rows;
  check(1, someTokens(290, 3), 5, "one that begins alike in another slot");
  EXPECT_LT(m_draftNotes.rows - rows, GetParam() == StateKind::attention ? 20 : 400) << "keys and values can be shared";
  check(0, someTokens(1, 4), 5, "a single token");
  EXPECT_GT(m_length, 15U) << "else little was compared";
}

TEST_P(DraftModelItself, SuggestsForSeveralAtOnce) {
  const Tokens tokens[] = {someTokens(30, 1), someTokens(77, 2), someTokens(40, 6)};
  std::vector<DraftModel::Wish> wishes;
  for (int slot = 0; slot < 3; ++slot) wishes.push_back({.slot = slot, .tokens = tokens[slot], .most = 5 - slot});
  m_model->draft(wishes);
  const int steps = m_draftNotes.steps;
  for (int slot = 0; slot < 3; ++slot) {
    const DraftModel::Wish& wish = wishes[static_cast<std::size_t>(slot)];
    EXPECT_TRUE(wish.isRead == (slot != 1)) << "77 tokens are more than a third of a step";
    if (!wish.isRead) continue;
    EXPECT_EQ(wish.draft, expected(tokens[slot], 5 - slot)) << slot;
  }
  EXPECT_LE(steps, 5) << "one for each token, not one for each token of each";
}

TEST_P(DraftModelItself, EndsWithItsContext) {
  const Tokens full = someTokens(draftContext, 2), longer = someTokens(draftContext + 1, 2);
  EXPECT_EQ(m_model->room(full.size()), 1);
  EXPECT_EQ(m_model->room(longer.size()), 0);
  EXPECT_LE(suggested(0, full, 5).size(), 1U);
  DraftModel::Wish wish{.slot = 0, .tokens = longer, .most = 3};
  const int steps = m_draftNotes.steps;
  m_model->draft(std::span(&wish, 1));
  EXPECT_TRUE(wish.draft.empty());
  EXPECT_EQ(m_draftNotes.steps, steps);
}

TEST_P(DraftModelItself, DraftsNoMoreAfterAFailedStep) {
  const Tokens tokens = someTokens(20, 1);
  m_draftNotes.failsStep = true;
  DraftModel::Wish wish{.slot = 0, .tokens = tokens, .most = 3};
  m_model->draft(std::span(&wish, 1));
  EXPECT_TRUE(m_model->failed());
  EXPECT_TRUE(wish.draft.empty());
}

TEST_P(DraftModelItself, ReadsAgainWhereItsStateIsLost) {
  const Tokens tokens = someTokens(40, 1);
  check(0, tokens, 6, "first");
  Tokens other = tokens;
  other.push_back((expected(tokens, 1).empty() ? 0 : expected(tokens, 1)[0] + 1) % draftableTokens);
  m_draftNotes.failsRestore = true;
  check(0, other, 4, "it cannot go back");
  m_draftNotes.failsSave = true;
  other.push_back(3);
  check(0, other, 4, "it cannot keep where it stands");
  m_draftNotes.failsRestore = false;
  const Tokens next = expected(other, 1);
  other.push_back(next.empty() ? 0 : (next[0] + 1) % draftableTokens);
  check(0, other, 4, "nor go back there");
}

TEST_P(DraftModelItself, GivesBackPagesOfWhatItWasNotAskedForLately) {
  m_model = draftModel(m_made, exactFor(3, 1));
  for (int round = 0; round < 2; ++round)
    for (int slot = 0; slot < 3; ++slot) check(slot, someTokens(500 + 100 * slot, slot + 1), 4, "slot " + std::to_string(slot));
  EXPECT_FALSE(m_model->failed());
}

// Of eight pages the first slot holds one and the second the others, and the second needs one more.
TEST_P(DraftModelItself, PagesOfASlotThatBeginsAgainAreNotLost) {
  m_model = draftModel(m_made, exactFor(2, 1));
  const Tokens filled = someTokens(896, 2), another = someTokens(100, 3);
  (void)suggested(0, someTokens(100, 1), 1);
  (void)suggested(1, filled, 1);
  Tokens longer = filled;
  longer.push_back(1);
  std::vector<DraftModel::Wish> wishes{{.slot = 1, .tokens = longer, .most = 2}, {.slot = 0, .tokens = another, .most = 2}};
  m_model->draft(wishes);
  check(1, longer, 2, "the second goes on");
}

TEST_P(DraftModelItself, ReadsTokensThatOnlyTheTargetHas) {
  Tokens tokens = someTokens(30, 1);
  tokens[0] = draftableTokens + 5;
  Tokens known = tokens;
  known[0] = 0;
  EXPECT_EQ(suggested(0, tokens, 4), expected(known, 4));
  tokens.push_back(3);
  EXPECT_EQ(m_model->missing(0, tokens), 1) << "it knows them again";
}

INSTANTIATE_TEST_SUITE_P(Of, DraftModelItself, everyStateKind(), nameOfKind);

}  // namespace
}  // namespace minerva::engine
