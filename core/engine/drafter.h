// What suggests tokens that may follow those of a sequence, by computing: another model (draft_model.h), or a layer of the target that
// predicts further tokens (prediction_draft.h). A step of the target checks them beside the next token, so they never change a reply.
// Driving thread only.
#pragma once

#include "core/text/tokenizer.h"

#include <span>
#include <vector>

namespace minerva::engine {

using text::TokenId;

class Drafter {
 public:
  // A sequence that wants a draft of at most so many tokens.
  struct Wish {
    int slot = 0;
    int from = 0;                     // the position of the first of `tokens`; 0 unless beginsAnywhere()
    std::span<const TokenId> tokens;  // all of the sequence from there on, one or more
    int most = 0;
    std::vector<TokenId> draft = {};  // the answer; empty where no token is likely
    bool isRead = false;              // it has seen all tokens
    double ms = 0;                    // that its steps take, without what the machine does beside; those for several are shared evenly
  };
  // A less likely token ends a draft: fewer than so many are accepted, which costs more than it saves.
  static constexpr double leastProbability = 0.45;
  static constexpr int rowsAtOnce = 128;  // most tokens that a step reads

  virtual ~Drafter() = default;

  // Tokens that it must read before it can draft, one or more.
  [[nodiscard]] virtual int missing(int slot, std::span<const TokenId> tokens) const = 0;
  // The most tokens that it can draft after so many.
  [[nodiscard]] virtual int room(std::size_t tokens) const = 0;
  // The expected duration of a step with so many rows; 0 if none was measured yet.
  [[nodiscard]] virtual double ms(int rows) const = 0;
  // Whether it can draft for the end of a text without having read its beginning.
  [[nodiscard]] virtual bool beginsAnywhere() const = 0;
  // Answers wishes of different slots together: steps that read what is missing, then one for each further token. If a step fails, it
  // drafts no more.
  virtual void draft(std::span<Wish> wishes) = 0;
  [[nodiscard]] virtual bool failed() const = 0;
};

}  // namespace minerva::engine
