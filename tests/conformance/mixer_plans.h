// The smallest plans with an op of a recurrent mixer, a gate, a norm of runs, or the routing of experts. Inputs are rows of embedding
// tables, as in op_plans.h.
#pragma once

#include "tests/conformance/op_plans.h"

namespace minerva::tests::mixers {

struct ConvShape {
  int channels = 24, width = 4, column = 0;
  bool activated = true, biased = true;
};
[[nodiscard]] OpPlan convPlan(const ConvShape& shape);

struct DeltaShape {
  int keyHeads = 2, valueHeads = 4, keyDim = 16, valueDim = 16;
  bool tiled = false, channelDecay = false;
  bool convolved = false;      // a convolution computes its input, as in a model
  double biasDeviation = 2.0;  // of the decay's bias
};
[[nodiscard]] OpPlan deltaPlan(const DeltaShape& shape);

struct ScanShape {
  int heads = 4, headDim = 16, groups = 2, stateSize = 16;
  bool channelDecay = false;  // B and C are then in a buffer of their own
  float dtMin = 0.0F, dtMax = 1e30F;
  double biasDeviation = 2.0;  // of the steps' bias
};
[[nodiscard]] OpPlan scanPlan(const ScanShape& shape);

// columns of a buffer times those before them (own), or times those of another buffer, of which `group` columns share one.
[[nodiscard]] OpPlan gatePlan(model::Activation activation, int columns, bool own, int group = 1);

enum class RunWeights { none, oneRun, allRuns };
[[nodiscard]] OpPlan normPlan(model::NormKind kind, int runs, int group, RunWeights weights, bool add);
[[nodiscard]] OpPlan gatedNormPlan(model::NormKind kind, int runs, int group, RunWeights weights, bool gateFirst);
// A projection and a head whose norms have no weights.
[[nodiscard]] OpPlan weightlessPlan(model::NormKind kind, ElementType type, int inputs, int outputs);
[[nodiscard]] OpPlan scalePlan(int columns, bool one);

struct RouteShape {
  int experts = 8, used = 2;
  bool normalised = true, sharedGate = false;
  int groups = 1, groupsUsed = 1;
  model::Scoring scoring = model::Scoring::softmax;
  model::GroupRank groupRank = model::GroupRank::largest;
  bool selectionBias = false, expertScale = false, resultBias = false;
  bool spread = false, weighted = true, add = false;
  model::Activation activation = model::Activation::identity;
};
// Routing, experts without a gate, and their sum.
[[nodiscard]] OpPlan routePlan(const RouteShape& shape);

}  // namespace minerva::tests::mixers
