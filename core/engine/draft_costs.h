// Decides how many drafted tokens a step may check: the number that gives the most tokens per millisecond, from the measured durations of
// steps with so many rows and from how many drafted tokens were accepted before. Value types; driving thread only.
//
// A step reads the weights once, whatever the number of rows, so while that takes longer than computing a row, further rows cost little.
// How little depends on the device, the model and the position, so it is measured in the steps themselves: a number of rows that was never
// tried is taken to cost what the nearest smaller ones suggest, and then tried.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace minerva::engine {

// Durations of steps that only have rows of replies, drafted tokens included.
class DraftCosts {
 public:
  void learn(int rows, double ms) {
    if (rows >= static_cast<int>(m_known.size())) m_known.resize(static_cast<std::size_t>(rows) + 1);
    Known& known = m_known[static_cast<std::size_t>(rows)];
    known.ms[known.count++ % known.ms.size()] = ms;
    known.lastStep = ++m_steps;
    for (Known& old : m_known) {
      if (old.count > 0 && m_steps - old.lastStep > forgottenAfter) old = {};
    }
  }

  // Whether such a step was measured lately. What steps without drafts cost must not be guessed from those with drafts.
  [[nodiscard]] bool isFresh(int rows) const {
    if (rows >= static_cast<int>(m_known.size())) return false;
    const Known& known = m_known[static_cast<std::size_t>(rows)];
    return known.count > 0 && m_steps - known.lastStep <= forgottenAfter / 2;
  }

  // The expected duration of a step with so many rows; 0 if no step was measured yet.
  [[nodiscard]] double ms(int rows) const {
    Point below, before, above;
    for (int r = 1; r < static_cast<int>(m_known.size()); ++r) {
      const Known& known = m_known[static_cast<std::size_t>(r)];
      if (known.count == 0) continue;
      const Point point{r, known.fastest()};
      if (r == rows) return point.ms;
      if (r < rows) {
        before = below;
        below = point;
      } else if (above.rows == 0) {
        above = point;
      }
    }
    if (below.rows == 0) return above.ms;
    if (above.rows > 0) return below.ms + (rows - below.rows) * slope(below, above);
    const double each = before.rows > 0 ? std::max(0.0, slope(before, below)) : below.ms / guess;
    return below.ms + (rows - below.rows) * each;
  }

 private:
  static constexpr std::size_t forgottenAfter = 256;  // steps: the position and the rest of the machine change
  static constexpr double guess = 16;                 // rows that are computed while the weights are read, if nothing is known

  struct Known {
    std::array<double, 3> ms{};
    std::size_t count = 0, lastStep = 0;
    [[nodiscard]] double fastest() const { return *std::min_element(ms.begin(), ms.begin() + std::min(count, ms.size())); }
  };
  struct Point {
    int rows = 0;
    double ms = 0;
  };
  static double slope(const Point& a, const Point& b) { return (b.ms - a.ms) / (b.rows - a.rows); }

  std::vector<Known> m_known;  // by number of rows
  std::size_t m_steps = 0;
};

// How likely a drafted token is accepted, if those before it were.
class DraftRate {
 public:
  [[nodiscard]] double rate() const { return m_accepted / m_checked; }
  // checked: drafted tokens up to the first that was not accepted, this one included.
  void learn(int accepted, int checked) {
    for (int i = 0; i < checked; ++i) {
      m_accepted = m_accepted * memory + (i < accepted ? 1 : 0);
      m_checked = m_checked * memory + 1;
    }
  }
  // A step without a draft: what was learned counts a little less, so that drafts are tried again some time.
  void forget() { m_accepted += (m_checked * first - m_accepted) * forgets; }

 private:
  static constexpr double first = 0.5, memory = 0.95, forgets = 0.004;
  double m_accepted = 2 * first, m_checked = 2;
};

// What drafting itself takes, where it is not done already: before the first token, and for each. `again`: states that cannot be cut back,
// such as recurrent ones, go back to before the step if a token is rejected, so that the next step computes all that were accepted again.
struct DraftTime {
  double firstMs = 0, eachMs = 0;
  bool again = false;
};

// How much longer a step takes that computes so many accepted tokens of a reply again, beside its own `rows`.
[[nodiscard]] inline double computedAgain(const DraftCosts& costs, int rows, int accepted) {
  return std::max(0.0, costs.ms(rows + accepted + 1) - costs.ms(rows));
}

// How many of `available` drafted tokens are worth checking in a step that has `rows` rows and gives `tokens` tokens without them.
[[nodiscard]] inline int worthDrafting(const DraftCosts& costs, int rows, double tokens, double rate, int available, DraftTime time = {}) {
  constexpr double margin = 1.05;  // a gain within the noise of the measurements is none
  const double without = costs.ms(rows);
  if (without <= 0) return 0;
  double best = tokens / without * margin, expected = tokens, chance = 1, rejectedMs = 0;
  int count = 0;
  for (int k = 1; k <= available; ++k) {
    if (time.again) rejectedMs += chance * (1 - rate) * computedAgain(costs, rows, k - 1);
    chance *= rate;
    expected += chance;
    const double speed = expected / (costs.ms(rows + k) + time.firstMs + k * time.eachMs + rejectedMs);
    if (speed <= best) continue;
    best = speed;
    count = k;
  }
  return count;
}

}  // namespace minerva::engine
