// Variants of ops that single families use, alone, on every backend against the double-precision reference: gates and norms, ways of
// attention, routings and experts.
#include "tests/conformance/small_plan.h"
#include "tests/support/backend_test.h"

#include <gtest/gtest.h>

#include <cmath>

namespace minerva::tests {
namespace {

using model::none;

class KernelVariants : public BackendTest {
 protected:
  // With float32 keys and values, all plans here are exact.
  void conforms(const OpPlan& p, const std::vector<int>& chunks, const std::string& what) {
    const Result<void> checked = model::checkPlan(p.plan);
    ASSERT_TRUE(checked.has_value()) << what << ": " << checked.error().message();
    int length = 0;
    for (const int chunk : chunks) length += chunk;
    Random random(99);
    const Script script = prefillScript(random, p.plan.vocabularySize, length, chunks);
    const auto options = optionsFor(script, length, 1, backend::Precision::exact);
    const auto difference = compareWithReference(*m_backend, p.plan, options, script);
    ASSERT_TRUE(difference.has_value()) << what << ": " << difference.error().message();
    EXPECT_EQ(judge(*difference, toleranceOf(backend::Precision::exact, ElementType::F32)), "") << what;
  }
};

TEST_P(KernelVariants, GatesOfEveryActivation) {
  for (const auto activation : {model::Activation::silu, model::Activation::sigmoid, model::Activation::reluSquared,
                                model::Activation::identity, model::Activation::geluTanh, model::Activation::geluErf}) {
    SmallPlan p(1);
    const auto gate = p.embed(90), out = p.project(gate, 77);
    p.add(model::GateOp{.gate = gate, .gateColumn = 20, .activation = activation, .out = out, .column = 3, .columns = 70});
    conforms(p.finish(out), {1, 5}, "gate " + std::to_string(static_cast<int>(activation)));
  }
}

TEST_P(KernelVariants, ActivationsOfProjections) {
  for (const auto activation : {model::Activation::sigmoid, model::Activation::reluSquared, model::Activation::identity}) {
    for (const bool gated : {false, true}) {
      SmallPlan p(2);
      const auto x = p.embed(64);
      const auto out = p.buffer("y", 48);
      model::ProjOp op{.in = x,
                       .normalised = true,
                       .norm = {model::NormKind::rms, 1e-5F, none, none},
                       .parts = {},
                       .epilogue = gated ? model::Epilogue::gated : model::Epilogue::activated,
                       .activation = activation,
                       .out = out};
      for (int i = 0; i < (gated ? 2 : 1); ++i) {
        op.parts.push_back({p.weight("w", p.store().matrix(ElementType::F32, 48, 64, 0.125)), none, 48 * i});
      }
      p.add(std::move(op));
      conforms(p.finish(out), {1, 6, 2}, "activation " + std::to_string(static_cast<int>(activation)) + (gated ? ", gated" : ""));
    }
  }
}

TEST_P(KernelVariants, NormsOfGroupsAndWithoutWeights) {
  for (const auto kind : {model::NormKind::rms, model::NormKind::layer}) {
    for (const int group : {0, 12}) {
      for (const int weights : {0, 12, 60}) {
        if (group == 0 && weights == 12) continue;
        SmallPlan p(3);
        const auto x = p.embed(60);
        const auto out = p.project(x, 60);
        const bool biased = weights > 0 && kind == model::NormKind::layer;
        model::Norm norm{kind, 1e-5F, none, none};
        if (weights > 0) norm.weight = p.vector(weights, 1, 0.3);
        if (biased) norm.bias = p.vector(weights, 0, 0.3);
        p.add(model::NormOp{.in = x, .norm = norm, .add = true, .scale = 0.7F, .out = out, .group = group});
        conforms(p.finish(out), {1, 4}, "groups of " + std::to_string(group) + ", " + std::to_string(weights) + " weights");
      }
    }
  }
}

TEST_P(KernelVariants, HeadWithoutNormWeights) {
  SmallPlan p(4);
  OpPlan plan = p.finish(p.embed(72));
  std::get<model::HeadOp>(plan.plan.ops.back()).norm = {model::NormKind::rms, 1e-5F, none, none};
  conforms(plan, {1, 3}, "head");
}

TEST_P(KernelVariants, ScaleByAVectorAndByOneNumber) {
  for (const int elements : {1, 45}) {
    SmallPlan p(5);
    const auto x = p.embed(45);
    p.add(model::ScaleOp{.scale = p.vector(elements, 1, 0.5, {.plus = 0.25F, .times = 2}), .out = x});
    conforms(p.finish(x), {1, 4}, std::to_string(elements));
  }
}

struct Attending {
  int heads = 4, kvHeads = 2, headDim = 16, valueDim = 16;
  model::Visible visible{};
  bool vNorm = false, normsRotated = false, norms = false, weightless = false;
  model::QueryTemperature temperature{};
  bool shares = false;  // a second attention reads the state of the first one
};

OpPlan attendingPlan(const Attending& s) {
  SmallPlan p(6);
  const int queries = s.heads * s.headDim;
  const auto x = p.embed(48);
  const auto qkv = p.project(x, queries + s.kvHeads * (s.headDim + s.valueDim));
  model::Rope& rope = p.plan().ropes.emplace_back();
  rope.dimension = 8;
  for (int i = 0; i < 4; ++i) rope.frequencies.push_back(static_cast<float>(std::pow(100.0, -0.25 * i)));
  p.plan().kv.push_back({s.kvHeads, s.headDim, s.valueDim, s.visible.reach()});
  const auto normOf = [&](int elements) {
    return model::HeadNormStep{{model::NormKind::rms, 1e-5F, s.weightless ? none : p.vector(elements, 1, 0.3), none}, elements};
  };
  model::RopeKvOp store{.kv = 0,
                        .headCount = s.heads,
                        .kvHeadCount = s.kvHeads,
                        .headDim = s.headDim,
                        .valueDim = s.valueDim,
                        .rope = 0,
                        .ropeOffset = 2,
                        .normsRotated = s.normsRotated,
                        .temperature = s.temperature,
                        .qkv = qkv};
  if (s.norms) store.qNorm = normOf(s.headDim), store.kNorm = normOf(s.headDim);
  if (s.vNorm) store.vNorm = normOf(s.valueDim);
  p.add(store);
  model::AttentionOp attention{.kv = 0,
                               .headCount = s.heads,
                               .kvHeadCount = s.kvHeads,
                               .headDim = s.headDim,
                               .valueDim = s.valueDim,
                               .visible = s.visible,
                               .scale = 0.4F,
                               .qkv = qkv,
                               .out = p.buffer("attention", s.heads * s.valueDim)};
  p.add(attention);
  if (!s.shares) return p.finish(attention.out);
  model::RopeKvOp queriesOnly = store;
  queriesOnly.kv = none;
  queriesOnly.kvHeadCount = 0;
  queriesOnly.kNorm = queriesOnly.vNorm = {};
  queriesOnly.qkv = attention.qkv = p.project(attention.out, queries);
  attention.out = p.buffer("second attention", s.heads * s.valueDim);
  p.add(queriesOnly);
  p.add(attention);
  return p.finish(attention.out);
}

TEST_P(KernelVariants, AttentionSeesChunks) {
  for (const int chunk : {1, 8, 13}) {
    conforms(attendingPlan({.visible = {.chunk = chunk}}), {1, 11, 20, 1, 1}, "chunk " + std::to_string(chunk));
  }
  conforms(attendingPlan({.visible = {.window = 5, .chunk = 12}}), {3, 30, 1}, "window in chunks");
}

TEST_P(KernelVariants, AttentionSeesBothWays) {
  for (const int window : {0, 1, 6}) {
    conforms(attendingPlan({.visible = {.window = window, .bidirectional = true}}), {29}, "window " + std::to_string(window));
  }
}

TEST_P(KernelVariants, NormsAndTemperaturesOfHeads) {
  for (const bool rotated : {false, true}) {
    for (const bool weightless : {false, true}) {
      conforms(attendingPlan({.vNorm = true, .normsRotated = rotated, .norms = true, .weightless = weightless}), {1, 9, 2},
               std::string(rotated ? "after" : "before") + " the rotation" + (weightless ? ", without weights" : ""));
    }
  }
  conforms(attendingPlan({.temperature = {.strength = 0.5F, .length = 4, .offset = 1}}), {1, 9, 2}, "temperature");
  conforms(attendingPlan({.valueDim = 8, .vNorm = true, .normsRotated = true, .temperature = {.strength = 0.5F, .length = 4}}), {7, 1},
           "other values");
}

TEST_P(KernelVariants, AttentionReadsTheStateOfAnother) {
  conforms(attendingPlan({.norms = true, .shares = true}), {1, 9, 2}, "shared");
  conforms(attendingPlan({.normsRotated = true, .norms = true, .temperature = {.strength = 0.5F, .length = 4}, .shares = true}), {1, 9, 2},
           "shared, norms after the rotation");
}

struct Routing {
  int experts = 24, used = 3;
  bool normalised = true;
  float scale = 1.5F;
  int groups = 1, groupsUsed = 1;
  bool sharedGate = false;
  model::Scoring scoring = model::Scoring::softmax;
  model::GroupRank rank = model::GroupRank::largest;
  bool selectionBias = false, expertScale = false;
};

model::BufferId addRoute(SmallPlan& p, const Routing& r, model::BufferId logits) {
  const auto out = p.buffer("route", 2 * r.used + (r.sharedGate ? 1 : 0));
  p.add(model::RouteOp{.logits = logits,
                       .experts = r.experts,
                       .used = r.used,
                       .normalised = r.normalised,
                       .scale = r.scale,
                       .groups = r.groups,
                       .groupsUsed = r.groupsUsed,
                       .sharedGate = r.sharedGate,
                       .out = out,
                       .scoring = r.scoring,
                       .groupRank = r.rank,
                       .selectionBias = r.selectionBias ? p.vector(r.experts, 0, 0.2) : none,
                       .expertScale = r.expertScale ? p.vector(r.experts, 1, 0.3) : none});
  return out;
}

TEST_P(KernelVariants, RoutesOfEveryScoring) {
  const auto route = [&](const Routing& r, const std::string& what) {
    SmallPlan p(7);
    conforms(p.finish(addRoute(p, r, p.embed(r.experts + (r.sharedGate ? 1 : 0), 1.5))), {1, 30}, what);
  };
  for (const auto scoring : {model::Scoring::softmax, model::Scoring::sigmoid}) {
    const std::string name = scoring == model::Scoring::softmax ? "softmax" : "sigmoid";
    route({.scoring = scoring}, name);
    route({.normalised = false, .sharedGate = true, .scoring = scoring}, name + " with a shared expert");
    route({.scoring = scoring, .selectionBias = true, .expertScale = true}, name + " with a bias and scales");
    route({.groups = 4, .groupsUsed = 2, .scoring = scoring, .rank = model::GroupRank::twoLargest, .selectionBias = true},
          name + " with groups ranked by two");
    route({.groups = 4, .groupsUsed = 1, .scoring = scoring, .rank = model::GroupRank::twoLargest}, name + " with one group ranked by two");
    route({.groups = 8, .groupsUsed = 3, .scoring = scoring, .selectionBias = true}, name + " with groups and a bias");
  }
  route({.experts = 7, .used = 1, .normalised = false, .scoring = model::Scoring::sigmoid}, "one of seven");
  route({.experts = 16, .used = 2, .scale = 1, .scoring = model::Scoring::sparseMixer}, "sparse mixer");
  SmallPlan near(8);  // logits near each other: several are within the sparse mixer's distance
  const auto logits = near.buffer("logits", 16);
  const model::Norm norm{model::NormKind::layer, 1e-5F, near.vector(16, 0.01, 0), near.vector(16, 1, 0)};
  near.add(model::NormOp{.in = near.embed(16), .norm = norm, .add = false, .scale = 1, .out = logits});
  const Routing mixer{.experts = 16, .used = 2, .scoring = model::Scoring::sparseMixer};
  conforms(near.finish(addRoute(near, mixer, logits)), {1, 30}, "near ties");
}

struct Mixture {
  bool spread = false, gated = false, weighted = true, add = false;
  model::Activation activation = model::Activation::silu;
};

// x -> route -> experts -> combined, with float32 experts of 16 rows.
OpPlan mixturePlan(const Mixture& m) {
  SmallPlan p(9);
  constexpr int experts = 6, used = 2, width = 40, inner = 48;
  const auto x = p.embed(width);
  const auto route = addRoute(p, {.experts = experts, .used = used, .scoring = model::Scoring::sigmoid}, p.project(x, experts));
  auto in = x;
  if (m.spread) {
    in = p.buffer("spread", used * width);
    p.add(model::SpreadOp{.in = x, .route = route, .used = used, .out = in});
  }
  const auto part = [&](int rows, int columns) {
    model::ExpertPart made{{}, none};
    for (int e = 0; e < experts; ++e) {
      made.weights.push_back(p.weight("expert", p.store().matrix(ElementType::F32, rows, columns, 1.0 / std::sqrt(columns))));
    }
    return made;
  };
  model::ExpertOp up{.in = in,
                     .perPlace = m.spread,
                     .route = route,
                     .experts = experts,
                     .used = used,
                     .parts = {part(inner, width)},
                     .gated = m.gated,
                     .gatePlace = model::GatePlace::separate,
                     .activation = m.activation,
                     .out = p.buffer("inner", used * inner)};
  if (m.gated) up.parts.push_back(part(inner, width));
  const auto results = p.buffer("results", used * 48);
  model::ExpertOp down{.in = up.out,
                       .perPlace = true,
                       .route = route,
                       .experts = experts,
                       .used = used,
                       .parts = {part(48, inner)},
                       .gated = false,
                       .gatePlace = model::GatePlace::separate,
                       .activation = model::Activation::identity,
                       .out = results};
  p.add(std::move(up));
  p.add(std::move(down));
  const auto out = p.project(x, 48);
  p.add(model::CombineOp{.in = results,
                         .route = route,
                         .used = used,
                         .shared = none,
                         .sharedGate = false,
                         .scale = 0.8F,
                         .out = out,
                         .add = m.add,
                         .weighted = m.weighted});
  return p.finish(out);
}

TEST_P(KernelVariants, ExpertsOfEveryKind) {
  conforms(mixturePlan({.spread = true, .gated = true, .weighted = false, .add = true}), {1, 12}, "scaled inputs");
  conforms(mixturePlan({.activation = model::Activation::reluSquared}), {1, 12}, "without a gate, squared");
  conforms(mixturePlan({.activation = model::Activation::identity}), {1, 12}, "without a gate or an activation");
  conforms(mixturePlan({.weighted = false, .activation = model::Activation::geluErf}), {1, 12}, "without weights");
}

INSTANTIATE_TEST_SUITE_P(Devices, KernelVariants, testing::ValuesIn(backendsUnderTest()),
                         [](const auto& info) { return info.param.name; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(KernelVariants);

}  // namespace
}  // namespace minerva::tests
