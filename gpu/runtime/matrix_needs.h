// Which matrices of a plan are worth measuring: by kind, and of what size.
#pragma once

#include "gpu/runtime/matrices.h"
#include "gpu/runtime/tuning.h"

#include <vector>

namespace minerva::gpu {

// A kind of matrices that a plan multiplies, by the one of them that has the most bytes in all.
struct MatrixNeed {
  MatrixKind kind;
  std::uint32_t rows = 0, columns = 0;  // of an expert or a head
  std::uint64_t bytes = 0;              // of all matrices of this kind
};

// The kinds that have a hundredth of the bytes at least, most bytes first.
[[nodiscard]] std::vector<MatrixNeed> matrixNeeds(const model::Plan& plan, const MatrixPlan& matrices);

// The kind of experts' matrices that has the most bytes; nothing without experts.
[[nodiscard]] std::optional<MatrixKind> kindOfExperts(const model::Plan& plan, const MatrixPlan& matrices);

}  // namespace minerva::gpu
