// A small deterministic generator for tests (SplitMix64): the same sequence on every machine and with every standard
// library.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace minerva::tests {

class Random {
 public:
  explicit Random(std::uint64_t seed) : m_state(seed) {}

  std::uint64_t bits() {
    std::uint64_t z = (m_state += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }  // [0, 1)
  double uniform(double from, double to) { return from + (to - from) * uniform(); }
  int below(int limit) { return static_cast<int>(bits() % static_cast<std::uint64_t>(limit)); }
  double normal() { return std::sqrt(-2.0 * std::log(1.0 - uniform())) * std::cos(2.0 * std::numbers::pi * uniform()); }

 private:
  std::uint64_t m_state;
};

}  // namespace minerva::tests
