// The positions of a request at which checkpoints of its recurrent states are kept. A later request that shares only a part of its tokens
// (an edit, another reply, a branch) starts at the last of them instead of at the first token. A value type.
//
// A chunk of the prompt must end exactly at such a position. They are: every multiple of `every`, in the prompt and the reply; the ends of
// the prompt's messages, which the model's end-of-turn tokens mark, where at least `apart` tokens lie between them, and always the last
// one, where a reply that is made anew starts; and a multiple of `apart` near the end of a prompt if no message ends there.
#pragma once

#include "core/text/tokenizer.h"

#include <span>
#include <vector>

namespace minerva::engine {

class CheckpointPositions {
 public:
  static constexpr int every = 512;  // tokens
  static constexpr int apart = 64;   // computing fewer tokens takes little longer than the one step that a reply needs anyway

  CheckpointPositions() = default;  // none, for models without recurrent states
  // kept: tokens of the prompt that are not computed again.
  CheckpointPositions(std::span<const text::TokenId> prompt, std::span<const text::TokenId> endOfTurn, int kept);

  // The first one after `position`, which is `kept` or more; the largest int if there is none.
  [[nodiscard]] int after(int position) const;

 private:
  bool m_any = false;
  std::vector<int> m_inPrompt;  // ascending; without the multiples of `every`
};

}  // namespace minerva::engine
