// Writes a Hugging Face folder of F32, F16 or BF16 weights as an MLX folder with affine-quantized matrices.
//
// Same output as mlx_lm: every matrix whose row length is a multiple of the group size (embedding and head included)
// becomes U32 codes with .scales and .biases in the matrix's type, in a mixture one stack of all experts; routers have the bits that mlx_lm
// gives them; vectors are copied; config.json records the settings. Names and shapes are those of mlx_lm (mlx_layout.h).
// The folder gets its final name only once it is complete. Blocks the calling thread; holds a few tens of megabytes.
#pragma once

#include "core/convert/convert.h"

namespace minerva::convert {

struct MlxOptions {
  int bits = 4;     // 2, 3, 4, 5, 6 or 8
  int group = 64;   // 32, 64 or 128
  int threads = 0;  // 0: one a core
  std::function<void(const ConvertProgress&)> progress{};
  std::stop_token cancel{};
};

// Errors: invalidArgument (bits or group MLX does not have; out holds files of the model), unsupported (a GGUF file, weights that are
// quantized already), corrupt (weights that are no numbers), limit (not enough free space), outOfMemory, io, cancelled. After an error
// nothing is left at `out`.
[[nodiscard]] Result<ConvertReport> convertToMlx(const format::ModelFile& model, const std::filesystem::path& out,
                                                 const MlxOptions& options);

}  // namespace minerva::convert
