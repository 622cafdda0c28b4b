#include "core/convert/mlx_quantize.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace minerva::convert {
namespace {

constexpr float smallestScale = 1e-7F;

float rounded(float value, ElementType type) {
  std::array<std::byte, sizeof(float)> bytes{};
  traits(type).quantize(&value, bytes.data(), 1);
  traits(type).dequantize(bytes.data(), &value, 1);
  return value;
}

}  // namespace

MlxGroup quantizeMlxGroup(std::span<const float> values, int bits, ElementType stored, std::span<std::uint8_t> codes) {
  float low = std::numeric_limits<float>::infinity(), high = -low;
  for (const float value : values) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  const auto last = static_cast<float>((1U << bits) - 1);
  const bool fromBelow = std::abs(low) > std::abs(high);
  float scale = std::max((high - low) / last, smallestScale);
  if (!fromBelow) scale = -scale;
  const float edge = fromBelow ? low : high;
  const float steps = std::nearbyint(edge / scale);
  MlxGroup group{scale, 0};
  if (steps != 0) group = {edge / steps, edge};
  group = {rounded(group.scale, stored), rounded(group.bias, stored)};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float code = std::nearbyint((values[i] - group.bias) / group.scale);
    codes[i] = code > 0 ? static_cast<std::uint8_t>(std::min(code, last)) : 0;  // not a number: 0
  }
  return group;
}

void packMlxCodes(std::span<const std::uint8_t> codes, int bits, std::span<std::byte> out) {
  const auto width = static_cast<std::size_t>(bits);
  for (std::size_t first = 0; first < codes.size(); first += 8) {
    std::uint64_t stream = 0;
    for (std::size_t i = 0; i < 8; ++i) stream |= static_cast<std::uint64_t>(codes[first + i]) << (i * width);
    for (std::size_t i = 0; i < width; ++i) out[first / 8 * width + i] = static_cast<std::byte>(stream >> (8 * i));
  }
}

}  // namespace minerva::convert
