// Perplexity of a text, and how far a model's predictions over it are from a reference's.
//
// The reference is measured first and its logits are kept; the others are compared position by position, so that only
// one model's logits are ever in memory. Driving thread of the engine; steps of a few tokens, so that a stop is soon
// seen.
#pragma once

#include "core/compare/agreement.h"
#include "core/engine/engine.h"

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace minerva::compare {

struct TextTask {
  std::string text;
  int positions = 256;  // of it, at most; fewer where the context is shorter or the reference's logits would take too much
  std::stop_token stop{};
  std::function<void(std::size_t done, std::size_t total)> progress{};
};

// The text as the reference reads it.
struct Yardstick {
  std::vector<engine::TokenId> tokens;  // empty: the model has no tokenizer
  std::size_t vocabulary = 0;
  std::vector<float> logits;  // [tokens, vocabulary]
  double perplexity = 0;
};

struct Quality {
  std::size_t positions = 0;           // tokens looked at; 0: the model has no tokenizer
  double perplexity = 0;               // exp of the mean of -log p(next token); 0 for fewer than two tokens
  std::optional<Agreement> agreement;  // nothing: this model splits the text otherwise, or has another vocabulary
};

// Errors: those of Engine::evaluate; cancelled.
[[nodiscard]] Result<Yardstick> layYardstick(engine::Engine& reference, const TextTask& task);
[[nodiscard]] Result<Quality> measureQuality(engine::Engine& other, const TextTask& task, const Yardstick& yardstick);
// Of the reference itself: no divergence, every token the same.
[[nodiscard]] Quality qualityOf(const Yardstick& yardstick);

// Rows of a step while something is measured: a stop is seen within so many tokens.
inline constexpr int rowsAtOnce = 16;

}  // namespace minerva::compare
