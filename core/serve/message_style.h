// What a chat template takes of a conversation and others refuse or lose, found by rendering small ones.
#pragma once

#include "core/text/template/chat_template.h"

namespace minerva::serve {

struct MessageStyle {
  bool callsTakeObjects = true;  // the arguments of earlier calls are objects, not text
  // Ids of earlier calls and of their results.
  enum class CallIds {
    any,
    nineSigns,       // nine letters or digits (Mistral)
    numbered,        // functions.NAME:N (Kimi K2), N counts the calls of the conversation
    numberedByTurn,  // the same, N counts the calls of the turn
  } callIds = CallIds::any;
  bool severalCalls = true;       // of one turn; otherwise each must be a turn of its own, before its result
  bool severalSystems = true;     // several system messages at the beginning
  bool textBesideThought = true;  // a turn with calls may have a text and a reasoning
};

[[nodiscard]] MessageStyle messageStyleOf(const text::ChatTemplate& chatTemplate);

}  // namespace minerva::serve
