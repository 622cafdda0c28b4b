// A layer of the model that predicts further tokens makes replies faster without changing a token of them: greedy or sampled, alone or
// beside others, whatever states the model has, on a CPU.
#include "tests/core/engine/draft_models.h"
#include "tests/core/engine/pairs_placement.h"

#include <cmath>

namespace minerva::engine {
namespace {

constexpr int attentionLayer = 3;

// A model whose text only its last layer decides, and a layer that predicts with that one's weights: it sees all that the model sees but
// the first token, and so is nearly always right. combine takes the embedding, which its norm leaves as it is.
tests::RandomModel foreseen(StateKind kind) {
  tests::RandomModel made = sure(modelOf(kind, draftableTokens, draftContext));
  model::ModelConfig& config = made.config;
  const int hidden = config.hiddenSize;
  const auto size = static_cast<std::size_t>(hidden);
  const auto nothing = [&](const TensorView& like) {
    const auto rows = like.shape.rows(), columns = like.shape.columns();
    return made.store.values(std::vector<float>(static_cast<std::size_t>(rows * columns), 0.0F), rows, columns);
  };
  for (int i = 0; i < attentionLayer; ++i) {
    model::LayerConfig& layer = config.layers[static_cast<std::size_t>(i)];
    layer.attentionResultScale = layer.feedForwardResultScale = 0;
    for (TensorView* out : {&layer.deltaNet.out.weight, &layer.mamba.out.weight, &layer.shortConvolution.out.weight}) {
      if (!out->empty()) *out = nothing(*out);
    }
  }
  std::vector<float> table(static_cast<std::size_t>(config.vocabularySize) * size), identity(2 * size * size, 0.0F);
  dequantizeRows(config.tokenEmbedding, 0, static_cast<std::size_t>(config.vocabularySize), table.data());
  for (std::size_t row = 0; row < table.size(); row += size) {
    double squares = 0;
    for (std::size_t i = row; i < row + size; ++i) squares += static_cast<double>(table[i]) * static_cast<double>(table[i]);
    for (std::size_t i = row; i < row + size; ++i) table[i] = static_cast<float>(table[i] / std::sqrt(squares / hidden));
  }
  for (std::size_t i = 0; i < size; ++i) identity[i * 2 * size + i] = 1;
  config.tokenEmbedding = made.store.values(table, config.vocabularySize, hidden);
  model::Prediction prediction;
  prediction.combine.weight = made.store.values(identity, hidden, 2 * hidden);
  prediction.embeddingNorm.weight = prediction.hiddenNorm.weight = made.store.vector(ElementType::F32, hidden, 1, 0);
  prediction.outputNorm = config.outputNorm;
  prediction.layer = config.layers[attentionLayer];
  prediction.head = config.head;
  prediction.tokenEmbedding = config.tokenEmbedding;
  config.prediction = prediction;
  return made;
}

class PredictionDrafts : public DraftModels {
 protected:
  DraftedAnswers run(const std::vector<Request>& requests, bool predicts, int slots, int contexts = 0, const AfterTick& afterTick = {}) {
    m_notes = m_draftNotes = {};
    const auto model = loaded(m_target, placedForDrafts(m_target, slots, contexts), m_notes, 4);
    model->drafts = predicts;
    if (predicts) addPrediction(*model);
    return answersOf(*model, requests, afterTick);
  }
  DraftedAnswers plain(const std::vector<Request>& requests, int slots, int contexts = 0) { return run(requests, false, slots, contexts); }

 private:
  void addPrediction(LoadedModel& model) {
    auto plan = model::buildPlan(m_target.config, model::Gives::logitsAndHidden);
    auto prediction = model::buildPredictionPlan(m_target.config);
    ASSERT_TRUE(plan && prediction);
    model.placement.reset();
    model.plan = std::move(*plan);
    auto placement = m_backend->place(model.plan, model.placed, {}, {});
    ASSERT_TRUE(placement);
    model.placement = std::make_unique<SlowPlacement>(std::move(*placement), m_notes, 4, 0);
    auto own = std::make_unique<const model::Plan>(std::move(*prediction));
    const backend::PlaceOptions options = DraftModel::placeOptions(model.placed, *own);
    auto layer = m_backend->place(*own, options, {}, {});
    ASSERT_TRUE(layer);
    const model::BufferId pairs = own->pairs;
    auto slow = std::make_unique<SlowPlacement>(std::move(*layer), m_slowNotes, 0.4, 0);
    model.prediction = std::make_unique<PredictionDraft>(m_target.config, std::move(own), options,
                                                         std::make_unique<PairsPlacement>(std::move(slow), m_draftNotes, pairs, m_pairs));
    ASSERT_TRUE(model.prediction->warm());
    m_draftNotes.steps = m_draftNotes.rows = 0;
    m_pairs.clear();
  }

