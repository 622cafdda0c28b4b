// Plain floats: a block is one element.
#include "core/tensor/half.h"
#include "core/tensor/types/rows.h"

namespace minerva::types {

namespace {

void copyToFloats(const std::byte* blocks, float* values, std::size_t n) { std::memcpy(values, blocks, n * 4); }
void copyFromFloats(const float* values, std::byte* blocks, std::size_t n) { std::memcpy(blocks, values, n * 4); }

template <float (*Widen)(std::uint16_t)>
void widen(const std::byte* blocks, float* values, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) values[i] = Widen(loadU16(blocks + 2 * i));
}

template <std::uint16_t (*Round)(float)>
void narrow(const float* values, std::byte* blocks, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint16_t bits = Round(values[i]);
    std::memcpy(blocks + 2 * i, &bits, sizeof bits);
  }
}

}  // namespace

const std::array<ElementTypeTraits, 3> floatRows{{
    {ElementType::F32, "F32", 0, 1, 4, copyToFloats, copyFromFloats},
    {ElementType::F16, "F16", 1, 1, 2, widen<halfToFloat>, narrow<floatToHalf>},
    {ElementType::BF16, "BF16", 30, 1, 2, widen<bfloatToFloat>, narrow<floatToBfloat>},
}};

}  // namespace minerva::types
