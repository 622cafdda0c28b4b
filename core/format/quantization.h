// What config.json says of how a folder's weights are packed: MLX's `quantization`, or `quantization_config`.
//
// MLX (mlx_lm's utils.py): {"group_size", "bits", "mode"} for every packed layer, and an entry a layer that differs: an object
// of the same keys, false (not packed) or true (as all). A layer's object does not inherit from the one around it: what it
// leaves out is MLX's default for its mode.
#pragma once

#include "core/base/error.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace minerva::format {

enum class MlxMode { affine, mxfp4, mxfp8, nvfp4 };
[[nodiscard]] const char* name(MlxMode mode);  // "affine", as in config.json

struct MlxLayer {
  MlxMode mode = MlxMode::affine;
  int bits = 4;
  int group = 64;  // elements under one scale
};
[[nodiscard]] std::string toString(const MlxLayer& layer);  // "4 bits in groups of 64, affine"

struct Quantization {
  enum class Method {
    none,  // weights are what their dtype says, and *_blocks with *_scales are MXFP4
    mlx,
    fp8,  // 8-bit floats with `weight_scale_inv` or `weight_scale`
  };
  Method method = Method::none;
  MlxLayer mlx;                                                           // mlx: of every layer not in the next
  std::map<std::string, std::optional<MlxLayer>, std::less<>> mlxLayers;  // nothing: not packed
  std::int64_t blockRows = 128, blockColumns = 128;                       // fp8: weights under one scale
  std::vector<std::string> warnings;

  Quantization() = default;
  explicit Quantization(Method of) : method(of) {}
  // Of the layer with this name (without ".weight"); nothing: not packed.
  [[nodiscard]] std::optional<MlxLayer> mlxLayer(std::string_view layer) const;
};

// config: config.json, or null where there is none; where: its path.
// Errors: corrupt (a value that contradicts the format), unsupported (a method this build cannot read: named).
[[nodiscard]] Result<Quantization> readQuantization(const nlohmann::json& config, const std::string& where);

}  // namespace minerva::format
