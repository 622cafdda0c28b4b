#include "bench/sampling_options.h"

#include "core/engine/sampling/limits.h"

namespace minerva::bench {

engine::SamplingOptions SamplingChoice::over(engine::SamplingOptions recommended) const {
  recommended.temperature = temperature.value_or(recommended.temperature);
  recommended.topP = topP.value_or(recommended.topP);
  recommended.minP = minP.value_or(recommended.minP);
  recommended.repeatPenalty = repeatPenalty.value_or(recommended.repeatPenalty);
  recommended.topK = topK.value_or(recommended.topK);
  recommended.seed = seed;
  return recommended;
}

void addSamplingOptions(CLI::App& options, SamplingChoice& choice) {
  namespace limits = engine::limits;
  const auto within = [](limits::Range range) { return CLI::Range(range.least, range.most); };
  options.add_option("--temp", choice.temperature, "Temperature; 0 is greedy")->check(within(limits::temperature));
  options.add_option("--top-k", choice.topK, "Keep the k most likely tokens; 0: off")->check(within(limits::topK));
  options.add_option("--top-p", choice.topP, "Keep the most likely tokens that together reach this probability; 1: off")
      ->check(within(limits::topP));
  options.add_option("--min-p", choice.minP, "Drop tokens less likely than this share of the most likely one; 0: off")
      ->check(within(limits::minP));
  options.add_option("--repeat-penalty", choice.repeatPenalty, "Penalty for recent tokens; 1: off")->check(within(limits::repeatPenalty));
  options.add_option("--seed", choice.seed, "Random seed; the same seed gives the same text; 0: a new seed");
}

}  // namespace minerva::bench
