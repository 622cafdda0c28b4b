// Chooses the number of prompt tokens per step: as many as fit the time budget, but enough that the fixed cost of a step
// does not dominate.
//
// The cost model of a step is `fixed` (reading the weights once, launching kernels) plus `perRow` per row. Both are
// estimated from the last few small and large steps, so that a single slow step (a kernel compiled on first use, a busy
// machine) is soon forgotten. A value type; driving thread only.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace minerva::engine {

class ChunkPacer {
 public:
  // maxRows: the largest chunk. budgetMs: time budget of a step; 0: always the largest chunk.
  ChunkPacer(int maxRows, double budgetMs) : m_maxRows(maxRows), m_budgetMs(budgetMs) {}

  // repliesWait: running replies get their next token from the same step, so it keeps to the budget even if that costs
  // throughput.
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

  // Records the duration of a step with this many rows.
  void learn(int rows, double ms) {
    (rows < tile / 2 ? m_small : m_large).add({rows, ms});
    m_largest = std::max(m_largest, rows);
  }

 private:
  static constexpr int tile = 16;   // rows that matrix kernels process together: the minimum
  static constexpr int growth = 4;  // limit relative to the largest step so far, because the cost model does not extrapolate far
  static constexpr double fixedShare = 1.0 / 16;  // aim for at most this share of fixed cost in a step's time
  static constexpr double longestMs = 4000;       // upper limit for steps that exceed the budget for the sake of fixedShare
  static constexpr double leastPerRow = 1e-4;     // ms; lower bound, for steps whose time does not grow with rows

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
    const double perRow = std::max(leastPerRow, slopes[(count - 1) / 2]);  // median, so that no single step decides
    return {std::clamp(small.ms - small.rows * perRow, 0.0, m_large.cheapest().ms), perRow};
  }

  int m_maxRows;
  double m_budgetMs;
  Recent m_small, m_large;
  int m_largest = 0;
};

}  // namespace minerva::engine
