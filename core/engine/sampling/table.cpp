// The stages of the sampling chain in execution order.
#include "core/engine/sampling/chain.h"

#include <array>

namespace minerva::engine::sampling {

std::span<const Stage> stages() {
  static const std::array<Stage, 10> rows{logitBias, repetitionPenalty, presencePenalty, dry, topNSigma, temperature, topK, topP, minP,
                                          xtc};
  return rows;
}

}  // namespace minerva::engine::sampling
