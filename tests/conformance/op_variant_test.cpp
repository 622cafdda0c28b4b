// Gates, norms and the variants of attention and of routing, on every backend.
#include "tests/conformance/mixer_plans.h"
#include "tests/conformance/op_conformance.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace minerva::tests::mixers {
namespace {

class OpVariants : public OpConformance {
 protected:
  void expectRows(const OpPlan& p, const std::string& what) { expectConforms(p, ElementType::F32, {1, 2, 21}, 37, what); }
};

TEST_P(OpVariants, GatesOfEveryActivation) {
  for (const auto activation : {model::Activation::silu, model::Activation::geluTanh, model::Activation::geluErf,
                                model::Activation::sigmoid, model::Activation::relu, model::Activation::reluSquared,
                                model::Activation::identity, model::Activation::tanh, model::Activation::softplus}) {
    for (const int columns : {3, 16, 75}) {
      for (const bool own : {false, true}) {
        expectRows(gatePlan(activation, columns, own),
                   "gate " + std::to_string(static_cast<int>(activation)) + " of " + std::to_string(columns) + (own ? " own" : ""));
      }
    }
  }
}

TEST_P(OpVariants, GatesOfWholeHeads) {
  for (const auto activation : {model::Activation::sigmoid, model::Activation::softplus}) {
    for (const auto& [heads, group] : {std::pair{3, 5}, {4, 16}, {2, 50}}) {
      for (const bool own : {false, true})
        expectRows(gatePlan(activation, heads * group, own, group), std::to_string(heads) + " gates of " + std::to_string(group));
    }
  }
}

TEST_P(OpVariants, GatesOfGroupsAndWithLimits) {
  for (const int group : {1, 5, 25}) {
    for (const float limit : {0.0F, 0.4F}) {
      for (const bool own : {false, true}) {
        OpPlan p = gatePlan(model::Activation::silu, 75, own);
        for (model::Op& op : p.plan.ops) {
          auto* gate = std::get_if<model::GateOp>(&op);
          if (gate == nullptr) continue;
          gate->group = group;
          gate->limit = limit;
        }
        expectRows(p, "gates of " + std::to_string(group) + " up to " + std::to_string(limit) + (own ? " own" : ""));
      }
    }
  }
}

TEST_P(OpVariants, NormsOfRuns) {
  for (const auto kind : {model::NormKind::rms, model::NormKind::layer}) {
    for (const auto weights : {RunWeights::none, RunWeights::oneRun, RunWeights::allRuns}) {
      const std::string what = " norm " + std::to_string(static_cast<int>(kind)) + ", weights " + std::to_string(static_cast<int>(weights));
      for (const auto& [runs, group] : {std::pair{1, 45}, {4, 16}, {3, 20}, {2, 100}}) {
        expectRows(normPlan(kind, runs, group, weights, runs == 3), std::to_string(runs) + what);
        expectRows(gatedNormPlan(kind, runs, group, weights, false), std::to_string(runs) + " gated" + what);
        expectRows(gatedNormPlan(kind, runs, group, weights, true), std::to_string(runs) + " gated first" + what);
      }
    }
  }
}

TEST_P(OpVariants, FusedNormsWithoutWeights) {
  for (const auto kind : {model::NormKind::rms, model::NormKind::layer}) {
    for (const auto type : {ElementType::F32, ElementType::Q8_0}) {
      expectConforms(weightlessPlan(kind, type, 256, 51), type, {1, 2, 21}, 37, std::string(traits(type).name) + " without weights");
    }
  }
}

TEST_P(OpVariants, Scales) {
  for (const int columns : {5, 64, 75}) {
    expectRows(scalePlan(columns, true), "one scale");
    expectRows(scalePlan(columns, false), "scales of " + std::to_string(columns));
  }
}

TEST_P(OpVariants, HeadNormsBeforeAndAfterTheRotation) {
  for (const bool weightless : {false, true}) {
    for (const bool rotated : {false, true}) {
      for (const bool values : {false, true}) {
        const AttentionShape shape{.heads = 4,
                                   .kvHeads = 2,
                                   .headDim = 24,
                                   .ropeDimension = 16,
                                   .headNorms = true,
                                   .weightless = weightless,
                                   .normsRotated = rotated,
                                   .valueNorm = values};
        expectConforms(
            attentionPlan(shape), ElementType::BF16, {1, 5, 17}, 40,
            std::string("head norms") + (weightless ? ", no weights" : "") + (rotated ? ", rotated" : "") + (values ? ", v" : ""));
      }
    }
  }
}

TEST_P(OpVariants, QueriesGrowWithTheirPosition) {
  for (const int offset : {0, 1}) {
    const AttentionShape shape{.headDim = 32, .temperature = {.strength = 0.6F, .length = 8, .offset = offset}};
    expectConforms(attentionPlan(shape), ElementType::BF16, {1, 30, 17}, 70, "temperature");
  }
}

TEST_P(OpVariants, QueriesKeysAndValuesAreLimited) {
  for (const auto layout : {model::RopeLayout::halves, model::RopeLayout::interleaved}) {
    const AttentionShape shape{.heads = 4, .kvHeads = 2, .headDim = 32, .layout = layout, .limit = 0.5F};
    expectConforms(attentionPlan(shape), ElementType::BF16, {1, 30, 17}, 70, "limit");
  }
}

TEST_P(OpVariants, AttentionToAnotherLayersKeys) {
  const AttentionShape shape{.heads = 6, .kvHeads = 2, .headDim = 32, .headNorms = true, .shared = true};
  expectConforms(attentionPlan(shape), ElementType::BF16, {1, 30, 17}, 70, "shared keys");
}

TEST_P(OpVariants, AttentionInChunks) {
  for (const int chunk : {1, 5, 16, 33, 64}) {
    const AttentionShape shape{.heads = 4, .kvHeads = 2, .headDim = 32, .chunk = chunk};
    expectConforms(attentionPlan(shape), ElementType::BF16, {7, 1, 1, 24, 40}, 150, "chunk " + std::to_string(chunk));
  }
  const AttentionShape both{.heads = 4, .kvHeads = 2, .headDim = 32, .window = 9, .chunk = 16};
  expectConforms(attentionPlan(both), ElementType::BF16, {7, 1, 1, 24, 40}, 90, "window and chunk");
  // Longer than what a device splits among its threads or groups.
  const AttentionShape large{.heads = 2, .kvHeads = 1, .headDim = 32, .chunk = 600};
  expectConforms(attentionPlan(large), ElementType::BF16, {550, 1, 1, 100, 1}, 655, "large chunk");
}

TEST_P(OpVariants, AttentionInBothDirections) {
  for (const int window : {0, 1, 7, 40}) {
    for (const int length : {1, 3, 40, 150}) {
      const AttentionShape shape{.heads = 4, .kvHeads = 2, .headDim = 32, .window = window, .bidirectional = true};
      expectConforms(attentionPlan(shape), ElementType::BF16, {length}, length,
                     "both directions, window " + std::to_string(window) + ", " + std::to_string(length) + " rows");
    }
  }
}

TEST_P(OpVariants, ScoresAreLessWithDistance) {
  for (const bool bidirectional : {false, true}) {
    for (const int heads : {4, 6}) {  // 6: slopes between those of a power of two
      const AttentionShape shape{
          .heads = heads, .kvHeads = 2, .headDim = 32, .ropeDimension = 0, .bidirectional = bidirectional, .alibi = 8};
      const std::vector<int> steps = bidirectional ? std::vector{70} : std::vector{1, 30, 17};
      expectConforms(attentionPlan(shape), ElementType::BF16, steps, 70, std::to_string(heads) + " slopes");
    }
  }
  const AttentionShape windowed{.heads = 4, .kvHeads = 2, .headDim = 32, .window = 9, .alibi = 2};
  expectConforms(attentionPlan(windowed), ElementType::BF16, {7, 1, 1, 24, 40}, 90, "window and slopes");
}

TEST_P(OpVariants, SequencesInBothDirectionsDoNotSeeEachOther) {
  const AttentionShape shape{.heads = 4, .kvHeads = 2, .headDim = 32, .bidirectional = true};
  Script script{{}};
  for (int i = 0; i < 60; ++i) {
    const int slot = i < 11 ? 1 : i % 2 * 2;
    const auto before = std::ranges::count_if(script[0].rows, [&](const backend::StepRow& row) { return row.slot == slot; });
    script[0].rows.push_back({(i * 7) % opVocabulary, static_cast<int>(before), slot, true});
  }
  expectConforms(attentionPlan(shape), ElementType::BF16, script, 64, 3, "three sequences");
}

TEST_P(OpVariants, RoutingOfEveryScoring) {
  using model::Scoring;
  for (const auto scoring : {Scoring::softmax, Scoring::sigmoid}) {
    for (const bool normalised : {false, true}) {
      for (const bool biased : {false, true}) {
        const RouteShape shape{.experts = 9,
                               .used = 3,
                               .normalised = normalised,
                               .sharedGate = biased,
                               .scoring = scoring,
                               .selectionBias = biased,
                               .expertScale = normalised};
        expectRows(routePlan(shape), std::string(scoring == Scoring::softmax ? "softmax" : "sigmoid") + (normalised ? ", normalised" : "") +
                                         (biased ? ", biased" : ""));
      }
    }
  }
  expectRows(routePlan({.experts = 16, .scoring = Scoring::sparseMixer}), "sparse mixer");
  expectRows(routePlan({.experts = 16, .sharedGate = true, .scoring = Scoring::sparseMixer, .expertScale = true}), "sparse mixer, shared");
}

TEST_P(OpVariants, RoutingToTheBestGroups) {
  using model::GroupRank;
  using model::Scoring;
  for (const auto rank : {GroupRank::largest, GroupRank::twoLargest}) {
    for (const auto scoring : {Scoring::softmax, Scoring::sigmoid}) {
      for (const bool biased : {false, true}) {
        const RouteShape shape{
            .experts = 24, .used = 4, .groups = 6, .groupsUsed = 2, .scoring = scoring, .groupRank = rank, .selectionBias = biased};
        expectRows(routePlan(shape), std::string(rank == GroupRank::largest ? "largest" : "two largest") +
                                         (scoring == Scoring::softmax ? ", softmax" : ", sigmoid") + (biased ? ", biased" : ""));
      }
    }
  }
}

TEST_P(OpVariants, ExpertsWithoutAGate) {
  for (const auto activation :
       {model::Activation::identity, model::Activation::reluSquared, model::Activation::silu, model::Activation::geluErf}) {
    for (const bool spread : {false, true}) {
      for (const bool add : {false, true}) {
        expectRows(
            routePlan({.used = 2, .spread = spread, .weighted = !spread, .add = add, .activation = activation}),
            "experts, activation " + std::to_string(static_cast<int>(activation)) + (spread ? ", spread" : "") + (add ? ", add" : ""));
      }
    }
  }
}

TEST_P(OpVariants, ExpertsWithABiasOfTheirSum) {
  for (const bool add : {false, true}) {
    for (const bool shared : {false, true}) {
      expectRows(routePlan({.sharedGate = shared, .resultBias = true, .add = add}),
                 std::string("bias") + (shared ? ", shared" : "") + (add ? ", added" : ""));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, OpVariants, testing::ValuesIn(backendsUnderTest()), [](const auto& info) { return info.param.name; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(OpVariants);

}  // namespace
}  // namespace minerva::tests::mixers
