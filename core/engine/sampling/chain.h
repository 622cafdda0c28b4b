// What a stage of the sampling chain works on, and what it declares about it. The stages themselves are rows of table.cpp.
//
// A chain begins with `everything`: scores of the whole vocabulary. A stage that selects leaves `chosen`: a list of
// candidates. A stage says which states it accepts; all of them stay O(vocabulary) without a full sort.
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
  std::vector<Candidate> chosen;  // else; in no particular order, except where a stage says so
  float largest = 0;              // of the scores, kept true by every stage
};

// Larger score first, lower id first among equals: the order "best" means everywhere in the chain.
[[nodiscard]] inline bool better(const Candidate& a, const Candidate& b) { return a.score != b.score ? a.score > b.score : a.id < b.id; }

struct Stage {
  const char* name;
  bool (*enabled)(const SamplingOptions& options);
  bool acceptsEverything, acceptsChosen;
  CandidateState leaves;
  void (*apply)(const SamplingOptions& options, std::span<const std::int32_t> recent, Candidates& candidates);
  // It can change which candidate is best (a penalty, a ban, a bias), so it runs at temperature 0 as well. The others only
  // drop candidates that are not the best.
  bool changesBest;
};

// In the order they run. The draw comes after the last.
[[nodiscard]] std::span<const Stage> stages();

// One file each.
extern const Stage repetitionPenalty;
extern const Stage temperature;
extern const Stage topK;
extern const Stage topP;
extern const Stage minP;

}  // namespace minerva::engine::sampling
