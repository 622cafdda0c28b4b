// Whether a comparison that was run again says the same. Pure function.
//
// What does not depend on the clock (tokens, distances, perplexity) must be equal. Speeds may differ by their spread: a
// short measurement's is larger. The limits are rows of a table in repeat.cpp and are told with the verdict.
#pragma once

#include "app/compare/compare_types.h"

namespace minerva::app {

struct RepeatVerdict {
  bool agrees = true;
  QString summary;    // one line
  QStringList lines;  // what differs, with both figures and the limit; or the largest difference of each kind
};

[[nodiscard]] RepeatVerdict compareRuns(const CompareRun& before, const CompareRun& after);

}  // namespace minerva::app
