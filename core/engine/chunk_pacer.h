// Chooses the number of prompt tokens per step: as many as fit the time budget, but enough that the fixed cost of a step
// does not dominate.
//
// The cost model of a step is `fixed` (reading the weights once, launching kernels) plus `perRow` per row. Both are
// estimated from the last few small and large steps, so that a single slow step (a kernel compiled on first use, a busy
// machine) is soon forgotten. A mixture's cost is no such line: the more rows, the more of them share an expert. So while no
// reply waits, steps also grow from level to level (each four times the one before) for as long as that raises the measured
// throughput. While replies wait, a prompt takes about two thirds of each step: they keep a third of their speed, and the prompt's first
// token comes after one and a half times the time it would take alone. How long replies take is measured in the steps without prompts, and
// what a prompt adds to that in the steps with both. A value type; driving thread only.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

namespace minerva::engine {

class ChunkPacer {
 public:
  // maxRows: the largest chunk. budgetMs: time budget of a step; 0: always the largest chunk.
  ChunkPacer(int maxRows, double budgetMs) : m_maxRows(maxRows), m_budgetMs(budgetMs) {}

  // replies: running replies that get their next token from the same step, so that it keeps to their budget even if that costs
  // throughput.
  [[nodiscard]] int rows(int replies = 0) const {
    if (m_budgetMs <= 0) return m_maxRows;
    const Cost cost = learned();
    double rows = (m_budgetMs - cost.fixed) / cost.perRow;
    if (replies > 0) {
      rows = rowsBeside(replies, cost);
    } else {
      const double worthwhile = cost.fixed / cost.perRow * (1 - fixedShare) / fixedShare;
      rows = std::max(rows, std::min(worthwhile + tile - 1, (longestMs - cost.fixed) / cost.perRow));
      rows = std::max(rows, climbedFrom(rows, cost));
    }
    const int most = std::max(tile, std::min(m_maxRows, growth * std::max(m_largest, tile)));
    const int whole = static_cast<int>(std::clamp(rows, 1.0 * tile, 1.0 * most));
    return std::min(m_maxRows, whole - whole % tile);
  }

  // How many rows more than that a step may have, if no step for the rest of a prompt is needed then.
  [[nodiscard]] static int restWithin(int rows) { return std::min(tile, rows / 4); }

  // Rows of a step that reads a text for its logits, where a step of one row takes so long: all that there may be, or a power of two, so
  // that the rows, and the last bits of the logits with them, are the same whenever a model is loaded.
  [[nodiscard]] static int rowsOfText(int most, double rowMs) {
    if (most * rowMs <= longestMs) return most;
    int rows = 1;
    while (2 * rows * rowMs <= longestMs) rows *= 2;
    return std::min(most, rows);
  }

  // Records the duration of a step that has only replies.
  void learnReplies(int replies, double ms) { m_replies.add({replies, ms}); }

  // Records the duration of a step with this many rows, of which `replies` are those of replies.
  void learn(int rows, double ms, int replies = 0) {
    if (replies > 0 && rows > replies && !m_replies.all().empty()) {
      const Step step{rows - replies, std::max(ms - alone(replies), leastPerRow)};
      m_largest = std::max(m_largest, step.rows);
      if (step.rows >= tile) addTo(m_beside, step);
      return;
    }
    (rows < tile / 2 ? m_small : m_large).add({rows, ms});
    m_largest = std::max(m_largest, rows);
    if (rows < tile) return;
    addTo(m_levels, {rows, ms});
  }

 private:
  static constexpr int tile = 16, pair = 2 * tile;  // rows that matrix kernels process together: the minimum, and what wide ones take
  static constexpr int growth = 4;           // limit relative to the largest step so far, because the cost model does not extrapolate far
  static constexpr double sharesOfStep = 3;  // while replies wait: one for them, two for the prompt
  static constexpr double fixedShare = 1.0 / 16;  // aim for at most this share of fixed cost in a step's time; less is no gain either
  static constexpr int forgottenAfter = 32;       // steps of smaller levels, so that one slow step does not rule a size out for ever
  static constexpr double longestMs = 4000;       // upper limit for steps that exceed the budget for the sake of fixedShare
  static constexpr double leastPerRow = 1e-4;     // ms; lower bound, for steps whose time does not grow with rows

  struct Step {
    int rows = 0;
    double ms = 0;
    [[nodiscard]] double perRow() const { return ms / rows; }
  };
  struct Cost {
    double fixed = 0, perRow = leastPerRow;
  };
  class Recent {
   public:
    void add(Step step) { m_steps[m_added++ % m_steps.size()] = step; }
    [[nodiscard]] std::span<const Step> all() const { return std::span(m_steps).first(std::min(m_added, m_steps.size())); }
    [[nodiscard]] Step cheapest() const { return std::ranges::min(all(), {}, &Step::ms); }
    [[nodiscard]] Step fastest() const { return std::ranges::min(all(), {}, &Step::perRow); }

   private:
    std::array<Step, 3> m_steps{};
    std::size_t m_added = 0;
  };

