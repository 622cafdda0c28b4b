// A block as eight-bit codes with scales: the form a type is dequantized from, whatever way its bits are packed.
// value i = scales[i / 16] * codes[i], rounded as the reference rounds it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace minerva {

struct ExpandedBlock {  // the first blockElements codes, and their sixteenths of scales, are set
  alignas(64) std::int8_t codes[256];
  float scales[16];
};

// Reads one block.
using ExpandFunction = void (*)(const std::byte* block, ExpandedBlock& out);

namespace types {

template <ExpandFunction Expand, std::size_t Elements, std::size_t Bytes>
void dequantizeExpanded(const std::byte* block, float* values, std::size_t n) {
  ExpandedBlock expanded;
  for (std::size_t b = 0; b < n / Elements; ++b, block += Bytes, values += Elements) {
    Expand(block, expanded);
    for (std::size_t i = 0; i < Elements; ++i) values[i] = expanded.scales[i / 16] * static_cast<float>(expanded.codes[i]);
  }
}

}  // namespace types
}  // namespace minerva
