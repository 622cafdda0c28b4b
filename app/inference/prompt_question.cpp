#include "app/inference/prompt_question.h"

#include <algorithm>

namespace minerva::app {
namespace {

engine::Request startingAt(const engine::Request& request, int start) {
  engine::Request shorter = request;
  auto& messages = shorter.chat.messages;
  const int head = !messages.empty() && messages.front()["role"] == "system" ? 1 : 0;
  messages.erase(messages.begin() + head, messages.begin() + start);
  return shorter;
}

// A later start is never longer, so the first that fits is found by halving.
void findStart(const PromptQuestion& question, const engine::Engine& engine, PromptAnswer& answer) {
  const auto tokensAt = [&](int start) {
    const Result<engine::Preview> preview = engine.preview(startingAt(question.request, start));
    return preview ? static_cast<int>(preview->tokens.size()) : answer.contextLength;  // a template that refuses: not this one
  };
  const auto fits = [&](int start) { return tokensAt(start) + question.room <= answer.contextLength; };
  const auto found = std::ranges::partition_point(question.starts, [&](int start) { return !fits(start); });
  if (found == question.starts.end()) return;
  answer.start = *found;
  answer.tokensFromStart = tokensAt(*found);
}

std::vector<PromptPiece> piecesOf(const std::vector<engine::TokenId>& tokens, const text::Tokenizer& tokenizer) {
  std::vector<PromptPiece> pieces;
  pieces.reserve(tokens.size());
  for (const engine::TokenId id : tokens) pieces.push_back({tokenizer.piece(id), tokenizer.isControl(id)});
  return pieces;
}

}  // namespace

PromptAnswer answerFor(const PromptQuestion& question, const engine::Engine& engine) {
  PromptAnswer answer;
  answer.contextLength = engine.info().contextLength;
  Result<engine::Preview> preview = engine.preview(question.request);
  if (!preview) {
    answer.error = std::move(preview.error());
    return answer;
  }
  answer.tokens = static_cast<int>(preview->tokens.size());
  answer.reusable = preview->reusable;
  answer.fits = answer.tokens + question.room <= answer.contextLength;
  if (!answer.fits) findStart(question, engine, answer);
  if (answer.fits && !question.wantsParts) return answer;
  const engine::Prompt prompt{.text = std::move(preview->text), .tokens = std::move(preview->tokens)};
  answer.parts = engine::promptParts(question.request, prompt, *engine.tokenizer(), *engine.chatTemplate());
  if (question.wantsParts) answer.pieces = piecesOf(prompt.tokens, *engine.tokenizer());
  return answer;
}

}  // namespace minerva::app
