#include "core/compare/divergence.h"

#include "core/compare/agreement.h"
#include "core/compare/quality.h"

#include <algorithm>

namespace minerva::compare {
namespace {

constexpr std::size_t mostReplyLogits = std::size_t{64} << 20;  // per reply, in floats: 256 MB

std::vector<TokenId> joined(std::span<const TokenId> prompt, std::span<const TokenId> reply) {
  std::vector<TokenId> all(prompt.begin(), prompt.end());
  all.insert(all.end(), reply.begin(), reply.end());
  return all;
}

std::optional<TokenId> at(std::span<const TokenId> tokens, int step) {
  const auto index = static_cast<std::size_t>(step);
  return index < tokens.size() ? std::optional(tokens[index]) : std::nullopt;
}

Odds oddsOf(std::span<const float> logits, TokenId reference, TokenId other) {
  return {probability(logits, reference), probability(logits, other)};
}

}  // namespace

int firstDifference(std::span<const TokenId> reference, std::span<const TokenId> other) {
  const auto [x, y] = std::ranges::mismatch(reference, other);
  return x == reference.end() && y == other.end() ? -1 : static_cast<int>(x - reference.begin());
}

Result<Trail> layTrail(engine::Engine& reference, std::span<const TokenId> prompt, std::span<const TokenId> reply, std::stop_token stop) {
  Trail trail{.prompt = {prompt.begin(), prompt.end()}, .reply = {reply.begin(), reply.end()}};
  if (prompt.empty() || reply.empty()) return trail;
  const std::vector<TokenId> tokens = joined(prompt, reply.first(reply.size() - 1));
  MINERVA_TRY(reference.evaluate(tokens, rowsAtOnce, [&](std::size_t position, std::span<const float> logits) {
    trail.vocabulary = logits.size();
    if (position + 1 >= prompt.size() && trail.logits.size() + logits.size() <= mostReplyLogits)
      trail.logits.insert(trail.logits.end(), logits.begin(), logits.end());
    return !stop.stop_requested();
  }));
  return trail;
}

Result<Divergence> findDivergence(const Trail& trail, engine::Engine& other, std::span<const TokenId> reply, std::stop_token stop) {
  Divergence found{.step = firstDifference(trail.reply, reply)};
  if (found.step < 0) return found;
  found.reference = at(trail.reply, found.step);
  found.other = at(reply, found.step);
  if (!found.reference || !found.other) return found;
  const std::size_t row = static_cast<std::size_t>(found.step) * trail.vocabulary;
  const auto inVocabulary = [&](TokenId token) { return token >= 0 && static_cast<std::size_t>(token) < trail.vocabulary; };
  if (row + trail.vocabulary <= trail.logits.size() && inVocabulary(*found.other))
    found.inReference = oddsOf(std::span(trail.logits).subspan(row, trail.vocabulary), *found.reference, *found.other);
  const std::vector<TokenId> tokens = joined(trail.prompt, reply.first(static_cast<std::size_t>(found.step)));
  if (tokens.empty()) return found;  // no prompt: the first token had no logits
  MINERVA_TRY(other.evaluate(tokens, rowsAtOnce, [&](std::size_t position, std::span<const float> logits) {
    if (position + 1 == tokens.size() && static_cast<std::size_t>(*found.reference) < logits.size())
      found.inOther = oddsOf(logits, *found.reference, *found.other);
    return !stop.stop_requested();
  }));
  return found;
}

}  // namespace minerva::compare
