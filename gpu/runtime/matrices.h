// Which matrices of a plan stand on the device, and how its ops use them: a pure function of the plan.
//
// Matrices that share an input and a type become one (q, k, v stacked; gate and up with their groups of rows alternating), so
// that one dispatch does them all. A weight used by several ops (a tied head) stands there once, alone.
#pragma once

#include "core/model/plan.h"
#include "gpu/runtime/weight_layout.h"

#include <vector>

namespace minerva::gpu {

struct Matrix {
  std::vector<model::WeightId> sources;  // top to bottom, or the two that alternate
  bool alternating = false;              // group 2i is group i of the first, 2i + 1 of the second
  WeightLayout layout;                   // of all sources together
};

enum class Role {
  whole,  // the op's epilogue as it is
  gate,   // first of two separate passes of a gated projection: activation(y) is kept aside ... as y
  gated,  // second pass: out = activation(kept) * y
};

struct MatrixUse {
  int matrix = 0;
  Role role = Role::whole;
  std::uint32_t rows = 0;        // of the result
  std::uint32_t outColumn = 0;
  std::vector<model::WeightId> biases;  // one a source; empty when none has one
};

struct MatrixPlan {
  std::vector<Matrix> matrices;
  std::vector<std::vector<MatrixUse>> uses;  // [plan.ops]; empty for ops without a matrix
};

[[nodiscard]] MatrixPlan planMatrices(const model::Plan& plan);

}  // namespace minerva::gpu
