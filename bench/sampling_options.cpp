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
  options.add_option("--top-k", choice.topK, "Keep the k best; 0: off")->check(within(limits::topK));
  options.add_option("--top-p", choice.topP, "Keep the best that reach this probability; 1: off")->check(within(limits::topP));
  options.add_option("--min-p", choice.minP, "Drop what is less likely than this share of the best; 0: off")->check(within(limits::minP));
  options.add_option("--repeat-penalty", choice.repeatPenalty, "Penalty of recent tokens; 1: off")->check(within(limits::repeatPenalty));
  options.add_option("--seed", choice.seed, "Same seed, same text; 0: a new one");
}

}  // namespace minerva::bench
