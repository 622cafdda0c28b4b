// Questions about a prompt before it is sent, such as its token count, and the answers. Value types, copied between threads.
#pragma once

#include "core/engine/prompt.h"
#include "core/engine/prompt_parts.h"

#include <QMetaType>

#include <optional>
#include <vector>

namespace minerva::app {

struct PromptQuestion {
  engine::Request request;
  int room = 0;  // tokens to reserve for the reply; 0: no truncation is searched for
  // If prompt and room do not fit: indices of messages at which the conversation may start instead, ascending. Earlier
  // messages are dropped except for a system message.
  std::vector<int> starts;
  bool wantsParts = false;  // return parts and pieces even if the prompt fits
};

struct PromptPiece {
  std::string text;  // as the model sees it; the name of a control token
  bool control = false;
};

struct PromptAnswer {
  std::optional<minerva::Error> error;  // e.g. the template failed, empty prompt; if set, the other members are invalid
  int tokens = 0;
  int reusable = 0;  // of these, currently in the KV cache
  int contextLength = 0;
  bool fits = true;  // tokens + room <= contextLength
  // The first of `starts` with which it fits; -1 if none does or if the whole prompt fits.
  int start = -1;
  int tokensFromStart = 0;
  double bytesFree = 0;                   // current free memory of the device; 0: unknown
  std::vector<engine::PromptPart> parts;  // if wanted, or if the prompt does not fit
  std::vector<PromptPiece> pieces;        // if wanted; one per token
};

struct ExaminedPrompt {
  PromptAnswer answer;  // without reusable and bytesFree, which the engine's thread fills in
  std::vector<engine::TokenId> tokens;
};

// Renders and tokenizes the prompt; slow for long conversations. Thread-safe.
[[nodiscard]] ExaminedPrompt examinePrompt(const PromptQuestion& question, const engine::PromptMaker& maker);

}  // namespace minerva::app
Q_DECLARE_METATYPE(minerva::app::PromptAnswer)
