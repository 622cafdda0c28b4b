// What families add to a small random model: mixtures of experts in every arrangement, latent attention.
#pragma once

#include "tests/support/random_model.h"

#include <vector>

namespace minerva::tests {

struct ExpertsShape {
  const char* what;
  model::GatePlace place;
  ElementType type, upType;
  bool own, bias, normalised, shared;  // own: a tensor an expert
  int groups;
  model::Activation activation;
};
// One of each arrangement.
[[nodiscard]] std::vector<ExpertsShape> expertShapes();
// In every layer, in place of the feed-forward. The hidden size is 64.
void addExperts(RandomModel& made, const ExpertsShape& shape);
// In every layer. The hidden size is 64; of an interleaved rope the dimension is 8.
void addLatentAttention(RandomModel& made);

// [rows, columns] `count` times.
[[nodiscard]] TensorView randomStack(RandomModel& made, ElementType type, int count, int rows, int columns);
[[nodiscard]] model::NormWeights randomNorm(RandomModel& made, int columns);

}  // namespace minerva::tests
