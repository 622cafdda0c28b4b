// Measures the perplexity of a text and how far a model's predictions over it differ from a reference's.
//
// The reference is measured first and its logits are kept; other models are compared position by position, so that only
// one model's logits are in memory. Call on the engine's driving thread. Steps have only a few tokens, so that a stop
// takes effect soon.
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
  int positions = 256;  // at most; fewer if the context is shorter or the reference's logits would take too much memory
  std::stop_token stop{};
  std::function<void(std::size_t done, std::size_t total)> progress{};
};

// The tokens of the text and the reference's logits for them.
struct Yardstick {
  std::vector<engine::TokenId> tokens;  // empty if the model has no tokenizer
  std::size_t vocabulary = 0;
  std::vector<float> logits;  // [tokens, vocabulary]
  double perplexity = 0;
};

struct Quality {
  std::size_t positions = 0;           // tokens evaluated; 0 if the model has no tokenizer
  double perplexity = 0;               // exp of the mean of -log p(next token); 0 with fewer than two tokens
  std::optional<Agreement> agreement;  // nullopt if tokens or vocabulary differ from the reference's
};

// Errors: those of Engine::evaluate; cancelled.
[[nodiscard]] Result<Yardstick> layYardstick(engine::Engine& reference, const TextTask& task);
[[nodiscard]] Result<Quality> measureQuality(engine::Engine& other, const TextTask& task, const Yardstick& yardstick);
// Result of the reference compared with itself: divergence 0, top1 1.
[[nodiscard]] Quality qualityOf(const Yardstick& yardstick);

// Rows per step while measuring: a stop takes effect within this many tokens.
inline constexpr int rowsAtOnce = 16;

}  // namespace minerva::compare
