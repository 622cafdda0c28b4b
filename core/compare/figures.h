// Aggregated performance figures of one or more replies.
#pragma once

#include "core/engine/reply.h"

#include <span>

namespace minerva::compare {

struct Figures {
  double ttftMs = 0;                                             // mean over the replies
  double prefillTokensPerSecond = 0, decodeTokensPerSecond = 0;  // total tokens / total time; 0: unknown
  double tpotP50 = 0, tpotP95 = 0;                               // ms between tokens, over all replies
  int promptTokens = 0, generatedTokens = 0;
};

// ownSteps: count only the time of each engine's own steps, for engines that took turns.
[[nodiscard]] Figures figuresOf(std::span<const engine::Reply> replies, bool ownSteps);

}  // namespace minerva::compare
