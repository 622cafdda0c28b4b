// What each op of a step must at least read and multiply, from the plan alone: the part of its cost that no device can avoid.
#pragma once

#include "core/model/plan.h"

#include <vector>

namespace minerva::model {

// A step with rows of one sequence.
struct StepSize {
  int rows = 1;
  int outputs = 1;  // rows that want logits
  int depth = 0;    // positions of the sequence before the step
};

// Activations are not counted: they pass from op to op through a device's caches. Nor are operations on single elements.
struct OpWork {
  double weightBytes = 0;  // matrices, norms and biases once a step, one row a token of embedding tables
  double expertBytes = 0;  // of matrices of experts that some row of the step uses, if the rows choose theirs evenly and independently
  double stateBytes = 0;   // keys and values read and stored, recurrent states read and replaced
  double flops = 0;        // two a product, of matrices and of attention, but for those of experts
  double expertFlops = 0;
};

// One for each op of the plan.
[[nodiscard]] std::vector<OpWork> workOf(const Plan& plan, const StepSize& step, KvType type);
[[nodiscard]] OpWork sumOf(const std::vector<OpWork>& ops);

// The experts of a plan, by the share of them that a row uses: more rows read more of them.
struct ExpertReads {
  struct Kind {
    double bytes = 0;  // of all experts
    double share = 0;
  };
  std::vector<Kind> kinds;

  // The sum of OpWork::expertBytes in a step with so many rows.
  [[nodiscard]] double bytesOfStep(int rows) const;
};
[[nodiscard]] ExpertReads expertReads(const Plan& plan);

}  // namespace minerva::model
