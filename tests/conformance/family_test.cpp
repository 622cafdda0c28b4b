// What families add to a plain decoder (norms of heads and of results, soft caps, sinks, learned positions, experts, latent
// attention), in small random models on every backend against the reference.
#include "tests/support/backend_test.h"
#include "tests/support/random_model.h"

#include <gtest/gtest.h>

#include <cmath>

namespace minerva::tests {
namespace {

class FamilyConformance : public BackendTest {
 protected:
  void expectConforms(const RandomModel& made, const char* what, int context = 48, bool longRope = false) {
    const auto plan = model::buildPlan(made.config);
    ASSERT_TRUE(plan.has_value()) << what << ": " << plan.error().message();
    Random random(5);
    Script script = prefillScript(random, made.config.vocabularySize, context, {1, 19, 3, 1, 11});
    for (Action& action : script) {
      for (backend::StepRow& row : action.rows) row.longRope = longRope;
    }
    const auto options = optionsFor(script, context, 1, backend::Precision::exact);
    const auto difference = compareWithReference(*m_backend, *plan, options, script);
    ASSERT_TRUE(difference.has_value()) << what << ": " << difference.error().message();
    EXPECT_EQ(judge(*difference, toleranceOf(backend::Precision::exact, ElementType::F32)), "") << what;
  }
};

model::NormWeights norm(RandomModel& m, int columns) { return {m.store.vector(ElementType::F32, columns, 1.0, 0.2), {}}; }

TensorView stack(RandomModel& m, ElementType type, int count, int rows, int columns) {
  TensorView view = m.store.matrix(type, std::int64_t{count} * rows, columns, 1.5 / std::sqrt(columns));
  view.shape = Shape{{count, rows, columns, 1}, 3};
  return view;
}

TensorView biases(RandomModel& m, int count, int rows) {
  TensorView view = m.store.vector(ElementType::F32, std::int64_t{count} * rows, 0.0, 0.3);
  view.shape = Shape{{count, rows, 1, 1}, 2};
  return view;
}

TEST_P(FamilyConformance, HeadsAreNormalisedEachOrTogether) {
  for (const bool together : {false, true}) {
    RandomModel m = randomModel({.heads = 4, .kvHeads = 2, .headDim = 16});
    for (model::LayerConfig& layer : m.config.layers) {
      layer.qNorm = {norm(m, together ? 64 : 16), together};
      layer.kNorm = {norm(m, together ? 32 : 16), together};
    }
    expectConforms(m, together ? "together" : "each");
  }
}

TEST_P(FamilyConformance, NormsCapsScalesAndSharedInputs) {
  for (const bool parallel : {false, true}) {
    RandomModel m = randomModel({.layers = 2});
    model::ModelConfig& config = m.config;
    config.normPlus = 1.0F;
    config.attentionSoftCap = 2.0F;
    config.logitSoftCap = 4.0F;
    config.logitScale = 0.5F;
    config.embeddingScale = 3.0F;
    config.residualScale = 0.6F;
    config.parallelBlocks = parallel;
    for (model::LayerConfig& layer : config.layers) {
      if (parallel) {
        layer.feedForwardNorm = {};
      } else {
        layer.postAttentionNorm = norm(m, config.hiddenSize);
        layer.postFeedForwardNorm = norm(m, config.hiddenSize);
      }
    }
    expectConforms(m, parallel ? "parallel" : "one after the other");
  }
}

TEST_P(FamilyConformance, LearnedPositionsAreAdded) {
  RandomModel m = randomModel({.ropeDimension = 0});
  m.config.positionEmbedding = m.store.matrix(ElementType::F16, 48, m.config.hiddenSize, 0.5);
  expectConforms(m, "positions");
}

TEST_P(FamilyConformance, SinksTakeTheirShare) {
  for (const int context : {48, 1100}) {
    RandomModel m = randomModel({.layers = 2, .heads = 4, .kvHeads = 2, .headDim = 16, .window = 7, .context = context});
    for (model::LayerConfig& layer : m.config.layers) layer.sinks = m.store.vector(ElementType::F32, 4, 0.5, 1.0);
    expectConforms(m, "sinks", context == 48 ? 48 : 90);
  }
}

TEST_P(FamilyConformance, LongSequencesRotateByTheirOwnFrequencies) {
  RandomModel m = randomModel({.headDim = 16, .ropeDimension = 8});
  model::Rope& rope = m.config.ropes.front();
  for (const float f : rope.frequencies) rope.longFrequencies.push_back(f * 0.3F);
  rope.switchLength = 16;
  expectConforms(m, "short", 48, false);
  expectConforms(m, "long", 48, true);
}

TEST_P(FamilyConformance, ExpertsOfEveryArrangement) {
  struct Case {
    const char* what;
    model::GatePlace place;
    ElementType type, upType;
    bool own, bias, normalised, shared;
    int groups;
    model::Activation activation;
  };
  using enum model::Activation;
  using enum model::GatePlace;
  for (const Case& c : {Case{"separate", separate, ElementType::F32, ElementType::F32, false, false, true, false, 1, silu},
                        Case{"own tensors, two types", separate, ElementType::Q8_0, ElementType::F16, true, true, false, true, 1, geluTanh},
                        Case{"halves, groups", halves, ElementType::Q4_0, ElementType::Q4_0, false, true, true, true, 3, silu},
                        Case{"alternating", alternating, ElementType::MXFP4, ElementType::MXFP4, false, true, true, false, 1, clampedSwiglu}}) {
    constexpr int count = 6, size = 32 * 3, hidden = 64;
    RandomModel m = randomModel({.hidden = hidden, .layers = 2, .activation = c.activation == clampedSwiglu ? silu : c.activation});
    m.config.activation = c.activation;
    for (model::LayerConfig& layer : m.config.layers) {
      model::Experts& experts = layer.experts;
      experts.count = count;
      experts.used = 2;
      experts.feedForwardSize = size;
      experts.normalised = c.normalised;
      experts.scale = 1.3F;
      experts.groups = c.groups;
      experts.groupsUsed = c.groups == 1 ? 1 : 2;
      experts.router.weight = m.store.matrix(ElementType::F32, count, hidden, 0.4);
      experts.gatePlace = c.place;
      const auto fill = [&](model::ExpertMatrices& to, ElementType type, int rows, int columns) {
        if (c.own) {
          for (int e = 0; e < count; ++e) to.weights.push_back(m.store.matrix(type, rows, columns, 1.5 / std::sqrt(columns)));
        } else {
          to.weights = {stack(m, type, count, rows, columns)};
        }
        if (c.bias) to.bias = biases(m, count, rows);
      };
      fill(experts.gate, c.type, c.place == separate ? size : 2 * size, hidden);
      if (c.place == separate) fill(experts.up, c.upType, size, hidden);
      fill(experts.down, c.type, hidden, size);
      layer.gate = layer.up = layer.down = {};
      layer.feedForwardSize = 0;
      if (!c.shared) continue;
      experts.sharedSize = 40;
      experts.sharedGate.weight = m.store.matrix(ElementType::F32, 40, hidden, 0.2);
      experts.sharedUp.weight = m.store.matrix(ElementType::F32, 40, hidden, 0.2);
      experts.sharedDown.weight = m.store.matrix(ElementType::F32, hidden, 40, 0.2);
      experts.sharedRouter = m.store.matrix(ElementType::F32, 1, hidden, 0.2);
    }
    expectConforms(m, c.what);
  }
}

TEST_P(FamilyConformance, LatentAttentionKeepsOneKeyForAllHeads) {
  constexpr int hidden = 64, heads = 3, latent = 32, plain = 18, rotary = 8, value = 16;
  RandomModel m = randomModel({.hidden = hidden, .layers = 2, .layout = model::RopeLayout::interleaved, .ropeDimension = rotary});
  for (model::LayerConfig& layer : m.config.layers) {
    const auto linear = [&](int rows, int columns) {
      return model::Linear{m.store.matrix(ElementType::F32, rows, columns, 1.5 / std::sqrt(columns)), {}};
    };
    model::LatentAttention& a = layer.latentAttention;
    a.latent = latent;
    a.plainDim = plain;
    a.rotaryDim = rotary;
    a.valueDim = value;
    a.qDown = linear(40, hidden);
    a.qNorm = norm(m, 40);
    a.latentDown = linear(latent, hidden);
    a.keyDown = linear(rotary, hidden);
    a.latentNorm = norm(m, latent);
    a.keyUp = stack(m, ElementType::F32, heads, latent, plain);
    a.valueUp = stack(m, ElementType::F32, heads, value, latent);
    layer.headCount = heads;
    layer.kvHeadCount = 1;
    layer.headDim = plain + rotary;
    layer.q = linear(heads * (plain + rotary), 40);
    layer.k = layer.v = {};
    layer.o = linear(hidden, heads * value);
  }
  m.config.attentionScale = 0.2F;
  expectConforms(m, "latent");
}

INSTANTIATE_TEST_SUITE_P(Devices, FamilyConformance, testing::ValuesIn(backendsUnderTest()),
                         [](const auto& info) { return info.param.name; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FamilyConformance);

}  // namespace
}  // namespace minerva::tests
