// Additions of some families to a small random model: mixtures of experts in every variant, latent attention, recurrent mixers.
#pragma once

#include "tests/support/random_model.h"

#include <vector>

namespace minerva::tests {

struct ExpertsShape {
  const char* what;
  model::GatePlace place;
  ElementType type, upType;
  bool own, bias, normalised, shared;  // own: one tensor per expert
  int groups;
  model::Activation activation;
  bool latent = false;  // the routed experts work in a latent space
};
// One of each variant.
[[nodiscard]] std::vector<ExpertsShape> expertShapes();
// Replaces the feed-forward of every layer. The hidden size must be 64.
void addExperts(RandomModel& made, const ExpertsShape& shape);
// Replaces the attention of every layer. The hidden size must be 64; with an interleaved RoPE, ropeDimension must be 8.
void addLatentAttention(RandomModel& made);

enum class Mixer { attention, deltaNet, mamba, shortConvolution, attentionAndMamba, selectiveMamba, channelDeltaNet };
// Layer i gets mixers[i % size] in place of its attention; its matrices are of this type. The hidden size must be 64. Layers of the same
// mixer differ in what the families differ in: the order of key heads, a norm after Mamba's gate or none.
void addMixers(RandomModel& made, const std::vector<Mixer>& mixers, ElementType type = ElementType::F32);

// Three residual streams, a low-rank residual and per-layer inputs, for which the last tokens have no row; the first layer has sparse
// gates.
void addStreams(RandomModel& made, ElementType type = ElementType::F32);

// A stack of `count` matrices of shape [rows, columns].
[[nodiscard]] TensorView randomStack(RandomModel& made, ElementType type, int count, int rows, int columns);
[[nodiscard]] model::NormWeights randomNorm(RandomModel& made, int columns);

}  // namespace minerva::tests
