// The element types weights are stored in, and what each one is: block size, conversion to and from float32.
//
// A row of n elements (n a multiple of blockElements) is n / blockElements consecutive blocks of blockBytes each.
// The list of types is the table in types/table.cpp: one file a family, one row a type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace minerva {

enum class ElementType : std::uint8_t {
  F32, F16, BF16,
  Q8_0, Q4_0, Q4_1, Q5_0, Q5_1,
  Q4_K, Q5_K, Q6_K,
};

struct ElementTypeTraits {
  ElementType type;
  std::string_view name;        // as in GGUF tools: "Q4_K"
  std::uint32_t ggmlId;         // id of ggml_type in a GGUF file
  std::uint32_t blockElements;  // elements per block (1 for plain floats)
  std::uint32_t blockBytes;     // bytes per block
  // Exact value of each element, as llama.cpp's reference computes it in float32. n is a multiple of blockElements.
  void (*dequantize)(const std::byte* blocks, float* values, std::size_t n);
  // Nearest by the published reference rounding (ggml's quantize_row_*_ref). Null where we cannot write the type.
  void (*quantize)(const float* values, std::byte* blocks, std::size_t n);
};

// Traits of a type; every enumerator has a row.
[[nodiscard]] const ElementTypeTraits& traits(ElementType type);
[[nodiscard]] std::span<const ElementTypeTraits> allElementTypes();
// Null when no row has this id / name (names compare without case).
[[nodiscard]] const ElementTypeTraits* findElementTypeByGgmlId(std::uint32_t id);
[[nodiscard]] const ElementTypeTraits* findElementType(std::string_view name);

// Bytes of n elements; n must be a multiple of the type's blockElements.
[[nodiscard]] inline std::size_t bytesOf(ElementType type, std::size_t n) {
  const ElementTypeTraits& t = traits(type);
  return n / t.blockElements * t.blockBytes;
}

}  // namespace minerva
