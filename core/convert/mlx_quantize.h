// MLX's affine quantization of one group of weights, as mlx.core.quantize publishes it.
//
// scale = (max - min) / (2^bits - 1). The bound of larger magnitude becomes the bias, and the scale is adjusted so that
// this bound is a whole number of steps from 0, which makes 0 exact. codes = round((w - bias) / scale), ties to even,
// computed with scale and bias rounded to the type they are stored in.
#pragma once

#include "core/tensor/element_type.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace minerva::convert {

struct MlxGroup {
  float scale = 0, bias = 0;
};

// stored: F32, F16 or BF16. codes: one byte per value. NaN gets code 0, the bias.
[[nodiscard]] MlxGroup quantizeMlxGroup(std::span<const float> values, int bits, ElementType stored, std::span<std::uint8_t> codes);

// Packs codes into a bit stream, first code in the lowest bits. codes.size() is a multiple of 8; out has codes.size() * bits / 8 bytes.
void packMlxCodes(std::span<const std::uint8_t> codes, int bits, std::span<std::byte> out);

}  // namespace minerva::convert
