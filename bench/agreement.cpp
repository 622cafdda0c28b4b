#include "bench/agreement.h"

#include <algorithm>
#include <cmath>

namespace minerva::bench {
namespace {

// log of the sum of exponentials.
double logSum(std::span<const float> logits) {
  const auto largest = static_cast<double>(*std::ranges::max_element(logits));
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit) - largest);
  return largest + std::log(sum);
}

double divergence(std::span<const float> reference, std::span<const float> other) {
  const double a = logSum(reference);
  const double b = logSum(other);
  double kl = 0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const double logP = static_cast<double>(reference[i]) - a;
    kl += std::exp(logP) * (logP - (static_cast<double>(other[i]) - b));
  }
  return kl;
}

double deviation(std::span<const float> values) {
  double sum = 0;
  double squares = 0;
  for (const float v : values) {
    sum += static_cast<double>(v);
    squares += static_cast<double>(v) * static_cast<double>(v);
  }
  const auto n = static_cast<double>(values.size());
  return std::sqrt(std::max(0.0, squares / n - sum / n * (sum / n)));
}

}  // namespace

Agreement agreement(std::span<const float> reference, std::span<const float> other, std::size_t positions) {
  Agreement result;
  const std::size_t vocabulary = reference.size() / positions;
  std::size_t same = 0;
  for (std::size_t p = 0; p < positions; ++p) {
    const auto a = reference.subspan(p * vocabulary, vocabulary);
    const auto b = other.subspan(p * vocabulary, vocabulary);
    result.kl += divergence(a, b) / static_cast<double>(positions);
    same += std::ranges::max_element(a) - a.begin() == std::ranges::max_element(b) - b.begin() ? 1U : 0U;
    for (std::size_t i = 0; i < vocabulary; ++i) {
      result.largest = std::max(result.largest, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    }
  }
  result.top1 = static_cast<double>(same) / static_cast<double>(positions);
  const double spread = deviation(reference);
  result.largestRelative = spread > 0 ? result.largest / spread : 0;
  return result;
}

double surprise(std::span<const float> logits, text::TokenId next) {
  return logSum(logits) - static_cast<double>(logits[static_cast<std::size_t>(next)]);
}

double perplexity(std::span<const float> logits, std::span<const text::TokenId> tokens) {
  if (tokens.size() < 2) return 0;
  const std::size_t vocabulary = logits.size() / tokens.size();
  double sum = 0;
  for (std::size_t p = 0; p + 1 < tokens.size(); ++p) {
    sum += surprise(logits.subspan(p * vocabulary, vocabulary), tokens[p + 1]);
  }
  return std::exp(sum / static_cast<double>(tokens.size() - 1));
}

}  // namespace minerva::bench
