// How many prompt tokens to run in one step, so that a step stays within a time that still feels immediate.
//
// Learns from the steps it is told about; grows at most fourfold from what it has seen. Values; driving thread only.
#pragma once

#include <algorithm>

namespace minerva::engine {

class ChunkPacer {
 public:
  // maxRows: the largest chunk. budgetMs: of one step; 0: always the largest chunk.
  ChunkPacer(int maxRows, double budgetMs) : m_maxRows(maxRows), m_budgetMs(budgetMs) {}

  [[nodiscard]] int rows() const {
    if (m_budgetMs <= 0) return m_maxRows;
    if (m_msPerRow <= 0) return std::min(m_maxRows, firstRows);
    const double fitting = std::min(m_budgetMs / m_msPerRow, 4.0 * m_largestSeen);
    int rows = static_cast<int>(std::min(fitting, static_cast<double>(m_maxRows)));
    if (rows > grain) rows -= rows % grain;  // whole tiles of the matrix kernels
    return std::max(1, rows);
  }

  // A step of this many rows took so long.
  void learn(int rows, double ms) {
    if (rows < std::max(1, m_largestSeen / 4)) return;  // remainders of prompts say little about large chunks
    const double perRow = ms / rows;
    m_msPerRow = m_msPerRow <= 0 || rows > m_largestSeen ? perRow : 0.5 * (m_msPerRow + perRow);
    m_largestSeen = std::max(m_largestSeen, rows);
  }

 private:
  static constexpr int firstRows = 16;
  static constexpr int grain = 16;
  int m_maxRows;
  double m_budgetMs;
  double m_msPerRow = 0;
  int m_largestSeen = 0;
};

}  // namespace minerva::engine
