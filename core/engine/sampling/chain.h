// Interface of the stages of the sampling chain. The stages themselves are listed in table.cpp.
//
// A chain starts in state `everything`: scores of the whole vocabulary. Selecting stages leave state `chosen`: a list of
// candidates. Each stage declares which states it accepts; all stages are O(vocabulary) without a full sort.
#pragma once

#include "core/engine/sampling/sampling.h"

#include <cstdint>
#include <span>
#include <vector>

namespace minerva::engine::sampling {

enum class CandidateState { everything, chosen };

struct Candidate {
  std::int32_t id;
  float score;
};

struct Candidates {
  CandidateState state = CandidateState::everything;
  std::vector<float> scores;      // [vocabulary] while state is everything
  std::vector<Candidate> chosen;  // while state is chosen; unordered unless a stage says otherwise
  float largest = 0;              // largest score, kept up to date by every stage
};

// Larger score first, ties to the lower id: the order of "best" everywhere in the chain.
[[nodiscard]] inline bool better(const Candidate& a, const Candidate& b) { return a.score != b.score ? a.score > b.score : a.id < b.id; }

struct Stage {
  const char* name;
  bool (*enabled)(const SamplingOptions& options);
  bool acceptsEverything, acceptsChosen;
  CandidateState leaves;
  void (*apply)(const SamplingOptions& options, std::span<const std::int32_t> recent, Candidates& candidates);
  // The stage can change which candidate is best (a penalty, a ban, a bias), so it also runs at temperature 0. Other
  // stages only drop candidates that are not the best.
  bool changesBest;
};

// In execution order. The draw follows the last stage.
[[nodiscard]] std::span<const Stage> stages();

// One source file per stage.
extern const Stage logitBias;
extern const Stage repetitionPenalty;
extern const Stage presencePenalty;
extern const Stage temperature;
extern const Stage topK;
extern const Stage topP;
extern const Stage minP;

}  // namespace minerva::engine::sampling
