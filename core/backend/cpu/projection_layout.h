// Where a projection's prepared inputs lie in its scratch: for projection.cpp and grouped_projection.cpp alone.
#pragma once

#include "core/backend/cpu/projection.h"

namespace minerva::cpu {

inline constexpr int matrixRows = 32;       // rows the matrix unit multiplies at once
inline constexpr int matrixThreshold = 12;  // from this many rows unpacking for the matrix unit pays

struct PreparedLayout {
  std::size_t quantized, high, low, total;  // byte offsets; floats first
};

[[nodiscard]] inline std::size_t align(std::size_t bytes) { return (bytes + 63) / 64 * 64; }
[[nodiscard]] inline std::size_t padRows(int rows) { return (static_cast<std::size_t>(rows) + matrixRows - 1) / matrixRows * matrixRows; }
// All zero where there are no grouped rows.
[[nodiscard]] PreparedLayout groupedLayout(const Projector::Limits& limits, bool matrix);

}  // namespace minerva::cpu
