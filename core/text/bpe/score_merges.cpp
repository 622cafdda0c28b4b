#include "core/base/utf8.h"
#include "core/text/bpe/merge_table.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace minerva::text {
namespace {

bool mergesByScore(TokenKind kind) { return kind == TokenKind::normal || kind == TokenKind::userDefined || kind == TokenKind::unused; }

}  // namespace

// Equal scores give equal ranks, so that the leftmost pair is merged first.
MergeTable mergesFromScores(const Vocabulary& vocabulary, const std::vector<double>& scores) {
  const auto scoreOf = [&](TokenId id) {
    const double score = scores[static_cast<std::size_t>(id)];
    return std::isnan(score) ? -HUGE_VAL : score;
  };
  std::vector<TokenId> order(vocabulary.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](TokenId a, TokenId b) { return scoreOf(a) > scoreOf(b); });
  MergeTable merges;
  merges.reserve(vocabulary.size() * 3);
  std::uint32_t rank = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const TokenId id = order[i];
    if (i > 0 && scoreOf(id) != scoreOf(order[i - 1])) ++rank;
    if (!mergesByScore(vocabulary.kind(id))) continue;
    const std::string_view text = vocabulary.text(id);
    if (text.size() > 1024) continue;  // the loop is quadratic in the length, and no real token is this long
    for (std::size_t cut = utf8::decode(text, 0).length; cut < text.size(); cut += utf8::decode(text, cut).length) {
      const TokenId left = vocabulary.find(text.substr(0, cut)), right = vocabulary.find(text.substr(cut));
      if (mergesByScore(vocabulary.kind(left)) && mergesByScore(vocabulary.kind(right))) merges.add({left, right, rank, id});
    }
  }
  return merges;
}

}  // namespace minerva::text
