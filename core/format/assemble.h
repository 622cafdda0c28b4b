// Makes a model's tensors from those of its SafeTensors files: what lies in parts becomes one logical matrix.
//
//   MLX           L.weight U32 + L.scales (+ L.biases)      -> L.weight [.., rows, columns], MLX<bits>_G<group>_<scales> or *_PLANES
//   gpt-oss       X_blocks U8 [.., columns / 32, 16] + X_scales U8 -> X [.., rows, columns], MXFP4_PLANES
//   FP8           L.weight F8 + L.weight_scale_inv or L.weight_scale -> L.weight [.., rows, columns], F8_*_SCALED*
//   anything else as it is, if its dtype is an element type
//
// Every part's dtype and shape is checked against the others'. A layer's own bias (L.bias) is none of its parts.
#pragma once

#include "core/format/model_file_builder.h"
#include "core/format/quantization.h"
#include "core/format/raw_tensors.h"

namespace minerva::format {

// configPath: for messages.
// Errors: corrupt (a part is missing or contradicts the others), unsupported (a dtype or block this build cannot read).
[[nodiscard]] Result<void> assembleTensors(RawTensors& raw, const Quantization& quantization, const std::string& configPath,
                                           ModelFileBuilder& builder);

// One file a kind; each takes what is its own and leaves the rest. Files: mlx.cpp, mxfp4_blocks.cpp, scaled_fp8.cpp.
[[nodiscard]] Result<void> assembleMlx(RawTensors& raw, const Quantization& quantization, const std::string& configPath,
                                       ModelFileBuilder& builder);
[[nodiscard]] Result<void> assembleMxfp4Blocks(RawTensors& raw, ModelFileBuilder& builder);
[[nodiscard]] Result<void> assembleScaledFp8(RawTensors& raw, const Quantization& quantization, ModelFileBuilder& builder);

// For these files: the error of a tensor that contradicts its parts; shapes and names as text.
[[nodiscard]] std::unexpected<Error> contradiction(const RawTensor& raw, std::string what, std::string expected, std::string actual);
[[nodiscard]] std::string shapeText(const std::vector<std::int64_t>& shape);
[[nodiscard]] std::string label(const RawTensor& raw);  // "Tensor model.norm.weight"
// "L" of "L.weight"; empty where the name has another ending.
[[nodiscard]] std::string_view stemOf(std::string_view name, std::string_view ending);

// Adds the view under this name and marks nothing: corrupt where the name is there already, or the view is not well formed.
[[nodiscard]] Result<void> addAssembled(const RawTensor& raw, std::string name, const TensorView& view, ModelFileBuilder& builder);
// The shape with the last dimension replaced; rank 1 to 4.
[[nodiscard]] Shape withColumns(const std::vector<std::int64_t>& shape, std::int64_t columns);

}  // namespace minerva::format
