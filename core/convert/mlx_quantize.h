// MLX's affine quantization of one group of weights, as mlx.core.quantize publishes it.
//
// From the end of the group's range that is larger in magnitude: scale = (max - min) / (2^bits - 1), then corrected so
// that this end is a whole number of steps from 0, which makes 0 itself exact; it becomes the bias. codes = round((w -
// bias) / scale), ties to even, of scale and bias as they are stored: rounded to the type of the weights.
#pragma once

#include "core/tensor/element_type.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace minerva::convert {

struct MlxGroup {
  float scale = 0, bias = 0;
};

// stored: F32, F16 or BF16. codes: one byte each, as many as values. A value that is not a number gets the code of the
// bias.
[[nodiscard]] MlxGroup quantizeMlxGroup(std::span<const float> values, int bits, ElementType stored, std::span<std::uint8_t> codes);

// A stream of bits, the first code lowest. out: codes.size() * bits / 8 bytes; codes: a multiple of 8.
void packMlxCodes(std::span<const std::uint8_t> codes, int bits, std::span<std::byte> out);

}  // namespace minerva::convert
