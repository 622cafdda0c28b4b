// The stages of the sampling chain in execution order.
#include "core/engine/sampling/chain.h"

#include <array>

namespace minerva::engine::sampling {

std::span<const Stage> stages() {
  static const std::array<Stage, 7> rows{logitBias, repetitionPenalty, presencePenalty, temperature, topK, topP, minP};
  return rows;
}

}  // namespace minerva::engine::sampling
