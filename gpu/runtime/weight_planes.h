// Which planes each type has, for weight_layout.cpp, which says where they lie, and weight_packing.cpp, which fills them.
#pragma once

#include "gpu/runtime/weight_layout.h"
#include "gpu/shaders/shared/choices.h"

#include <optional>

namespace minerva::gpu {

inline constexpr std::uint32_t superBlocks = 8;  // blocks of a super-block of 256 elements
inline constexpr std::uint32_t tileBlocks = 8;
inline constexpr std::size_t quadBytes = 16;

// An MLX type: codes of so many bits in groups of so many elements, with scales and biases of a type.
struct Affine {
  std::uint32_t bits, group, scale;
  [[nodiscard]] bool hasPlanes() const { return bits == 4 || bits == 8; }
  [[nodiscard]] std::uint32_t scaleBytes() const { return scale == choice::scaleF32 ? 4 : 2; }
};
[[nodiscard]] std::optional<Affine> affineOf(ElementType type);

// raw.glsl's FORMAT, of types stored as in the file.
[[nodiscard]] std::optional<std::uint32_t> rawFormat(ElementType type);
[[nodiscard]] std::uint64_t rawRowBytes(const WeightLayout& layout);

// The grid that a type's codes index, and grids.glsl's name of the type.
struct Grid {
  std::span<const std::uint16_t> entries;  // empty: none
  std::uint32_t choice = 0;
};
[[nodiscard]] Grid gridOf(ElementType type);

struct Plane {
  std::uint32_t bytesPerBlock = 0;  // of 8 rows
  std::uint32_t bytesPerSuper = 0;
  std::uint32_t blocksPerSuper = superBlocks;
};
using Planes = std::array<Plane, 4>;
[[nodiscard]] Planes planesOf(ElementType type);  // all zeros if raw, or refused by support.h

}  // namespace minerva::gpu
