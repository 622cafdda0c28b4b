// The figures of a model's replies: of one as the engine measured it, of several together.
#pragma once

#include "core/engine/reply.h"

#include <span>

namespace minerva::compare {

struct Figures {
  double ttftMs = 0;                                             // mean over the replies
  double prefillTokensPerSecond = 0, decodeTokensPerSecond = 0;  // all tokens over all time; 0: not known
  double tpotP50 = 0, tpotP95 = 0;                               // ms between tokens, of all replies
  int promptTokens = 0, generatedTokens = 0;
};

// ownSteps: the time of each engine's own steps, for engines that took turns.
[[nodiscard]] Figures figuresOf(std::span<const engine::Reply> replies, bool ownSteps);

}  // namespace minerva::compare
