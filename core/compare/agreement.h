// Measures how far the predictions of two models over the same text differ.
#pragma once

#include "core/text/tokenizer.h"

#include <cstddef>
#include <span>
#include <vector>

namespace minerva::compare {

struct Agreement {
  double kl = 0;               // mean over positions of KL(reference || other), nats
  double kl99 = 0;             // 99th percentile of the KL divergence
  double top1 = 0;             // share of positions with the same most likely token
  double largest = 0;          // largest absolute difference between two logits
  double largestRelative = 0;  // the same, in standard deviations of the reference's logits
};

// Compares another model's logits, one position at a time.
class AgreementMeter {
 public:
  // reference: [positions, vocabulary]; must outlive the meter.
  AgreementMeter(std::span<const float> reference, std::size_t vocabulary) : m_reference(reference), m_vocabulary(vocabulary) {}
  void add(std::span<const float> other);
  // Over the positions added so far.
  [[nodiscard]] Agreement result() const;

 private:
  std::span<const float> m_reference;
  std::size_t m_vocabulary;
  std::size_t m_same = 0;
  double m_largest = 0;
  std::vector<double> m_divergences;  // one per position
};

// -log p(next) given a row of logits, in nats.
[[nodiscard]] double surprise(std::span<const float> logits, text::TokenId next);
// p(token) given a row of logits.
[[nodiscard]] double probability(std::span<const float> logits, text::TokenId token);

}  // namespace minerva::compare
