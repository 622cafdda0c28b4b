// Which matrices of a plan stand on the device, and how its ops use them: a pure function of the plan.
//
// Matrices that share an input and a type become one (q, k, v stacked; gate and up with their groups of rows alternating), so
// that one dispatch does them all. So do the matrices of all experts, and of all heads. A weight used by several ops (a tied
// head) stands there once, alone.
#pragma once

#include "core/model/plan.h"
#include "gpu/runtime/weight_layout.h"

#include <vector>

namespace minerva::gpu {

// Some rows of a weight, as whole groups of their own (the last one filled up).
struct MatrixSource {
  model::WeightId weight;
  RowRun rows;
};

struct Matrix {
  std::vector<MatrixSource> sources;  // top to bottom; alternating: in pairs
  bool alternating = false;           // of a pair, group 2i is group i of the first, 2i + 1 of the second
  WeightLayout layout;                // of all sources together
  std::vector<std::uint32_t> begins;  // first group of each source, or of each pair

  struct Place {
    const MatrixSource* source;
    std::uint32_t group;  // within it
  };
  [[nodiscard]] Place locate(std::uint32_t group) const;
};

enum class Role {
  whole,  // the op's epilogue as it is
  gate,   // first of two separate passes of a gated projection: activation(y) is kept aside ... as y
  gated,  // second pass: out = activation(kept) * y
};

// Elements first, first + stride, ... of a vector: the biases of a source.
struct BiasRun {
  model::WeightId vector;
  RowRun elements;
};

struct MatrixUse {
  int matrix = 0;
  Role role = Role::whole;
  std::uint32_t rows = 0;    // of the result, of one place
  std::uint32_t groups = 0;  // of the matrix, of one expert or head
  std::uint32_t outColumn = 0;
  std::vector<BiasRun> biases;  // one a source; empty when none has one
};

struct MatrixPlan {
  std::vector<Matrix> matrices;
  std::vector<std::vector<MatrixUse>> uses;  // [plan.ops]; empty for ops without a matrix
};

[[nodiscard]] MatrixPlan planMatrices(const model::Plan& plan);

}  // namespace minerva::gpu
