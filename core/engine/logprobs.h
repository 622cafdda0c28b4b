// Probabilities of tokens for clients that ask for them.
#pragma once

#include "core/engine/events.h"

#include <optional>
#include <span>

namespace minerva::engine {

// Of the model's own distribution, without the tokens that are never written, each at most once in `suppressed`. count: of the likeliest
// tokens; negative: none at all. logits [vocabulary], finite where it matters.
[[nodiscard]] std::optional<Logprobs> logprobsOf(std::span<const float> logits, TokenId chosen, int count,
                                                 std::span<const TokenId> suppressed = {});

}  // namespace minerva::engine
