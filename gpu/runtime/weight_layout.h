// How a weight lies on the device: planes of codes and scales, aligned for 16-byte loads, holding bit for bit the values of
// the stored type in as many bytes (rows are filled up to a multiple of 8, columns of plain floats to one of 32).
//
// A block is 32 consecutive elements of a row, a group 8 consecutive rows, a tile 8 consecutive blocks of a group (the last
// one of a row may have fewer). A team of lanes that walks along the 8 rows of a group so reads memory in its order, in
// runs of 128 bytes; scales stand together for the 8 rows. Planes start at multiples of 16.
//
//   codes     [group][tile][row][quad][block], a quad being 16 bytes. A block has as many as its type needs: F32 128 bytes,
//             F16 and BF16 64, Q8_0 32 (offset by 128: unsigned), all others 16: byte i has the low four bits of element i
//             and of element i + 16
//   scales    per type, see weight_layout.cpp
// Types that have no planes of their own stand as in the file, row after row ("raw"), with 16 bytes more at the end; those
// whose codes are entries of a grid are followed by it (plane 1, at most 4 KB a weight).
// shaders/formats/*.glsl read exactly this.
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

// Which shader modules read a type ("matvec_" + name), and with which specialization constants behind the kernel's own.
struct FormatModule {
  std::string name;  // empty: none does
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

// Of what stands once behind all groups, in plane 1; written with group 0.
[[nodiscard]] std::uint64_t tableBytes(ElementType type);

// Bytes a group takes in a plane; groups follow each other.
[[nodiscard]] std::uint64_t groupBytes(const WeightLayout& layout, std::size_t plane);

// Rows first, first + stride, ... of a weight.
struct RowRun {
  std::uint32_t first = 0, stride = 1, count = 0;
};

// Converts the run's rows 8 * group, ... (at most 8; absent ones are filled with zeros) to where `targetGroup` of the
// layout lies in `device` (layout.bytes). Different groups touch different bytes: threads may share a weight.
void packGroup(const TensorView& view, const RowRun& rows, std::uint32_t group, const WeightLayout& layout, std::uint32_t targetGroup,
               std::span<std::byte> device);

}  // namespace minerva::gpu
