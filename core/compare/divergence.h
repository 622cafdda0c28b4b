// Finds the first token at which a reply differs from the reference's, and the probability of both tokens in both models.
#pragma once

#include "core/engine/engine.h"

#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace minerva::compare {

using engine::TokenId;

// Index of the first difference; -1 if the replies are equal. If one is a prefix of the other, they differ where it ends.
[[nodiscard]] int firstDifference(std::span<const TokenId> reference, std::span<const TokenId> other);

// The reference's predictions along its own reply, stored so that the reference can be unloaded.
struct Trail {
  std::vector<TokenId> prompt{}, reply{};
  std::size_t vocabulary = 0;
  std::vector<float> logits{};  // [steps, vocabulary]: the logits each reply token was chosen from; long replies: only the first steps
};
// Errors: those of Engine::evaluate; cancelled.
[[nodiscard]] Result<Trail> layTrail(engine::Engine& reference, std::span<const TokenId> prompt, std::span<const TokenId> reply,
                                     std::stop_token stop);

struct Odds {
  double ofReference = 0, ofOther = 0;  // probabilities at temperature 1 of the reference's token and of the other's
};
struct Divergence {
  int step = -1;                                 // -1: the replies are equal
  std::optional<TokenId> reference{}, other{};   // nullopt: that reply has ended
  std::optional<Odds> inReference{}, inOther{};  // nullopt: unknown, or one of the tokens is missing
};
// Runs the common prefix through the other model once. Errors: those of Engine::evaluate; cancelled.
[[nodiscard]] Result<Divergence> findDivergence(const Trail& trail, engine::Engine& other, std::span<const TokenId> reply,
                                                std::stop_token stop);

}  // namespace minerva::compare
