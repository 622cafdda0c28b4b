// How many prompt tokens to run in one step: as many as fit the time that still feels immediate, but never so few that most
// of a step goes into what every step costs.
//
// A step is taken to cost `fixed` (weights read once, kernels launched) plus `perRow` for each row. Both are learned from the
// last few steps of either size, so that one slow step (a kernel compiled on first use, a busy machine) is soon forgotten.
// Values; driving thread only.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace minerva::engine {

class ChunkPacer {
 public:
  // maxRows: the largest chunk. budgetMs: of one step; 0: always the largest chunk.
  ChunkPacer(int maxRows, double budgetMs) : m_maxRows(maxRows), m_budgetMs(budgetMs) {}

  // repliesWait: replies get their next token from the same step, so it keeps to the budget even where that costs throughput.
  [[nodiscard]] int rows(bool repliesWait = false) const {
    if (m_budgetMs <= 0) return m_maxRows;
    const Cost cost = learned();
    double rows = (m_budgetMs - cost.fixed) / cost.perRow;
    if (!repliesWait) {
      const double worthwhile = cost.fixed / cost.perRow * (1 - fixedShare) / fixedShare;
      rows = std::max(rows, std::min(worthwhile + tile - 1, (longestMs - cost.fixed) / cost.perRow));
    }
    const int most = std::min(m_maxRows, growth * std::max(m_largest, tile));
    const int whole = static_cast<int>(std::clamp(rows, static_cast<double>(tile), static_cast<double>(std::max(tile, most))));
    return std::min(m_maxRows, whole - whole % tile);
  }

  // A step of this many rows took so long.
  void learn(int rows, double ms) {
    (rows < tile / 2 ? m_small : m_large).add({rows, ms});
    m_largest = std::max(m_largest, rows);
  }

 private:
  static constexpr int tile = 16;                 // rows matrix kernels take at once: never fewer
  static constexpr int growth = 4;                // times the largest step so far: costs are not extrapolated further
  static constexpr double fixedShare = 1.0 / 16;  // of a step's time that may go into what every step costs
  static constexpr double longestMs = 4000;       // steps are not made longer than this for the sake of that share
  static constexpr double leastPerRow = 1e-4;     // ms; where more rows take no more time

  struct Step {
    int rows = 0;
    double ms = 0;
  };
  struct Cost {
    double fixed = 0, perRow = leastPerRow;
  };
  class Recent {
   public:
    void add(Step step) { m_steps[m_added++ % m_steps.size()] = step; }
    [[nodiscard]] std::span<const Step> all() const { return std::span(m_steps).first(std::min(m_added, m_steps.size())); }
    [[nodiscard]] Step cheapest() const { return std::ranges::min(all(), {}, &Step::ms); }

   private:
    std::array<Step, 3> m_steps{};
    std::size_t m_added = 0;
  };

  [[nodiscard]] Cost learned() const {
    if (m_small.all().empty() && m_large.all().empty()) return {0, m_budgetMs};
    const Step small = m_small.all().empty() ? Step{} : m_small.cheapest();
    if (m_large.all().empty()) return {0, std::max(leastPerRow, small.ms / small.rows)};
    std::array<double, 3> slopes{};
    std::size_t count = 0;
    for (const Step& step : m_large.all()) slopes[count++] = (step.ms - small.ms) / (step.rows - small.rows);
    std::ranges::sort(std::span(slopes).first(count));
    const double perRow = std::max(leastPerRow, slopes[(count - 1) / 2]);  // the middle one: no single step decides
    return {std::clamp(small.ms - small.rows * perRow, 0.0, m_large.cheapest().ms), perRow};
  }

  int m_maxRows;
  double m_budgetMs;
  Recent m_small, m_large;
  int m_largest = 0;
};

}  // namespace minerva::engine
