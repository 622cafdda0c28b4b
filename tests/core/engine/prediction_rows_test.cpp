// Which rows of the target a layer that predicts reads, and what becomes of them where a slot is copied, a text begins again, pages are
// few, or the layer fails.
#include "core/engine/likeliest.h"
#include "tests/core/engine/draft_models.h"
#include "tests/core/engine/idle_placement.h"
#include "tests/core/engine/pairs_placement.h"

#include <array>
#include <limits>

namespace minerva::engine {
namespace {

constexpr int slots = 3, context = 512;

Tokens firstOf(const Tokens& text, int count) { return {text.begin(), text.begin() + count}; }

// Its tables differ from the model's, embeddings are scaled, and it is sure of its tokens.
tests::RandomModel predicting() {
  tests::RandomModel made = sure(modelOf(StateKind::attention, draftableTokens, context));
  model::ModelConfig& config = made.config;
  const int hidden = config.hiddenSize;
  config.embeddingScale = 0.5F;
  model::Prediction prediction;
  prediction.combine.weight = made.store.matrix(ElementType::Q8_0, hidden, 2 * hidden, 0.1F);
  prediction.embeddingNorm.weight = prediction.hiddenNorm.weight = made.store.vector(ElementType::F32, hidden, 1, 0);
  prediction.outputNorm = config.outputNorm;
  prediction.layer = config.layers.back();
  prediction.head.weight = made.store.matrix(ElementType::Q8_0, config.vocabularySize, hidden, 4);
  prediction.tokenEmbedding = made.store.matrix(ElementType::Q8_0, config.vocabularySize, hidden, 1);
  config.prediction = prediction;
  return made;
}

class PredictionRows : public testing::Test {
 protected:
  void SetUp() override { place(0); }

  void place(int contexts) {
    m_layer.reset();
    m_target.reset();
    const backend::PlaceOptions placed{.contextLength = context, .slots = slots, .contexts = contexts, .maxRows = 256, .maxOutputRows = 8};
    m_plan = *model::buildPlan(m_made.config, model::Gives::logitsAndHidden);
    auto plan = std::make_unique<const model::Plan>(*model::buildPredictionPlan(m_made.config));
    m_options = DraftModel::placeOptions(placed, *plan);
    backend::PlaceOptions all = placed;
    all.contexts = 0;
    auto target = m_backend->place(m_plan, all, {}, {}), layer = m_backend->place(*plan, m_options, {}, {});
    ASSERT_TRUE(target && layer);
    m_target = std::move(*target);
    auto watched = std::make_unique<PairsPlacement>(std::move(*layer), m_notes, plan->pairs, m_pairs);
    m_layer = std::make_unique<PredictionDraft>(m_made.config, std::move(plan), m_options, std::move(watched));
    ASSERT_TRUE(m_layer->warm());
    m_pairs.clear();
    m_notes = {};
  }

  // Runs the tokens from `first` on in the slot, which has run those before, and shows them to the layer.
  void show(int slot, const Tokens& tokens, int first) {
    std::vector<backend::StepRow> rows;
    for (int i = first; i < static_cast<int>(tokens.size()); ++i) rows.push_back({tokens[static_cast<std::size_t>(i)], i, slot});
    rows.back().wantsLogits = true;
    ASSERT_TRUE(m_target->step(rows));
    const auto hidden = m_target->rows(m_plan.hidden);
    ASSERT_TRUE(hidden);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const float* row = hidden->data + i * hidden->stride;
      m_hidden[{slot, rows[i].position}].assign(row, row + hidden->columns);
    }
    m_layer->observe(rows, *hidden, 0);
  }

  // A token behind those that were shown, and what the layer drafts after it.
  Tokens draft(int slot, Tokens tokens) {
    tokens.push_back(1);
    Drafter::Wish wish{.slot = slot, .tokens = tokens, .most = 3};
    m_layer->draft({&wish, 1});
    m_isRead = wish.isRead;
    return wish.draft;
  }

  // That the layer's rows from `at` on are those of the text's positions [from, to): the embedding of the token behind, and the target's
  // row.
  void expectRows(int slot, int at, const Tokens& tokens, int from, int to) const {
    const auto width = static_cast<std::size_t>(m_made.config.hiddenSize);
    for (int position = from; position < to; ++position, ++at) {
      const auto found = m_pairs.find({slot, at});
      ASSERT_NE(found, m_pairs.end()) << "row " << at;
      std::vector<float> expected(width);
      dequantizeRows(m_made.config.prediction->tokenEmbedding, static_cast<std::size_t>(tokens[static_cast<std::size_t>(position) + 1]), 1,
                     expected.data());
      for (float& value : expected) value *= m_made.config.embeddingScale;
      const std::vector<float>& hidden = m_hidden.at({slot, position});
      expected.insert(expected.end(), hidden.begin(), hidden.end());
      EXPECT_EQ(found->second, expected) << "row " << at << " of position " << position;
    }
  }

