// How much work a submission may have, so that none takes a device long: learned from those that have ended. A value type.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace minerva::gpu {

class SubmissionPace {
 public:
  // That a submission should take at most. Kernel drivers end what takes longer than some seconds, and much of what else the program does
  // on the device with it: amdgpu waits two seconds since Linux 7, xe five, i915 twenty from when it was submitted.
  static constexpr double seconds = 0.3;

  // The work of a submission at most. 1 is what the slowest devices do in that time (Tuning::submissionFlops, submissionBytes).
  [[nodiscard]] double limit() const { return m_limit; }

  // Submissions of little work say nothing of the device, as each takes some time by itself; unless they took long.
  void learn(double work, double took) {
    if (took <= 0 || (work < m_limit / 2 && took < seconds)) return;
    m_recent[m_learned++ % m_recent.size()] = work * seconds / took;
    m_limit = std::clamp(std::ranges::min(std::span(m_recent).first(std::min(m_learned, m_recent.size()))), least, growth * m_limit);
  }

 private:
  static constexpr double growth = 4;  // from one submission to the next, as the next one's work may be of another kind
  static constexpr double least = 1.0 / 16;

  std::array<double, 4> m_recent{};
  std::size_t m_learned = 0;
  double m_limit = 1;
};

}  // namespace minerva::gpu
