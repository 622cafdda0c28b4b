// What one wants to know of a prompt before it is sent, and the answer. Values; cross threads by copy.
#pragma once

#include "core/engine/prompt.h"
#include "core/engine/prompt_parts.h"

#include <QMetaType>

#include <optional>
#include <vector>

namespace minerva::app {

struct PromptQuestion {
  engine::Request request;
  int room = 0;  // tokens that a reply shall have at least; 0: no cut is looked for
  // When prompt and room do not fit: the conversation may begin with one of these messages instead (ascending; what stands
  // before them goes, a system message stays).
  std::vector<int> starts;
  bool wantsParts = false;  // parts and pieces, whether it fits or not
};

struct PromptPiece {
  std::string text;  // as the model sees it; control tokens: their name
  bool control = false;
};

struct PromptAnswer {
  std::optional<minerva::Error> error;  // the template refuses, the prompt is empty, ...; nothing below holds
  int tokens = 0;
  int reusable = 0;  // of these, in the KV cache now
  int contextLength = 0;
  bool fits = true;  // tokens + room
  // The first of `starts` with which it fits; -1: none does, or it fits as it is.
  int start = -1;
  int tokensFromStart = 0;
  double bytesFree = 0;                   // of the device, now; 0: not known
  std::vector<engine::PromptPart> parts;  // when wanted or when it does not fit
  std::vector<PromptPiece> pieces;        // when wanted; one a token
};

struct ExaminedPrompt {
  PromptAnswer answer;  // without reusable and bytesFree, which the engine's thread knows
  std::vector<engine::TokenId> tokens;
};

// Renders and tokenizes, which takes its time with a long conversation. Thread-safe.
[[nodiscard]] ExaminedPrompt examinePrompt(const PromptQuestion& question, const engine::PromptMaker& maker);

}  // namespace minerva::app
Q_DECLARE_METATYPE(minerva::app::PromptAnswer)
