// The tensors of an MLX folder: what mlx_lm makes of a published folder's before it packs them.
//
// mlx_lm renames and reshapes tensors when it loads a folder (`sanitize` of its models), but only those that it finds under their published
// names, and for many models only weights without scales. So a packed folder must hold what it would have left.
#pragma once

#include "core/convert/mlx_folder.h"
#include "core/convert/source.h"
#include "core/model/model_config.h"

#include <vector>

namespace minerva::convert {

struct MlxTensor {
  SourceTensor source;      // name and shape are those in the folder
  int bits = 0, group = 0;  // 0: not packed
  bool ownBits = false;     // bits and group are not those of all others: config.json must say so

  [[nodiscard]] ElementType stored() const { return source.parts.front().type; }
};

struct MlxLayout {
  std::vector<MlxTensor> tensors;
  int predicting = 0;  // tensors left out that predict further tokens
};

// config: of this file, whose views the result has.
[[nodiscard]] MlxLayout mlxLayout(const format::ModelFile& file, const model::ModelConfig& config, const MlxOptions& options);

}  // namespace minerva::convert
