// Plain floats, wider and narrower ones, and integers: a block is one element. Scaled FP8: 128 or 32 codes and a float32 scale,
// value = code * scale.
#include "core/tensor/half.h"
#include "core/tensor/types/rows.h"
#include "core/tensor/types/small_floats.h"

#include <algorithm>
#include <cmath>

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

template <class Number>
void convert(const std::byte* blocks, float* values, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    Number number;
    std::memcpy(&number, blocks + i * sizeof number, sizeof number);
    values[i] = static_cast<float>(number);
  }
}

// E5M2 is the upper half of a half.
float e5m2ToFloat(std::uint8_t code) { return halfToFloat(static_cast<std::uint16_t>(code << 8)); }
std::uint8_t floatToE4m3(float value) { return toSmallFloat<3, 7>(value, 448.0f); }
std::uint8_t floatToE5m2(float value) { return toSmallFloat<2, 15>(value, 57344.0f); }

template <float (*Widen)(std::uint8_t)>
void widenBytes(const std::byte* blocks, float* values, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) values[i] = Widen(std::to_integer<std::uint8_t>(blocks[i]));
}
template <std::uint8_t (*Round)(float)>
void narrowBytes(const float* values, std::byte* blocks, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) blocks[i] = static_cast<std::byte>(Round(values[i]));
}

// Elements codes and a float32 scale.
template <std::size_t Elements>
constexpr std::size_t scaledBytes = Elements + 4;
template <std::size_t Elements>
constexpr BlockParts scaledParts{Elements, 4, 0};

template <std::size_t Elements, float (*Widen)(std::uint8_t)>
void widenScaled(const std::byte* block, float* values, std::size_t n) {
  for (std::size_t b = 0; b < n / Elements; ++b, block += scaledBytes<Elements>, values += Elements) {
    float scale;
    std::memcpy(&scale, block + Elements, sizeof scale);
    for (std::size_t i = 0; i < Elements; ++i) values[i] = Widen(std::to_integer<std::uint8_t>(block[i])) * scale;
  }
}
template <std::size_t Elements, std::uint8_t (*Round)(float), std::uint8_t LargestCode, float (*Widen)(std::uint8_t)>
void narrowScaled(const float* values, std::byte* block, std::size_t n) {
  const float largest = Widen(LargestCode);
  for (std::size_t b = 0; b < n / Elements; ++b, block += scaledBytes<Elements>, values += Elements) {
    float extreme = 0.0f;
    for (std::size_t i = 0; i < Elements; ++i) extreme = std::max(extreme, std::fabs(values[i]));
    const float scale = extreme > 0.0f && std::isfinite(extreme) ? extreme / largest : 1.0f;
    std::memcpy(block + Elements, &scale, sizeof scale);
    for (std::size_t i = 0; i < Elements; ++i) block[i] = static_cast<std::byte>(Round(values[i] / scale));
  }
}

constexpr auto plain = ElementKind::plain;
constexpr auto coded = ElementKind::coded;

template <class Number>
constexpr ElementTypeTraits number(ElementType type, std::string_view name, std::uint32_t ggmlId) {
  return {type, name, ggmlId, 1, sizeof(Number), convert<Number>, nullptr, ElementKind::number, {}};
}
template <std::size_t Elements>
constexpr ElementTypeTraits scaledE4m3(ElementType type, std::string_view name) {
  return {type,
          name,
          noGgmlId,
          Elements,
          scaledBytes<Elements>,
          widenScaled<Elements, e4m3ToFloat>,
          narrowScaled<Elements, floatToE4m3, 0x7e, e4m3ToFloat>,
          coded,
          scaledParts<Elements>};
}
template <std::size_t Elements>
constexpr ElementTypeTraits scaledE5m2(ElementType type, std::string_view name) {
  return {type,
          name,
          noGgmlId,
          Elements,
          scaledBytes<Elements>,
          widenScaled<Elements, e5m2ToFloat>,
          narrowScaled<Elements, floatToE5m2, 0x7b, e5m2ToFloat>,
          coded,
          scaledParts<Elements>};
}

}  // namespace

constinit const std::array<ElementTypeTraits, 20> floatRows{{
    {ElementType::F32, "F32", 0, 1, 4, copyToFloats, copyFromFloats, plain, {}},
    {ElementType::F16, "F16", 1, 1, 2, widen<halfToFloat>, narrow<floatToHalf>, plain, {}},
    {ElementType::BF16, "BF16", 30, 1, 2, widen<bfloatToFloat>, narrow<floatToBfloat>, plain, {}},
    number<double>(ElementType::F64, "F64", 28),
    number<std::int8_t>(ElementType::I8, "I8", 24),
    number<std::int16_t>(ElementType::I16, "I16", 25),
    number<std::int32_t>(ElementType::I32, "I32", 26),
    number<std::int64_t>(ElementType::I64, "I64", 27),
    number<std::uint8_t>(ElementType::U8, "U8", noGgmlId),
    number<std::uint16_t>(ElementType::U16, "U16", noGgmlId),
    number<std::uint32_t>(ElementType::U32, "U32", noGgmlId),
    number<std::uint64_t>(ElementType::U64, "U64", noGgmlId),
    number<std::uint8_t>(ElementType::BOOL, "BOOL", noGgmlId),
    {ElementType::F8_E4M3, "F8_E4M3", noGgmlId, 1, 1, widenBytes<e4m3ToFloat>, narrowBytes<floatToE4m3>, coded, {}},
    {ElementType::F8_E5M2, "F8_E5M2", noGgmlId, 1, 1, widenBytes<e5m2ToFloat>, narrowBytes<floatToE5m2>, coded, {}},
    {ElementType::F8_E8M0, "F8_E8M0", noGgmlId, 1, 1, widenBytes<e8m0ToFloat>, nullptr, ElementKind::number, {}},
    scaledE4m3<128>(ElementType::F8_E4M3_SCALED, "F8_E4M3_SCALED"),
    scaledE5m2<128>(ElementType::F8_E5M2_SCALED, "F8_E5M2_SCALED"),
    scaledE4m3<32>(ElementType::F8_E4M3_SCALED32, "F8_E4M3_SCALED32"),
    scaledE5m2<32>(ElementType::F8_E5M2_SCALED32, "F8_E5M2_SCALED32"),
}};

}  // namespace minerva::types
