// Which planes each type has, for weight_layout.cpp, which says where they lie, and weight_packing.cpp, which fills them.
#pragma once

#include "gpu/runtime/weight_layout.h"
#include "gpu/shaders/shared/choices.h"

#include <optional>

namespace minerva::gpu {

inline constexpr std::uint32_t superBlocks = 8;  // blocks of a super-block of 256 elements
inline constexpr std::uint32_t tileBlocks = 8;
inline constexpr std::size_t quadBytes = 16;

// A type of affine.glsl: codes of so many bits in groups of so many elements, with scales of a type, and biases.
struct Affine {
  std::uint32_t bits, group, scale;
  bool biases;
  [[nodiscard]] std::uint32_t lowBits() const { return bits == 8 ? 8 : bits >= 4 ? 4 : bits >= 2 ? 2 : 1; }
  [[nodiscard]] std::uint32_t scaleBytes() const { return scale == choice::scaleF32 ? 4 : 2; }
};
[[nodiscard]] std::optional<Affine> affineOf(ElementType type);

// A type of signed_bytes.glsl: codes of a kind, with scales of a kind for so many elements.
struct SignedBytes {
  std::uint32_t codes, scale, group;
};
[[nodiscard]] std::optional<SignedBytes> signedBytesOf(ElementType type);

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
[[nodiscard]] Planes planesOf(ElementType type);  // all zeros if refused by support.h

}  // namespace minerva::gpu
