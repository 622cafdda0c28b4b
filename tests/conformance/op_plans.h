// The smallest plans that contain a given op: embed -> (the op) -> gather -> a head that changes almost nothing.
#pragma once

#include "core/model/plan.h"
#include "tests/support/random_model.h"

#include <vector>

namespace minerva::tests {

struct OpPlan {
  TensorStore store;
  model::Plan plan;
};

struct ProjShape {
  ElementType type = ElementType::F32;
  ElementType vectorType = ElementType::F32;
  int inputs = 64;
  std::vector<int> outputs{67};  // rows of each part; gated: two parts of equal size
  bool biases = false;
  bool normalised = false;
  model::NormKind norm = model::NormKind::rms;
  model::Epilogue epilogue = model::Epilogue::store;
  model::Activation activation = model::Activation::silu;
  bool outputRows = false;  // run the op after the gather
  std::uint64_t seed = 1;
};

struct AttentionShape {
  int heads = 4, kvHeads = 2, headDim = 16, window = 0;
  model::RopeLayout layout = model::RopeLayout::halves;
  int ropeDimension = -1;  // -1: headDim; 0: none
  float magnitude = 1.0F;
  int chunk = 0;
  bool bidirectional = false;
  bool headNorms = false;   // of q and k
  bool weightless = false;  // no norm has weights
  bool normsRotated = false, valueNorm = false;
  model::QueryTemperature temperature{};
  float limit = 0;      // of q, k and v
  bool shared = false;  // the attention has queries of its own and uses the keys and values of another layer
  std::uint64_t seed = 1;
  float alibi = 0;
};

// Parts of such plans. A row of a table of its own for each token:
[[nodiscard]] model::BufferId embed(OpPlan& p, ElementType type, int columns, double rms);
[[nodiscard]] model::BufferId addBuffer(model::Plan& plan, const char* name, int columns, bool outputRows);
[[nodiscard]] model::WeightId addWeight(model::Plan& plan, const char* name, const TensorView& view);
[[nodiscard]] model::Norm addNorm(OpPlan& p, model::NormKind kind, ElementType type, int columns);
// Ends a plan: the logits show the rows of a buffer almost unchanged.
void show(OpPlan& p, model::BufferId rows);

[[nodiscard]] OpPlan embedPlan(ElementType type, int columns);
[[nodiscard]] OpPlan projPlan(const ProjShape& shape);
// The rows of the embedding table are q, k and v themselves; there is no projection before the attention.
[[nodiscard]] OpPlan attentionPlan(const AttentionShape& shape);
// A head of this type after a norm of this kind.
[[nodiscard]] OpPlan headPlan(ElementType type, int columns, int vocabulary, model::NormKind norm, float scale);

inline constexpr int opVocabulary = 37;  // vocabulary of op plans, except headPlan's

}  // namespace minerva::tests
