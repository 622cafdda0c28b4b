// The reference backend against results calculated by hand, because all other tests rely on it.
#include "core/backend/reference/reference_backend.h"

#include "tests/support/random_model.h"

#include <gtest/gtest.h>

#include <cmath>

namespace minerva {
namespace {

using backend::StepRow;

// One layer, hidden size 2, one head of dimension 2, vocabulary 3; weights chosen so that every stage can be calculated by
// hand.
struct Pencil {
  tests::TensorStore store{1};
  model::ModelConfig config;

  Pencil() {
    config.vocabularySize = 3;
    config.hiddenSize = 2;
    config.contextLength = 8;
    config.normEpsilon = 0.0F;
    config.attentionScale = 1.0F;
    config.ropes = {{.layout = model::RopeLayout::halves, .dimension = 2, .frequencies = {1.0F}, .longFrequencies = {}}};
    config.tokenEmbedding = store.values({3, 4, 1, 0, 0, 2}, 3, 2);
    model::LayerConfig layer;
    layer.headCount = layer.kvHeadCount = 1;
    layer.headDim = 2;
    layer.feedForwardSize = 1;
    layer.attentionNorm.weight = layer.feedForwardNorm.weight = store.vector(ElementType::F32, 2, 1.0, 0.0);
    layer.q.weight = store.values({1, 0, 0, 1}, 2, 2);
    layer.k.weight = store.values({1, 0, 0, 1}, 2, 2);
    layer.v.weight = store.values({0, 1, 1, 0}, 2, 2);
    layer.o.weight = store.values({1, 0, 0, 1}, 2, 2);
    layer.gate.weight = store.values({1, 1}, 1, 2);
    layer.up.weight = store.values({1, -1}, 1, 2);
    layer.down.weight = store.values({2, 1}, 2, 1);
    config.layers.push_back(layer);
    config.outputNorm.weight = store.vector(ElementType::F32, 2, 1.0, 0.0);
    config.head.weight = store.values({1, 0, 0, 1, 1, 1}, 3, 2);
  }
};

struct Two {
  double a, b;
};
Two normalise(Two x) {
  const double s = std::sqrt((x.a * x.a + x.b * x.b) / 2);
  return {x.a / s, x.b / s};
}
Two rotate(Two x, int p) { return {x.a * std::cos(p) - x.b * std::sin(p), x.a * std::sin(p) + x.b * std::cos(p)}; }
Two finish(Two x, Two attention) {
  x = {x.a + attention.a, x.b + attention.b};
  const Two n = normalise(x);
  const double gate = n.a + n.b;
  const double inner = gate / (1 + std::exp(-gate)) * (n.a - n.b);
  return normalise({x.a + 2 * inner, x.b + inner});
}

TEST(Reference, AgreesWithSumsByHand) {
  const Pencil pencil;
  const auto plan = model::buildPlan(pencil.config);
  ASSERT_TRUE(plan.has_value()) << plan.error().message();
  const auto backend = backend::reference::createReferenceBackend();
  auto placed = backend->place(*plan, {.contextLength = 8, .slots = 1, .maxRows = 2, .maxOutputRows = 2, .precision = {}}, {}, {});
  ASSERT_TRUE(placed.has_value()) << placed.error().message();
  ASSERT_TRUE((*placed)->step(std::vector<StepRow>{{0, 0, 0, true}, {1, 1, 0, true}}).has_value());

  const Two x0{3, 4};
  const Two x1{1, 0};
  const Two n0 = normalise(x0);
  const Two n1 = normalise(x1);
  const Two q1 = rotate(n1, 1);
  const Two k0 = rotate(n0, 0);
  const Two k1 = rotate(n1, 1);
  const double s0 = std::exp(q1.a * k0.a + q1.b * k0.b);
  const double s1 = std::exp(q1.a * k1.a + q1.b * k1.b);
  const Two out0 = finish(x0, {n0.b, n0.a});  // the first row attends only to itself
  const Two out1 = finish(x1, {(s0 * n0.b + s1 * n1.b) / (s0 + s1), (s0 * n0.a + s1 * n1.a) / (s0 + s1)});
  const Two outs[] = {out0, out1};
  for (int row = 0; row < 2; ++row) {
    const auto logits = (*placed)->logits(row);
    ASSERT_TRUE(logits.has_value());
    EXPECT_NEAR((*logits)[0], outs[row].a, 1e-6);
    EXPECT_NEAR((*logits)[1], outs[row].b, 1e-6);
    EXPECT_NEAR((*logits)[2], outs[row].a + outs[row].b, 1e-6);
  }
  EXPECT_FALSE((*placed)->logits(2).has_value());
}

TEST(Reference, ChunksSlotsAndCopiesDoNotChangeALogit) {
  const tests::RandomModel made = tests::randomModel({.window = 3, .biases = true});
  const auto plan = model::buildPlan(made.config);
  ASSERT_TRUE(plan.has_value());
  const auto backend = backend::reference::createReferenceBackend();
  auto placed = backend->place(*plan, {.contextLength = 16, .slots = 3, .maxRows = 16, .maxOutputRows = 16, .precision = {}}, {}, {});
  ASSERT_TRUE(placed.has_value());
  std::vector<StepRow> whole;
  for (int i = 0; i < 12; ++i) whole.push_back({(i * 7) % 67, i, 0, i == 11});
  ASSERT_TRUE((*placed)->step(whole).has_value());
  const auto first = (*placed)->logits(0);
  ASSERT_TRUE(first.has_value());
  const std::vector<float> expected(first->begin(), first->end());
  for (StepRow row : whole) {  // row by row in another slot
    row.slot = 1;
    ASSERT_TRUE((*placed)->step(std::vector<StepRow>{row}).has_value());
  }
  EXPECT_TRUE(std::ranges::equal(expected, *(*placed)->logits(0)));
  ASSERT_TRUE((*placed)->copySlot(1, 2, 11).has_value());
  StepRow last = whole.back();
  last.slot = 2;
  ASSERT_TRUE((*placed)->step(std::vector<StepRow>{last}).has_value());
  EXPECT_TRUE(std::ranges::equal(expected, *(*placed)->logits(0)));
}

}  // namespace
}  // namespace minerva
