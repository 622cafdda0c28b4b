// Which matrices a plan needs on the device, and how its ops use them: a pure function of the plan.
//
// Matrices with the same input and type are merged into one (q, k, v stacked; gate and up with alternating groups of rows),
// so that one dispatch multiplies them all. So are the matrices of all experts, and of all heads. A weight used by several
// ops (a tied head) is stored once, unmerged.
#pragma once

#include "core/model/plan.h"
#include "gpu/runtime/weight_layout.h"

#include <limits>
#include <vector>

namespace minerva::gpu {

// Some rows of a weight. They occupy whole groups of the matrix; the last one is padded.
struct MatrixSource {
  model::WeightId weight;
  RowRun rows;
};

struct Matrix {
  std::vector<MatrixSource> sources;  // top to bottom; in pairs if alternating
  bool alternating = false;           // within a pair, group 2i is group i of the first source, 2i + 1 of the second
  WeightLayout layout;                // of all sources together
  std::vector<std::uint32_t> begins;  // first group of each source, or of each pair

  struct Place {
    const MatrixSource* source;
    std::uint32_t group;  // within it
  };
  [[nodiscard]] Place locate(std::uint32_t group) const;
};

enum class Role {
  whole,  // the op's epilogue applies
  gate,   // first of two passes of a gated projection: y is stored in scratch (Resident::aside)
  gated,  // second pass: out = activation(aside) * y
};

// Elements first, first + stride, ... of a vector: the biases of one source.
struct BiasRun {
  model::WeightId vector;
  RowRun elements;
};

struct MatrixUse {
  int matrix = 0;
  Role role = Role::whole;
  std::uint32_t rows = 0;    // result rows, per expert or head
  std::uint32_t groups = 0;  // groups of the matrix, per expert or head
  std::uint32_t outColumn = 0;
  std::vector<BiasRun> biases;  // one per source; empty if none has biases
};

struct MatrixPlan {
  std::vector<Matrix> matrices;
  std::vector<std::vector<MatrixUse>> uses;  // [plan.ops]; empty for ops without a matrix
};

// largest: bytes of a buffer of the device at most. What would be larger is not merged, as far as the op can do without.
[[nodiscard]] MatrixPlan planMatrices(const model::Plan& plan, std::uint64_t largest = std::numeric_limits<std::uint64_t>::max());

}  // namespace minerva::gpu
