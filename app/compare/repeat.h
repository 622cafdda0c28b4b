// Whether a comparison that was run again says the same. Pure functions.
//
// What does not depend on the clock (tokens, distances, perplexity) must be equal. Speeds are judged by how far they were
// measured to spread: over earlier runs of the same comparison (three or more), else over the prompts within the two runs
// (three or more). With fewer samples there is no verdict on them, and that is said.
#pragma once

#include "app/compare/compare_types.h"

#include <span>

namespace minerva::app {

struct RepeatRow {
  QString model, figure;
  double before = unknownFigure, after = unknownFigure;  // before: the mean of the samples
  double low = unknownFigure, high = unknownFigure;      // where `after` belongs, by the spread; not known: not judged
  int samples = 0;
  bool overRuns = false;  // samples are earlier runs; else prompts of the run that was repeated

  [[nodiscard]] bool judged() const { return low == low; }
  [[nodiscard]] bool agrees() const { return !judged() || (after >= low && after <= high); }
};

struct RepeatVerdict {
  bool agrees = true;
  QString summary;              // one line
  QStringList lines;            // what differs though it may not; how sure the rest is
  std::vector<RepeatRow> rows;  // speeds, column by column
};

// earlier: runs of the same comparison, the one that was repeated last.
[[nodiscard]] RepeatVerdict compareRuns(std::span<const CompareRun> earlier, const CompareRun& after);

// t with which Student's distribution of so many degrees of freedom lies within -t..t with this probability.
[[nodiscard]] double studentT(int degrees, double probability);

}  // namespace minerva::app