  tests::RandomModel m_made = predicting();
  std::unique_ptr<backend::Backend> m_backend = std::move(*createBackend("cpu", {.threads = 1}));
  model::Plan m_plan;
  backend::PlaceOptions m_options;
  std::unique_ptr<backend::Placement> m_target;
  std::unique_ptr<PredictionDraft> m_layer;
  WatchedPlacement::Notes m_notes;
  PairsPlacement::Pairs m_pairs, m_hidden;
  bool m_isRead = false;
};

TEST_F(PredictionRows, AreThoseOfTheTextEachWithTheTokenBehindIt) {
  const Tokens text = someTokens(300, 1);
  m_layer->begin(0, -1, {});
  show(0, firstOf(text, 200), 0);
  EXPECT_EQ(m_layer->missing(0, text), 200);
  m_layer->catchUp();
  EXPECT_EQ(m_layer->missing(0, text), 1) << "all but the last, behind which no token is known";
  expectRows(0, 0, text, 0, 199);
  show(0, text, 200);
  (void)draft(0, text);
  EXPECT_TRUE(m_isRead);
  expectRows(0, 0, text, 0, 299);
}

// Each goes on with its own row.
TEST_F(PredictionRows, OfDraftsThatAreMadeTogether) {
  const std::array<Tokens, 2> texts{someTokens(30, 1), someTokens(50, 2)};
  const auto begin = [&](int slot) {
    m_layer->begin(slot, -1, {});
    show(slot, texts[static_cast<std::size_t>(slot)], 0);
  };
  PairsPlacement::Pairs alone;
  std::array<Tokens, 2> drafts;
  for (const int slot : {0, 1}) {
    place(0);
    begin(slot);
    drafts[static_cast<std::size_t>(slot)] = draft(slot, texts[static_cast<std::size_t>(slot)]);
    EXPECT_EQ(drafts[static_cast<std::size_t>(slot)].size(), 3U);
    alone.insert(m_pairs.begin(), m_pairs.end());
  }
  place(0);
  std::array<Tokens, 2> all = texts;
  std::array<Drafter::Wish, 2> wishes;
  for (const int slot : {0, 1}) {
    const auto i = static_cast<std::size_t>(slot);
    begin(slot);
    all[i].push_back(1);
    wishes[i] = {.slot = slot, .tokens = all[i], .most = 3};
  }
  m_layer->draft(wishes);
  for (const std::size_t i : {0U, 1U}) EXPECT_EQ(wishes[i].draft, drafts[i]);
  EXPECT_TRUE(m_pairs == alone) << "rows of another";
}

// A reply is made anew, and another one goes on from a part of it.
TEST_F(PredictionRows, OfATextThatBeginsAgain) {
  const Tokens text = someTokens(150, 1);
  Tokens other = firstOf(text, 100);
  for (int i = 0; i < 40; ++i) other.push_back((i * 7 + 3) % draftableTokens);
  m_layer->begin(0, -1, {});
  show(0, text, 0);
  (void)draft(0, text);
  m_layer->begin(0, -1, std::span(text).first(60));
  show(0, firstOf(text, 80), 60);
  (void)draft(0, firstOf(text, 80));
  EXPECT_TRUE(m_isRead) << "a text that is the same again is drafted for";
  m_layer->begin(0, -1, std::span(text).first(70));
  m_pairs.clear();
  show(0, other, 70);
  (void)draft(0, other);
  EXPECT_TRUE(m_isRead);
  expectRows(0, 79, other, 79, 139);
}

// The last token that was drafted after never became a part of the text.
TEST_F(PredictionRows, OfATextThatGoesOnOtherwise) {
  const Tokens text = someTokens(100, 1);
  Tokens other = text;
  for (int i = 0; i < 20; ++i) other.push_back(2);
  m_layer->begin(0, -1, {});
  show(0, text, 0);
  (void)draft(0, text);
  m_layer->begin(0, -1, text);
  m_pairs.clear();
  show(0, other, 100);
  (void)draft(0, other);
  EXPECT_TRUE(m_isRead);
  expectRows(0, 99, other, 100, 119);
}

// The slot had a short text, of which the new one knows nothing.
TEST_F(PredictionRows, OfASlotThatIsCopied) {
  const Tokens text = someTokens(400, 1), old = someTokens(20, 2);
  m_layer->begin(0, -1, {});
  m_layer->begin(1, -1, {});
  show(0, firstOf(text, 200), 0);
  show(1, old, 0);
  m_layer->catchUp();
  ASSERT_TRUE(m_target->copySlot(0, 1, 150));
  m_layer->begin(1, 0, std::span(text).first(150));
  m_pairs.clear();
  show(1, text, 150);
  m_layer->catchUp();
  expectRows(1, 150, text, 150, 399);
  EXPECT_FALSE(m_pairs.contains({1, 149})) << "read by the other slot";
}

// As where requests before could not have drafts.
TEST_F(PredictionRows, OfATextWhoseBeginningWasNeverShown) {
  const Tokens text = someTokens(300, 1), old = someTokens(20, 2);
  m_layer->begin(0, -1, {});
  show(0, old, 0);
  m_layer->begin(0, -1, {});
  ASSERT_TRUE(m_target->step(std::vector<backend::StepRow>(1, {text[0], 0, 0})));
  std::vector<backend::StepRow> before;
  for (int i = 1; i < 100; ++i) before.push_back({text[static_cast<std::size_t>(i)], i, 0});
  ASSERT_TRUE(m_target->step(before));
  m_layer->begin(0, -1, std::span(text).first(100));
  show(0, text, 100);
  m_layer->catchUp();
  expectRows(0, 0, text, 100, 299);
}

// One context for three slots: four pages. The second text has to be read in several rounds, for which the first gives its pages.
TEST_F(PredictionRows, WhereOneDraftTakesThePagesOfAnother) {
  place(1);
  const Tokens brief = someTokens(120, 1), rest = someTokens(130, 2), text = someTokens(500, 3);
  for (int slot = 0; slot < slots; ++slot) m_layer->begin(slot, -1, {});
  show(0, brief, 0);
  show(1, firstOf(text, 250), 0);
  show(1, text, 250);
  Tokens first = brief, second = text;
  first.push_back(1);
  second.push_back(1);
  std::array<Drafter::Wish, 2> wishes{Drafter::Wish{.slot = 0, .tokens = first, .most = 4},
                                      Drafter::Wish{.slot = 1, .tokens = second, .most = 4}};
  m_layer->draft(wishes);
  EXPECT_FALSE(m_layer->failed());
  EXPECT_EQ(wishes[0].draft.size(), 1U);
  EXPECT_EQ(wishes[1].draft.size(), 4U) << "the other one goes on";
  m_layer->begin(2, -1, {});
  show(2, rest, 0);
  (void)draft(2, rest);
  EXPECT_TRUE(m_isRead) << "it goes on drafting";
}

// As where its window has given back what an earlier position sees.
TEST_F(PredictionRows, AreReadAnewWhereAStepIsRefused) {
  const Tokens text = someTokens(400, 1);
  m_layer->begin(0, -1, {});
  show(0, firstOf(text, 200), 0);
  m_layer->catchUp();
  m_notes.failsStep = true;
  m_notes.failing = ErrorKind::invalidArgument;
  show(0, firstOf(text, 210), 200);
  EXPECT_TRUE(draft(0, firstOf(text, 210)).empty());
  EXPECT_FALSE(m_layer->failed());
  m_pairs.clear();
  show(0, text, 210);
  (void)draft(0, text);
  EXPECT_TRUE(m_isRead);
  expectRows(0, 0, text, 199, 399);
}

TEST_F(PredictionRows, AreNotKeptWhereTheLayerFails) {
  const Tokens text = someTokens(400, 1);
  m_layer->begin(0, -1, {});
  show(0, firstOf(text, 200), 0);
  m_notes.failsStep = true;
  m_layer->catchUp();
  EXPECT_TRUE(m_layer->failed());
  const int steps = m_notes.steps;
  show(0, text, 200);
  m_layer->catchUp();
  EXPECT_TRUE(draft(0, text).empty());
  EXPECT_EQ(m_layer->missing(0, text), 1);
  EXPECT_EQ(m_notes.steps, steps) << "it is not asked again";
}

// A row of logits, whichever is asked for.
class OneRow final : public IdlePlacement {
 public:
  explicit OneRow(std::vector<float> logits) : m_logits(std::move(logits)) {}
  Result<void> step(std::span<const backend::StepRow>) override { return {}; }
  Result<std::span<const float>> logits(int) override { return std::span<const float>(m_logits); }

 private:
  std::vector<float> m_logits;
};

TEST(LikeliestTokens, AreNoneOfLogitsThatAreNotNumbers) {
  const float none = std::numeric_limits<float>::quiet_NaN();
  model::Plan plan;
  plan.vocabularySize = 3;
  for (const auto& [logits, expected] :
       {std::pair{std::vector<float>{none, 1, 2}, -1}, {{none, none, none}, -1}, {{1, 9, 2}, 1}, {{1, 1, 1}, -1}}) {
    OneRow placement(logits);
    const auto token = likeliestToken(placement, plan, 0, 3, Drafter::leastProbability);
    ASSERT_TRUE(token);
    EXPECT_EQ(*token, expected);
  }
}

}  // namespace
}  // namespace minerva::engine