  // Steps of tile * growth^index rows, or a little more.
  struct Level : Recent {
    int unseen = 0;
    [[nodiscard]] bool known() const { return !all().empty(); }
  };
  static constexpr std::size_t levels = 6;
  using Levels = std::array<Level, levels>;
  void addTo(Levels& to, Step step) const {
    const std::size_t level = levelOf(step.rows);
    to[level].add(step);
    to[level].unseen = 0;
    for (Level& larger : std::span(to).subspan(level + 1)) {
      if (++larger.unseen > forgottenAfter) larger = {};
    }
  }
  [[nodiscard]] std::size_t levelOf(double rows) const {
    std::size_t level = 0;
    while (level + 1 < levels && rows >= std::min(m_maxRows, rowsOf(level + 1)) && rowsOf(level) < m_maxRows) ++level;
    return level;
  }
  static constexpr int rowsOf(std::size_t level) {
    int rows = tile;
    for (; level > 0; --level) rows *= growth;
    return rows;
  }

  // The rows of the highest level that can be reached from `rows` with a gain at each.
  [[nodiscard]] double climbedFrom(double rows, const Cost& cost) const {
    const std::size_t highest = levelOf(m_maxRows);
    for (std::size_t level = levelOf(rows); level < highest && m_levels[level].known(); ++level) {
      const Step step = m_levels[level].fastest();
      const double perRow = rows > step.rows ? (step.ms + (rows - step.rows) * cost.perRow) / rows : step.perRow();
      const double next = m_levels[level + 1].known() ? m_levels[level + 1].fastest().perRow() : expectedAbove(level);
      if (next > (1 - fixedShare) * perRow) break;
      rows = std::max(rows, std::min({1.0 * m_maxRows, 1.0 * rowsOf(level + 1), longestMs / perRow}));
    }
    return rows;
  }
  // The cost per row at a level never tried: on the line through the steps of the two levels, or the small step, before it.
  [[nodiscard]] double expectedAbove(std::size_t level) const {
    const Step step = m_levels[level].fastest();
    const Recent& before = level > 0 && m_levels[level - 1].known() ? m_levels[level - 1] : m_small;
    if (before.all().empty()) return step.perRow();
    const Step smaller = before.fastest();
    const int rows = std::min(m_maxRows, rowsOf(level + 1));
    const double slope = (step.ms - smaller.ms) / (step.rows - smaller.rows);
    if (slope <= 0) return step.perRow();  // the smaller step was late
    return (step.ms + (rows - step.rows) * slope) / rows;
  }

  // The rows of a prompt beside so many replies. What the budget bounds is the whole step while the replies' cost is unknown, then the
  // prompt's part of it: its rows may run apart from the replies', with a fixed part of their own, which only such steps can tell.
  [[nodiscard]] double rowsBeside(int replies, const Cost& cost) const {
    if (m_replies.all().empty()) {
      const double budget = std::min(m_budgetMs, sharesOfStep * (cost.fixed + replies * cost.perRow));
      return std::min((budget - cost.fixed) / cost.perRow, rowsWithin(budget)) - replies;
    }
    const auto [fixed, perRow] = addedBeside(cost);
    const double rows = std::min((sharesOfStep - 1) * (alone(replies) + fixed), m_budgetMs - std::max(fixed, cost.fixed)) / perRow;
    return rows < 2 * pair ? std::ceil(rows / tile) * tile : std::round(rows / pair) * pair;
  }
  // What a prompt's rows add to a step of replies: the line through the steps of two levels, the larger of which is the first that is over
  // the budget, or the largest. `cost`: that of rows by themselves, for the first step and the slope of a single level.
  [[nodiscard]] Cost addedBeside(const Cost& cost) const {
    Step before, last;
    for (const Level& level : m_beside) {
      if (!level.known() || (before.rows > 0 && last.ms > m_budgetMs)) continue;
      before = std::exchange(last, level.fastest());
    }
    if (last.rows == 0) return cost;
    const bool two = before.rows > 0 && last.ms > before.ms;
    const double perRow = two ? (last.ms - before.ms) / (last.rows - before.rows) : std::min(cost.perRow, last.perRow());
    return {std::max(0.0, last.ms - perRow * last.rows), perRow};
  }
  // What so many replies take without a prompt. REQUIRES that some were measured.
  [[nodiscard]] double alone(int replies) const {
    const Step known = m_replies.fastest();
    const double fixed = std::min(learned().fixed, known.ms);
    return fixed + (known.ms - fixed) * replies / known.rows;
  }

  // The rows that fit a budget on the lines through the steps of all levels; all if no level exceeds it.
  [[nodiscard]] double rowsWithin(double budgetMs) const {
    Step before = m_small.all().empty() ? Step{} : m_small.cheapest();
    for (const Level& level : m_levels) {
      if (!level.known()) continue;
      const Step step = level.fastest();
      if (step.ms > budgetMs) {
        if (before.ms >= budgetMs) return before.rows;
        return before.rows + (budgetMs - before.ms) / (step.ms - before.ms) * (step.rows - before.rows);
      }
      before = step;
    }
    return m_maxRows;
  }

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
  Recent m_small, m_large, m_replies;
  Levels m_levels{}, m_beside{};  // beside replies: a prompt's rows, and how much longer the step took than without them
  int m_largest = 0;
};

}  // namespace minerva::engine
