// The element types of stored weights, with block sizes and conversions to and from float32.
//
// A row of n elements (a multiple of blockElements) is n / blockElements consecutive blocks of blockBytes each. Some formats
// store codes, scales and biases as separate tensors (MLX, gpt-oss, block-scaled FP8); such a type's block is
// [codes | scale | bias], assembled by tensor_view.h. All types are listed in types/table.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace minerva {

// clang-format off
enum class ElementType : std::uint8_t {
  F32, F16, BF16,
  Q8_0, Q4_0, Q4_1, Q5_0, Q5_1,
  Q4_K, Q5_K, Q6_K,
  Q2_K, Q3_K,
  IQ4_NL, IQ4_XS, MXFP4, NVFP4,
  TQ1_0, TQ2_0, Q1_0, Q2_0, Q8_1, Q8_K,
  IQ1_S, IQ1_M, IQ2_XXS, IQ2_XS, IQ2_S, IQ3_XXS, IQ3_S,
  // Number types that occur in files but not as matrix weights.
  F64, I8, I16, I32, I64, U8, U16, U32, U64, BOOL,
  // FP8. _SCALED: one float32 scale per 128 codes (weight_scale_inv, ...); _SCALED32: per 32 codes, for matrices whose
  // columns or blocks are not multiples of 128.
  F8_E4M3, F8_E5M2, F8_E8M0, F8_E4M3_SCALED, F8_E5M2_SCALED, F8_E4M3_SCALED32, F8_E5M2_SCALED32,
  // FP4 and FP8 with codes in order and scales in a separate tensor, as in SafeTensors files of MLX and gpt-oss.
  MXFP4_PLANES, MXFP8_PLANES, NVFP4_PLANES,
  // MLX affine quantization: bits, group size, type of scale and bias. mlxType() relies on this order.
  MLX2_G32_F16, MLX2_G32_BF16, MLX2_G32_F32, MLX2_G64_F16, MLX2_G64_BF16, MLX2_G64_F32, MLX2_G128_F16, MLX2_G128_BF16, MLX2_G128_F32,
  MLX3_G32_F16, MLX3_G32_BF16, MLX3_G32_F32, MLX3_G64_F16, MLX3_G64_BF16, MLX3_G64_F32, MLX3_G128_F16, MLX3_G128_BF16, MLX3_G128_F32,
  MLX4_G32_F16, MLX4_G32_BF16, MLX4_G32_F32, MLX4_G64_F16, MLX4_G64_BF16, MLX4_G64_F32, MLX4_G128_F16, MLX4_G128_BF16, MLX4_G128_F32,
  MLX5_G32_F16, MLX5_G32_BF16, MLX5_G32_F32, MLX5_G64_F16, MLX5_G64_BF16, MLX5_G64_F32, MLX5_G128_F16, MLX5_G128_BF16, MLX5_G128_F32,
  MLX6_G32_F16, MLX6_G32_BF16, MLX6_G32_F32, MLX6_G64_F16, MLX6_G64_BF16, MLX6_G64_F32, MLX6_G128_F16, MLX6_G128_BF16, MLX6_G128_F32,
  MLX8_G32_F16, MLX8_G32_BF16, MLX8_G32_F32, MLX8_G64_F16, MLX8_G64_BF16, MLX8_G64_F32, MLX8_G128_F16, MLX8_G128_BF16, MLX8_G128_F32,
};
// clang-format on
inline constexpr std::size_t elementTypeCount = static_cast<std::size_t>(ElementType::MLX8_G128_F32) + 1;

enum class ElementKind : std::uint8_t {
  plain,   // F32, F16, BF16: read directly by kernels; the only types of vectors
  coded,   // any other type a matrix may have
  number,  // F64, integers: never multiplied with
};

// Sizes of a block's parts if they are separate tensors; all 0 otherwise.
struct BlockParts {
  std::uint32_t codes = 0, scale = 0, bias = 0;  // bytes
};

inline constexpr std::uint32_t noGgmlId = 0xffffffffu;

struct ElementTypeTraits {
  ElementType type;
  std::string_view name;        // as in GGUF tools: "Q4_K"
  std::uint32_t ggmlId;         // id of ggml_type in a GGUF file; noGgmlId: GGUF has no such type
  std::uint32_t blockElements;  // elements per block (1 for plain floats)
  std::uint32_t blockBytes;     // bytes per block
  // Exact values, bit-identical to llama.cpp's float32 reference. n is a multiple of blockElements.
  void (*dequantize)(const std::byte* blocks, float* values, std::size_t n);
  // Same rounding as ggml's quantize_row_*_ref. Null if the type cannot be written.
  void (*quantize)(const float* values, std::byte* blocks, std::size_t n);
  ElementKind kind = ElementKind::coded;
  BlockParts parts{};
};

// Traits of a type; every enumerator has a row.
[[nodiscard]] const ElementTypeTraits& traits(ElementType type);
[[nodiscard]] std::span<const ElementTypeTraits> allElementTypes();
// Null if there is no such id or name (case-insensitive).
[[nodiscard]] const ElementTypeTraits* findElementTypeByGgmlId(std::uint32_t id);
[[nodiscard]] const ElementTypeTraits* findElementType(std::string_view name);

// MLX's affine type; bits 2, 3, 4, 5, 6 or 8, group 32, 64 or 128, scales F16, BF16 or F32. Null for anything else.
[[nodiscard]] const ElementTypeTraits* mlxType(int bits, int group, ElementType scales);

// Bytes of n elements; n must be a multiple of the type's blockElements.
[[nodiscard]] inline std::size_t bytesOf(ElementType type, std::size_t n) {
  const ElementTypeTraits& t = traits(type);
  return n / t.blockElements * t.blockBytes;
}

}  // namespace minerva
