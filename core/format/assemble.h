// Combines tensors of SafeTensors files into the model's tensors: codes, scales and biases become one logical matrix.
//
//   MLX           L.weight U32 + L.scales (+ L.biases)      -> L.weight [.., rows, columns], MLX<bits>_G<group>_<scales> or *_PLANES
//   gpt-oss       X_blocks U8 [.., columns / 32, 16] + X_scales U8 -> X [.., rows, columns], MXFP4_PLANES
//   integers      L.weight_packed I32 + L.weight_scale + L.weight_shape -> L.weight [rows, columns], MLX<bits>_G<group>_<scales>
//   GPTQ, AWQ     L.qweight I32 + L.qzeros + L.scales (+ L.g_idx) -> L.weight [rows, columns], MLX<bits>_G<group>_F32 or plain floats
//   FP8           L.weight F8 + L.weight_scale_inv or L.weight_scale -> L.weight [.., rows, columns], F8_*_SCALED*
//   anything else as it is, if its dtype is an element type
//
// Dtypes and shapes of the parts are validated against each other. A layer's bias (L.bias) is a tensor of its own.
#pragma once

#include "core/format/model_file_builder.h"
#include "core/format/quantization.h"
#include "core/format/raw_tensors.h"
#include "core/tensor/packed_integers.h"

namespace minerva::format {

// configPath is used in error messages.
// Errors: corrupt (a part is missing or contradicts the others), unsupported (a dtype or block this build cannot read).
[[nodiscard]] Result<void> assembleTensors(RawTensors& raw, const Quantization& quantization, const std::string& configPath,
                                           ModelFileBuilder& builder);

// One per packing format, in mlx.cpp, mxfp4_blocks.cpp, compressed_tensors.cpp, gptq_awq.cpp and scaled_fp8.cpp; each consumes the tensors
// of its format.
[[nodiscard]] Result<void> assembleMlx(RawTensors& raw, const Quantization& quantization, const std::string& configPath,
                                       ModelFileBuilder& builder);
[[nodiscard]] Result<void> assembleMxfp4Blocks(RawTensors& raw, ModelFileBuilder& builder);
[[nodiscard]] Result<void> assembleCompressedTensors(RawTensors& raw, ModelFileBuilder& builder);
[[nodiscard]] Result<void> assembleGptqAndAwq(RawTensors& raw, const Quantization& quantization, ModelFileBuilder& builder);
[[nodiscard]] Result<void> assembleScaledFp8(RawTensors& raw, const Quantization& quantization, ModelFileBuilder& builder);

// Helpers for these files: the error for inconsistent parts, and shapes and names as text.
[[nodiscard]] std::unexpected<Error> contradiction(const RawTensor& raw, std::string what, std::string expected, std::string actual);
[[nodiscard]] std::string shapeText(const std::vector<std::int64_t>& shape);
[[nodiscard]] std::string label(const RawTensor& raw);  // "Tensor model.norm.weight"
// "L" for "L.weight"; empty if the name does not end in ".weight".
[[nodiscard]] std::string_view stemOf(std::string_view name, std::string_view ending);

// Adds the view under this name. Errors: corrupt (duplicate name, malformed view).
[[nodiscard]] Result<void> addAssembled(const RawTensor& raw, std::string name, const TensorView& view, ModelFileBuilder& builder);
// Reads the group of each column, unless they follow each other. Errors: corrupt (not one for each column, or no such group).
[[nodiscard]] Result<void> readOrder(const RawTensor& order, PackedIntegers& packed);
// If so many matrices of packed integers are plain floats (unpacked()).
void warnOfFloats(int count, ModelFileBuilder& builder);
// The shape with the last dimension replaced; rank 1 to 4.
[[nodiscard]] Shape withColumns(const std::vector<std::int64_t>& shape, std::int64_t columns);

}  // namespace minerva::format
