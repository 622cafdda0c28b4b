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

// Binary search: a later start never makes the prompt longer.
void findStart(const PromptQuestion& question, const engine::PromptMaker& maker, PromptAnswer& answer) {
  const auto tokensAt = [&](int start) {
    const Result<engine::Prompt> prompt = maker.make(startingAt(question.request, start));
    return prompt ? static_cast<int>(prompt->tokens.size()) : answer.contextLength;  // template error: treat as not fitting
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

ExaminedPrompt examinePrompt(const PromptQuestion& question, const engine::PromptMaker& maker) {
  ExaminedPrompt examined;
  PromptAnswer& answer = examined.answer;
  answer.contextLength = maker.contextLength;
  Result<engine::Prompt> prompt = maker.make(question.request);
  if (!prompt) {
    answer.error = std::move(prompt.error());
    return examined;
  }
  answer.tokens = static_cast<int>(prompt->tokens.size());
  answer.fits = answer.tokens + question.room <= answer.contextLength;
  if (!answer.fits) findStart(question, maker, answer);
  if (!answer.fits || question.wantsParts) {
    answer.parts = engine::promptParts(question.request, *prompt, *maker.tokenizer, *maker.chatTemplate);
    if (question.wantsParts) answer.pieces = piecesOf(prompt->tokens, *maker.tokenizer);
  }
  examined.tokens = std::move(prompt->tokens);
  return examined;
}

}  // namespace minerva::app
