// The first token in which a reply differs from the reference's, and how likely both tokens were to both models.
#pragma once

#include "core/engine/engine.h"

#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace minerva::compare {

using engine::TokenId;

// Step of the first difference; -1: the same. One that ends sooner differs where it ends.
[[nodiscard]] int firstDifference(std::span<const TokenId> reference, std::span<const TokenId> other);

// The reference's predictions along its own reply, kept so that it need not stay loaded.
struct Trail {
  std::vector<TokenId> prompt{}, reply{};
  std::size_t vocabulary = 0;
  std::vector<float> logits{};  // [steps, vocabulary]: what each token of the reply was chosen from; maybe of the first only
};
// Errors: those of Engine::evaluate; cancelled.
[[nodiscard]] Result<Trail> layTrail(engine::Engine& reference, std::span<const TokenId> prompt, std::span<const TokenId> reply,
                                     std::stop_token stop);

struct Odds {
  double ofReference = 0, ofOther = 0;  // probabilities at temperature 1, of the reference's and of the other's token
};
struct Divergence {
  int step = -1;                                 // -1: the replies are the same
  std::optional<TokenId> reference{}, other{};   // nothing: that reply has ended
  std::optional<Odds> inReference{}, inOther{};  // nothing: not known, or one of the tokens is not there
};
// Runs the common beginning through the other model once. Errors: those of Engine::evaluate; cancelled.
[[nodiscard]] Result<Divergence> findDivergence(const Trail& trail, engine::Engine& other, std::span<const TokenId> reply,
                                                std::stop_token stop);

}  // namespace minerva::compare
