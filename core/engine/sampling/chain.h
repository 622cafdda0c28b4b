// Interface of the stages of the sampling chain. The stages themselves are listed in table.cpp.
//
// A chain starts in state `everything`: scores of the whole vocabulary. Selecting stages leave state `chosen`: a list of
// candidates. Each stage declares which states it accepts; all stages are O(vocabulary) without a full sort.
// Or it starts in state `best`, with those candidates alone that are known to be the best, and ends with the same candidates in state
// `chosen`, or with what is known of them; or else a stage says that they do not decide it.
#pragma once

#include "core/engine/sampling/sampling.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace minerva::engine::sampling {

enum class CandidateState { everything, best, chosen };

struct Candidate {
  std::int32_t id;
  float score;
};

struct Candidates {
  CandidateState state = CandidateState::everything;
  std::vector<float> scores;      // [vocabulary] while state is everything
  std::vector<Candidate> chosen;  // while state is chosen: unordered unless a stage says otherwise; while it is best: best first
  float largest = 0;              // largest score, kept up to date by every stage
  // While state is best. All tokens whose scores are above the limit are in `chosen`, and no others.
  float limit = 0;
  // Between these is the sum of e^(score - largest) over all tokens, or those that a stage has left, at the temperature of the options.
  double leastTotal = 0, mostTotal = 0;
  double chance = 0;  // a random number in [0, 1) for this token, where a stage that is enabled asks for one
};

// The last `count` of them; -1: all.
[[nodiscard]] inline std::span<const std::int32_t> lastOf(std::span<const std::int32_t> tokens, int count) {
  return count < 0 ? tokens : tokens.last(std::min(tokens.size(), static_cast<std::size_t>(count)));
}

// Larger score first, ties to the lower id: the order of "best" everywhere in the chain.
[[nodiscard]] inline bool better(const Candidate& a, const Candidate& b) { return a.score != b.score ? a.score > b.score : a.id < b.id; }

// Sorts what a stage has changed of the best and drops what may no longer belong to them. Returns false if none is left.
[[nodiscard]] bool settleBest(Candidates& candidates);
// A stage has changed scores, and not by the temperature.
void forgetTotal(Candidates& candidates);
// How many of the candidates, from the first one on, have together the mass `wanted`, one at least; more than there are if all have less.
// The mass of a candidate is e^(score - largest).
[[nodiscard]] std::size_t countReaching(double wanted, std::span<const Candidate> candidates, float largest);

struct Stage {
  const char* name;
  bool (*enabled)(const SamplingOptions& options);
  bool acceptsEverything, acceptsChosen;
  CandidateState leaves;
  void (*apply)(const SamplingOptions& options, std::span<const std::int32_t> recent, Candidates& candidates);
  // The stage can change which candidate is best (a penalty, a ban, a bias), so it also runs at temperature 0. Other
  // stages only drop candidates that are not the best.
  bool changesBest;
  // The same as `apply` while the state is best, which it leaves or changes to `chosen`. Returns false if that is not known. Null: never.
  bool (*applyToBest)(const SamplingOptions& options, std::span<const std::int32_t> recent, Candidates& candidates) = nullptr;
  bool asksForChance = false;
};

// In execution order. The draw follows the last stage.
[[nodiscard]] std::span<const Stage> stages();

// One source file per stage.
extern const Stage logitBias;
extern const Stage repetitionPenalty;
extern const Stage presencePenalty;
extern const Stage dry;
extern const Stage topNSigma;
extern const Stage temperature;
extern const Stage topK;
extern const Stage topP;
extern const Stage minP;
extern const Stage xtc;

}  // namespace minerva::engine::sampling
