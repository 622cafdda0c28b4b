// How far two models' predictions over the same text are apart.
#pragma once

#include "core/text/tokenizer.h"

#include <cstddef>
#include <span>
#include <vector>

namespace minerva::compare {

struct Agreement {
  double kl = 0;               // mean over positions of KL(reference || other), nats
  double kl99 = 0;             // 99 of 100 positions are not above it
  double top1 = 0;             // share of positions with the same most likely token
  double largest = 0;          // largest difference of a logit
  double largestRelative = 0;  // the same, in standard deviations of the reference's logits
};

// Takes the other model's logits one position after the other.
class AgreementMeter {
 public:
  // reference: [positions, vocabulary]; must outlive the meter.
  AgreementMeter(std::span<const float> reference, std::size_t vocabulary) : m_reference(reference), m_vocabulary(vocabulary) {}
  void add(std::span<const float> other);
  // Of the positions added.
  [[nodiscard]] Agreement result() const;

 private:
  std::span<const float> m_reference;
  std::size_t m_vocabulary;
  std::size_t m_same = 0;
  double m_largest = 0;
  std::vector<double> m_divergences;  // one a position
};

// -log p(next) under a row of logits, nats.
[[nodiscard]] double surprise(std::span<const float> logits, text::TokenId next);
// p(token) under a row of logits.
[[nodiscard]] double probability(std::span<const float> logits, text::TokenId token);

}  // namespace minerva::compare
