// Choosing the next token from logits: the options, and the sampler that applies them.
//
// Tokens that are not allowed (a constrained reply) are out before the chain. The chain (table.cpp, in this order): bias -> repetition
// penalty -> presence and frequency penalty -> DRY -> top-n-sigma -> temperature -> top-k -> top-p -> min-p -> XTC -> draw. Temperature 0
// is greedy: the largest logit after every stage that can change which is the largest (penalties), ties to the lowest id. Same seed and
// logits give the same token, whether it is chosen from the whole row or from its best logits. Ranges of the options: limits.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace minerva::backend {
struct TopLogits;
}

namespace minerva::engine {

namespace sampling {
struct Stage;
}

struct SamplingOptions {
  float temperature = 0.8F;    // 0: greedy
  int topK = 40;               // 0: off
  float topP = 0.95F;          // 1: off
  float minP = 0.05F;          // 0: off
  float repeatPenalty = 1.0F;  // 1: off; divides positive logits of recent tokens, multiplies negative ones
  int repeatLastN = 64;        // number of recent tokens the penalty considers; -1: all
  // 0: off; subtracted from the logit of each token of the reply, once and for each time it occurs there. Negative: encouraged.
  float presencePenalty = 0.0F, frequencyPenalty = 0.0F;
  int presenceLastN = -1;  // number of the reply's last tokens that these consider; -1: all
  // 0: off; of a token that goes on with a repetition of n tokens, dryAllowedLength at least, dryMultiplier * dryBase^(n -
  // dryAllowedLength) is subtracted.
  float dryMultiplier = 0.0F, dryBase = 1.75F;
  int dryAllowedLength = 2, dryPenaltyLastN = -1;  // number of recent tokens; -1: all
  std::vector<std::int32_t> dryBreakers = {};      // tokens beyond which no repetition reaches, in order
  float topNSigma = 0.0F;                          // 0: off; logits more than so many standard deviations below the best are out
  // 0: off; so often, all but the least likely of the tokens are out that have this probability at least.
  float xtcProbability = 0.0F, xtcThreshold = 0.1F;
  std::uint64_t seed = 0;  // 0: a new seed for each request (reported in Started)
  // Added to the logits of these tokens before anything else.
  std::vector<std::pair<std::int32_t, float>> logitBias = {};
  std::size_t promptTokens = 0;  // so many of the recent tokens, from the first one on, are the prompt's; set by the engine
};

class Sampler {
 public:
  explicit Sampler(const SamplingOptions& options);
  Sampler(const SamplingOptions& options, std::span<const sampling::Stage> chain);  // a custom chain, which must outlive the sampler
  Sampler(Sampler&&) noexcept;
  ~Sampler();
  static constexpr std::int32_t unusableLogits = -1, nothingAllowed = -2;
  // logits [vocabulary]; recent: prompt and generated tokens so far, oldest first; allowed: a bit per token that may be chosen (empty: all;
  // tokens beyond its end may not). Returns unusableLogits if the logits contain NaN or no finite value, nothingAllowed if no allowed token
  // has a finite logit.
  [[nodiscard]] std::int32_t sample(std::span<const float> logits, std::span<const std::int32_t> recent,
                                    std::span<const std::uint64_t> allowed = {});
  // What sample() would return for the row of which these are the best logits, at its temperature (StepRow::temperature), and as if that
  // had been called. nullopt, and nothing has happened, if they do not decide it: then sample() the row.
  [[nodiscard]] std::optional<std::int32_t> sampleTop(const backend::TopLogits& top, std::span<const std::int32_t> recent,
                                                      std::span<const std::uint64_t> allowed = {});

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace minerva::engine
