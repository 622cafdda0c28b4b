// xoshiro256** (Blackman and Vigna, 2018), seeded by SplitMix64: the same seed gives the same numbers on every machine.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace minerva::engine::sampling {

class Random {
 public:
  explicit Random(std::uint64_t seed) {
    for (std::uint64_t& word : m_state) {
      seed += 0x9e3779b97f4a7c15U;
      std::uint64_t z = seed;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
      word = z ^ (z >> 31);
    }
  }

  std::uint64_t bits() {
    const std::uint64_t result = std::rotl(m_state[1] * 5, 7) * 9;
    const std::uint64_t shifted = m_state[1] << 17;
    m_state[2] ^= m_state[0];
    m_state[3] ^= m_state[1];
    m_state[1] ^= m_state[2];
    m_state[0] ^= m_state[3];
    m_state[2] ^= shifted;
    m_state[3] = std::rotl(m_state[3], 45);
    return result;
  }

  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }  // [0, 1)

 private:
  std::array<std::uint64_t, 4> m_state{};
};

}  // namespace minerva::engine::sampling
