#include "core/compare/agreement.h"

#include "core/base/percentile.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace minerva::compare {
namespace {

// log(sum(exp(logits))), numerically stable.
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

void AgreementMeter::add(std::span<const float> other) {
  const auto own = m_reference.subspan(m_divergences.size() * m_vocabulary, m_vocabulary);
  m_divergences.push_back(divergence(own, other));
  m_same += std::ranges::max_element(own) - own.begin() == std::ranges::max_element(other) - other.begin() ? 1U : 0U;
  for (std::size_t i = 0; i < m_vocabulary; ++i) {
    m_largest = std::max(m_largest, std::abs(static_cast<double>(own[i]) - static_cast<double>(other[i])));
  }
}

Agreement AgreementMeter::result() const {
  Agreement result{.largest = m_largest};
  if (m_divergences.empty()) return result;
  const auto count = static_cast<double>(m_divergences.size());
  result.kl = std::accumulate(m_divergences.begin(), m_divergences.end(), 0.0) / count;
  std::vector<double> sorted = m_divergences;
  std::ranges::sort(sorted);
  result.kl99 = nearestRank(sorted, 99);
  result.top1 = static_cast<double>(m_same) / count;
  const double spread = deviation(m_reference.first(m_divergences.size() * m_vocabulary));
  result.largestRelative = spread > 0 ? m_largest / spread : 0;
  return result;
}

double surprise(std::span<const float> logits, text::TokenId next) {
  return logSum(logits) - static_cast<double>(logits[static_cast<std::size_t>(next)]);
}

double probability(std::span<const float> logits, text::TokenId token) { return std::exp(-surprise(logits, token)); }

}  // namespace minerva::compare
