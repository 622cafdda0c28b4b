// --temp, --top-k, ...: options that are given override the model's recommendation.
#pragma once

#include "bench/verb.h"
#include "core/engine/sampling/sampling.h"

#include <optional>

namespace minerva::bench {

struct SamplingChoice {
  std::optional<float> temperature, topP, minP, repeatPenalty;
  std::optional<int> topK;
  std::uint64_t seed = 0;

  [[nodiscard]] engine::SamplingOptions over(engine::SamplingOptions recommended) const;
};

void addSamplingOptions(CLI::App& options, SamplingChoice& choice);

}  // namespace minerva::bench
