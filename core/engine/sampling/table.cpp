// The sampling chain: one row a stage, in the order they run.
#include "core/engine/sampling/chain.h"

#include <array>

namespace minerva::engine::sampling {

std::span<const Stage> stages() {
  static const std::array<Stage, 5> rows{repetitionPenalty, temperature, topK, topP, minP};
  return rows;
}

}  // namespace minerva::engine::sampling
