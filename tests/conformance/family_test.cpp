// Features that families add to a plain decoder (norms of heads and of outputs, soft caps, sinks, learned positions,
// experts, latent attention), in small random models on every backend against the reference.
#include "tests/support/backend_test.h"
#include "tests/support/random_families.h"

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

TEST_P(FamilyConformance, HeadsAreNormalisedEachOrTogether) {
  for (const bool together : {false, true}) {
    RandomModel m = randomModel({.heads = 4, .kvHeads = 2, .headDim = 16});
    for (model::LayerConfig& layer : m.config.layers) {
      layer.qNorm = {randomNorm(m, together ? 64 : 16), together};
      layer.kNorm = {randomNorm(m, together ? 32 : 16), together};
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
        layer.postAttentionNorm = randomNorm(m, config.hiddenSize);
        layer.postFeedForwardNorm = randomNorm(m, config.hiddenSize);
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
  for (const ExpertsShape& shape : expertShapes()) {
    RandomModel m = randomModel({.hidden = 64, .layers = 2});
    addExperts(m, shape);
    expectConforms(m, shape.what);
  }
}

TEST_P(FamilyConformance, LatentAttentionKeepsOneKeyForAllHeads) {
  RandomModel m = randomModel({.hidden = 64, .layers = 2, .layout = model::RopeLayout::interleaved, .ropeDimension = 8});
  addLatentAttention(m);
  expectConforms(m, "latent");
}

INSTANTIATE_TEST_SUITE_P(Devices, FamilyConformance, testing::ValuesIn(backendsUnderTest()),
                         [](const auto& info) { return info.param.name; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FamilyConformance);

}  // namespace
}  // namespace minerva::tests