 protected:
  // The target's rows of a text.
  std::vector<std::vector<float>> hiddenOf(const Tokens& text) {
    auto plan = model::buildPlan(m_target.config, model::Gives::logitsAndHidden);
    EXPECT_TRUE(plan);
    auto placement = m_backend->place(*plan, placedFor(1), {}, {});
    EXPECT_TRUE(placement);
    std::vector<std::vector<float>> hidden;
    for (int i = 0; i < static_cast<int>(text.size()); ++i) {
      const backend::StepRow row{.token = text[static_cast<std::size_t>(i)], .position = i};
      EXPECT_TRUE((*placement)->step({&row, 1}));
      const auto rows = (*placement)->rows(plan->hidden);
      EXPECT_TRUE(rows);
      hidden.emplace_back(rows->data, rows->data + rows->columns);
    }
    return hidden;
  }

  // Whether the layer read these rows of the target in the slot, one after the other. A matrix unit computes those of prompts from bf16,
  // one at a time they are not; rows of other texts differ by about 1.
  bool hasRead(int slot, const std::vector<std::vector<float>>& hidden) const {
    for (int at = 0; at < static_cast<int>(hidden.size()); ++at) {
      const auto found = m_pairs.find({slot, at});
      if (found == m_pairs.end()) return false;
      const std::vector<float>& expected = hidden[static_cast<std::size_t>(at)];
      for (std::size_t i = 0; i < expected.size(); ++i) {
        if (std::abs(found->second[expected.size() + i] - expected[i]) > 0.05F) return false;
      }
    }
    return true;
  }

  PairsPlacement::Pairs m_pairs;

