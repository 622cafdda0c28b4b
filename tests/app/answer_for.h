// The engine thread's answer to a question about a prompt, for an engine that the test runs itself.
#pragma once

#include "app/inference/prompt_question.h"
#include "core/engine/engine.h"

namespace minerva::app {

inline PromptAnswer answerFor(const PromptQuestion& question, const engine::Engine& model) {
  ExaminedPrompt examined = examinePrompt(question, model.promptMaker());
  if (!examined.answer.error) examined.answer.reusable = model.reusable(question.request.conversation, examined.tokens);
  return examined.answer;
}

}  // namespace minerva::app
