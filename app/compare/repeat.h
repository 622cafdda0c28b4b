// Checks whether a repeated comparison gives the same results. Pure functions.
//
// Results that do not depend on time (tokens, distances, perplexity) must be equal, except of servers' models: a server need not answer the
// same again, so a text that differs is only told. Speeds are judged by their measured
// spread: over three or more earlier runs of the same comparison, else over three or more prompts of the two runs. With fewer
// samples they are not judged, and the verdict says so.
#pragma once

#include "app/compare/compare_types.h"

#include <span>

namespace minerva::app {

struct RepeatRow {
  QString model, figure;
  double before = unknownFigure, after = unknownFigure;  // before: mean of the earlier runs, or the repeated run
  double low = unknownFigure, high = unknownFigure;      // interval expected for `after`; NaN: not judged
  int samples = 0;
  bool overRuns = false;  // samples are earlier runs; else prompts of the two runs

  [[nodiscard]] bool judged() const { return low == low; }
  [[nodiscard]] bool agrees() const { return !judged() || (after >= low && after <= high); }
};

struct RepeatVerdict {
  bool agrees = true;
  QString summary;              // one line
  QStringList lines;            // differences that should not exist, and the confidence of the judgements
  std::vector<RepeatRow> rows;  // speeds, column by column
};

// earlier: runs of the same comparison, not empty; the repeated run is last.
[[nodiscard]] RepeatVerdict compareRuns(std::span<const CompareRun> earlier, const CompareRun& after);

// The t for which Student's t-distribution with this many degrees of freedom is within [-t, t] with this probability.
[[nodiscard]] double studentT(int degrees, double probability);

}  // namespace minerva::app