 private:
  WatchedPlacement::Notes m_slowNotes;
  tests::RandomModel m_target = foreseen(GetParam());
};

TEST_P(PredictionDrafts, AreAcceptedAndTakeFewerSteps) {
  const std::vector<Request> requests{draftableRequest(60, 300, 3)};
  const DraftedAnswers expected = plain(requests, 1), found = run(requests, true, 1);
  EXPECT_EQ(found.tokens, expected.tokens);
  EXPECT_GT(found.accepted(), 200);
  EXPECT_LT(found.steps, 100);
  EXPECT_LT(found.draftRows, 360 + 2 * 300) << "each position is read once, beside the drafts themselves";
}

TEST_P(PredictionDrafts, BesideOthersAndTheirPrompts) {
  std::vector<Request> requests;
  for (int i = 0; i < 7; ++i) requests.push_back(draftableRequest(20 + 40 * i, 140 - 10 * i, i + 1, i % 2 == 0 ? 0 : 0.7F));
  const DraftedAnswers expected = plain(requests, 3), found = run(requests, true, 3);
  EXPECT_EQ(found.tokens, expected.tokens);
  EXPECT_GT(found.accepted(), 100);
}

TEST_P(PredictionDrafts, ReadTheRowsOfTheirTextBesideOthers) {
  std::vector<Request> requests;
  for (int i = 0; i < 3; ++i) requests.push_back(draftableRequest(20 + 40 * i, 60, i + 1, i == 1 ? 0.7F : 0));
  const DraftedAnswers found = run(requests, true, 3);
  EXPECT_GT(found.accepted(), 50);
  for (const auto& [id, reply] : found.tokens) {
    Tokens text = requests[static_cast<std::size_t>(id) - 1].tokens;
    text.insert(text.end(), reply.begin(), reply.end() - 20);  // the last ones may not have been drafted for
    const auto hidden = hiddenOf(text);
    EXPECT_TRUE(hasRead(0, hidden) || hasRead(1, hidden) || hasRead(2, hidden)) << "request " << id;
  }
}

// As where a reply is made anew: what is the same again is drafted for as well.
TEST_P(PredictionDrafts, OfTheSameReplyAgain) {
  const std::vector<Request> requests{draftableRequest(50, 100, 3), draftableRequest(50, 100, 3)};
  const DraftedAnswers found = run(requests, true, 1);
  EXPECT_EQ(found.tokens.at(1), found.tokens.at(2));
  EXPECT_GT(found.timings.at(1).acceptedTokens, 50);
  EXPECT_GT(found.timings.at(2).acceptedTokens, 50);
}

TEST_P(PredictionDrafts, WithPagesThatSlotsShare) {
  std::vector<Request> requests;
  for (int i = 0; i < 4; ++i) requests.push_back(draftableRequest(160 + 10 * i, 130, i + 1, i % 2 == 0 ? 0 : 0.7F));
  const DraftedAnswers expected = plain(requests, 4, 1), found = run(requests, true, 4, 1);
  EXPECT_EQ(found.tokens, expected.tokens);
  EXPECT_GT(found.accepted(), 20);
}

// The second begins as the first did, the third goes on from it, the fourth is something else: in one slot, after a cancelled reply.
TEST_P(PredictionDrafts, InASlotThatIsUsedAgain) {
  std::vector<Request> requests{draftableRequest(50, 400, 3), draftableRequest(40, 90, 3), draftableRequest(300, 80, 3),
                                draftableRequest(70, 60, 4)};
  const DraftedAnswers expected = plain(requests, 1);
  const DraftedAnswers found = run(requests, true, 1, 0, [](Scheduler& scheduler, int tick) {
    if (tick == 15) scheduler.cancel(1);
  });
  for (const RequestId id : {2, 3, 4}) EXPECT_EQ(found.tokens.at(id), expected.tokens.at(id)) << id;
  EXPECT_GT(found.timings.at(3).acceptedTokens, 20);
  EXPECT_GT(found.timings.at(4).acceptedTokens, 20);
}

TEST_P(PredictionDrafts, UpToTheEndOfTheContext) {
  const std::vector<Request> requests{draftableRequest(50, 60, 1), draftableRequest(draftContext - 100, 0, 2)};
  const DraftedAnswers expected = plain(requests, 1), found = run(requests, true, 1);
  EXPECT_EQ(found.tokens, expected.tokens);
  EXPECT_EQ(found.tokens.at(2).size(), 100U);
}

TEST_P(PredictionDrafts, RepliesGoOnWhereTheLayerFails) {
  const std::vector<Request> requests{draftableRequest(60, 200, 3)};
  const DraftedAnswers expected = plain(requests, 1);
  int before = 0;
  const DraftedAnswers found = run(requests, true, 1, 0, [&](Scheduler&, int tick) {
    if (tick != 8) return;
    m_draftNotes.failsStep = true;
    before = m_draftNotes.steps;
  });
  EXPECT_EQ(found.tokens, expected.tokens);
  EXPECT_GT(before, 1);
  EXPECT_EQ(found.draftSteps, before) << "it is not asked again";
}

TEST(PredictionPlans, HaveTheUsualPartOfALargeVocabulary) {
  for (const auto& [vocabulary, expected] : {std::pair{300, 300}, {110'000, 100'096}, {248'320, 124'160}}) {
    tests::RandomModel made =
        tests::randomModel({.type = ElementType::Q8_0, .vocabulary = vocabulary, .hidden = 32, .layers = 1, .heads = 2, .kvHeads = 1});
    model::Prediction prediction;
    prediction.combine.weight = made.store.matrix(ElementType::Q8_0, 32, 64, 1);
    prediction.embeddingNorm.weight = prediction.hiddenNorm.weight = made.store.vector(ElementType::F32, 32, 1, 0);
    prediction.outputNorm = made.config.outputNorm;
    prediction.layer = made.config.layers.front();
    prediction.head.weight = made.store.matrix(ElementType::Q8_0, vocabulary, 32, 1);
    prediction.tokenEmbedding = made.config.tokenEmbedding;
    made.config.prediction = prediction;
    const auto plan = model::buildPredictionPlan(made.config);
    ASSERT_TRUE(plan) << plan.error().message();
    EXPECT_EQ(plan->vocabularySize, expected);
    EXPECT_EQ(plan->resultColumns(), expected);
    const auto isItsHead = [&](const model::Weight& weight) { return weight.view.bytes.data() == prediction.head.weight.bytes.data(); };
    EXPECT_TRUE(std::ranges::any_of(plan->weights, isItsHead));
  }
}

INSTANTIATE_TEST_SUITE_P(States, PredictionDrafts, testing::Values(StateKind::attention, StateKind::windows, StateKind::hybrid),
                         nameOfKind);

}  // namespace
}  // namespace minerva::engine
