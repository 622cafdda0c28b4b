// Layout of weights in device memory: planes of codes and scales, aligned for 16-byte loads. They hold the stored type's
// values bit for bit in as many bytes, except for padding (rows to a multiple of 8, columns of plain floats to a multiple of
// 32).
//
// A block is 32 consecutive elements of a row, a group 8 consecutive rows, a tile 8 consecutive blocks of a group (the last
// one of a row may have fewer). A subgroup that processes the 8 rows of a group thus reads memory sequentially, in runs of
// 128 bytes; the scales of the 8 rows are adjacent. Planes start at multiples of 16 bytes.
//
//   codes     [group][tile][row][quad][block], a quad being 16 bytes. Bytes per block and row: F32 128, F16 and BF16 64, of types with
//             codes of 8 bits 32 (Q8_0 offset by 128: unsigned), the types below as they say, all others 16: byte i has the low four
//             bits of element i and of element i + 16. Where they are 8 or 4, two or four rows share a quad:
//             [group][tile][row / 2 or 4][block]
//             Q2_K, Q3_K, TQ2_0, Q2_0, MLX of 2 and 3 bits
//                         8: bits 2(j / 2) + 8b of word j mod 2 are the low two of element 4j + b
//             IQ3         8: byte j / 2 of word j mod 2 has the low eight bits of the index of elements 4j .. 4j + 3
//             IQ1, IQ2    4: byte i has those of the index of elements 8i .. 8i + 7
//             Q1_0        4: bit j + 8b is element 4j + b
//             TQ1_0       all planes in one, see affine_packing.cpp
//   scales    per type, see *_packing.cpp
// If the codes are indices into a grid, it follows the planes (at most 4 KB per weight).
// shaders/formats/*.glsl reads this layout.
#pragma once

#include "core/tensor/tensor_view.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace minerva::gpu {

inline constexpr std::uint32_t blockColumns = 32;
inline constexpr std::uint32_t groupRows = 8;

// The shader modules that read a type ("matvec_" + name), and the specialization constants they append to the kernel's own.
struct FormatModule {
  std::string name;  // empty: there is none
  std::vector<std::uint32_t> constants;

  [[nodiscard]] std::vector<std::uint32_t> behind(std::vector<std::uint32_t> kernels) const {
    kernels.insert(kernels.end(), constants.begin(), constants.end());
    return kernels;
  }
};
[[nodiscard]] FormatModule moduleOf(ElementType type);

struct WeightLayout {
  ElementType type = ElementType::F32;
  std::uint32_t rows = 0, columns = 0;
  std::uint32_t groups = 0, blocks = 0;   // rows / 8 and columns / 32, rounded up
  std::array<std::uint64_t, 4> planes{};  // byte offset of each plane; unused ones equal `bytes`
  std::uint64_t bytes = 0;                // of all planes
};

[[nodiscard]] WeightLayout layoutOf(ElementType type, std::uint32_t rows, std::uint32_t columns);

// Bytes of the grid stored once after all groups, in plane 3; written with group 0. 0 for types without a grid.
inline constexpr std::size_t tablePlane = 3;
[[nodiscard]] std::uint64_t tableBytes(ElementType type);

// Bytes of one group in a plane; groups are contiguous.
[[nodiscard]] std::uint64_t groupBytes(const WeightLayout& layout, std::size_t plane);

// Rows first, first + stride, ... of a weight.
struct RowRun {
  std::uint32_t first = 0, stride = 1, count = 0;
};

// Converts the run's rows 8 * group, ... (at most 8; missing ones are filled with zeros) and writes them as group
// `targetGroup` of the layout into `device` (layout.bytes). Different groups write different bytes, so threads may share a
// weight.
void packGroup(const TensorView& view, const RowRun& rows, std::uint32_t group, const WeightLayout& layout, std::uint32_t targetGroup,
               std::span<std::byte> device);

}  // namespace minerva::gpu
