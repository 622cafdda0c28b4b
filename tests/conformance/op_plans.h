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
  std::uint64_t seed = 1;
};

[[nodiscard]] OpPlan embedPlan(ElementType type, int columns);
[[nodiscard]] OpPlan projPlan(const ProjShape& shape);
// The rows of the embedding table are q, k and v themselves; there is no projection before the attention.
[[nodiscard]] OpPlan attentionPlan(const AttentionShape& shape);
// A head of this type after a norm of this kind.
[[nodiscard]] OpPlan headPlan(ElementType type, int columns, int vocabulary, model::NormKind norm, float scale);

inline constexpr int opVocabulary = 37;  // vocabulary of op plans, except headPlan's

}  // namespace minerva::tests
