// How far two models' predictions over the same text are apart. Words as in design.md part 4.
#pragma once

#include "core/text/tokenizer.h"

#include <span>

namespace minerva::bench {

struct Agreement {
  double kl = 0;               // mean over positions of KL(reference || other), nats
  double top1 = 0;             // share of positions with the same most likely token
  double largest = 0;          // largest difference of a logit
  double largestRelative = 0;  // the same, in standard deviations of the reference's logits
};

// Both [positions, vocabulary].
[[nodiscard]] Agreement agreement(std::span<const float> reference, std::span<const float> other, std::size_t positions);

// -log p(next) under a row of logits, nats.
[[nodiscard]] double surprise(std::span<const float> logits, text::TokenId next);

// exp of the mean of -log p(next token); 0 for fewer than two tokens. logits [tokens, vocabulary].
[[nodiscard]] double perplexity(std::span<const float> logits, std::span<const text::TokenId> tokens);

}  // namespace minerva::bench
