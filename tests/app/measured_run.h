#pragma once

#include "app/compare/compare_types.h"

#include <vector>

namespace minerva::app {

// A run with one measured column whose replies have these decode speeds.
inline CompareRun measured(const std::vector<double>& speeds) {
  CompareRun run;
  run.columns.resize(1);
  CompareColumn& column = run.columns[0];
  column.stage = ColumnStage::done;
  column.model = {QString(), QString(), QStringLiteral("GGUF"), QStringLiteral("Q4_0")};
  column.figures = {.decodeSpeed = speeds[0], .kl = 0.5, .perplexity = 12};
  for (const double speed : speeds) {
    CompareReply& reply = column.replies.emplace_back();
    reply.tokens = {1, 2, 3};
    reply.decodeSpeed = speed;
  }
  return run;
}

}  // namespace minerva::app
