// A Hugging Face folder of plain floats written as an MLX folder: matrices in affine groups, all else as it is.
//
// As mlx_lm writes it: every matrix whose rows are whole groups (embedding and head too) becomes U32 codes with .scales
// and .biases in the matrix's own type; vectors stay; config.json says how. The folder appears under its name only when
// it is whole. Runs on the calling thread; the codes of one matrix are in memory at a time.
#pragma once

#include "core/convert/convert.h"

namespace minerva::convert {

struct MlxOptions {
  int bits = 4;    // 2, 3, 4, 5, 6 or 8
  int group = 64;  // 32, 64 or 128
  std::function<void(const ConvertProgress&)> progress{};
  std::stop_token cancel{};
};

// Errors: invalidArgument (bits or group MLX does not have; out holds files of the model), unsupported (a GGUF file, weights that are
// quantized already), io, cancelled. After an error nothing is left at `out`.
[[nodiscard]] Result<ConvertReport> convertToMlx(const format::ModelFile& model, const std::filesystem::path& out,
                                                 const MlxOptions& options);

}  // namespace minerva::convert
