// Layout of a projection's prepared inputs in scratch memory; internal to projection.cpp and grouped_projection.cpp.
#pragma once

#include "core/backend/cpu/projection.h"

namespace minerva::cpu {

inline constexpr int matrixRows = 32;       // rows per multiplication of the matrix unit
inline constexpr int matrixThreshold = 12;  // minimum rows for which unpacking for the matrix unit pays off

// A job of a projection takes all rows, or, where the panels alone are too few jobs for the threads, one of several stretches of them.
[[nodiscard]] int stretchesOf(int jobs, int rows, int threads);

struct PreparedLayout {
  std::size_t quantized, high, low, total;  // byte offsets; floats first
};

[[nodiscard]] inline std::size_t align(std::size_t bytes) { return (bytes + 63) / 64 * 64; }
[[nodiscard]] inline std::size_t padRows(int rows) { return (static_cast<std::size_t>(rows) + matrixRows - 1) / matrixRows * matrixRows; }
// Number of bf16 products needed for a weight type's precision.
[[nodiscard]] int productsOf(ElementType type);
[[nodiscard]] int productsOf(const Projection& p);  // the most of its parts
// Places that the groups of a step may take at most. tiles: a matrix unit multiplies groups.
[[nodiscard]] std::size_t groupedCapacity(const Projector::Limits& limits, bool tiles);
// Gives every group its place: those of the matrix unit first, each with whole multiplications, then the others. Returns the places taken.
std::size_t placeGroups(std::span<RowGroup> groups);
// All zero if there are no grouped rows; no low parts if no group needs any.
[[nodiscard]] PreparedLayout groupedLayout(const Projector::Limits& limits, bool matrix);

}  // namespace minerva::cpu
