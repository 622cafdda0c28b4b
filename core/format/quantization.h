// The quantization settings of config.json: MLX's `quantization`, or `quantization_config`.
//
// MLX (mlx_lm's utils.py): {"group_size", "bits", "mode"} for all layers, plus an entry per layer that differs: an object with
// the same keys, false (not quantized) or true (like all others). A layer's object does not inherit from the enclosing one:
// missing keys take MLX's default for its mode.
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
  int group = 64;  // elements per scale
};
[[nodiscard]] std::string toString(const MlxLayer& layer);  // "4 bits in groups of 64, affine"

struct Quantization {
  enum class Method {
    none,  // not quantized, except that *_blocks with *_scales are MXFP4
    mlx,
    fp8,  // 8-bit floats with `weight_scale_inv` or `weight_scale`
    gptq,
    awq,  // version "gemm"
  };
  Method method = Method::none;
  MlxLayer mlx;                                                           // mlx: default for layers not in mlxLayers
  std::map<std::string, std::optional<MlxLayer>, std::less<>> mlxLayers;  // nullopt: not quantized
  std::int64_t blockRows = 128, blockColumns = 128;                       // fp8: block of weights that shares a scale
  bool zerosAreLess = false;                                              // gptq: by one than they should be, in its first format
  bool ordered = false;                                                   // gptq: columns may be in groups as g_idx says
  std::vector<std::string> warnings;

  Quantization() = default;
  explicit Quantization(Method of) : method(of) {}
  // Settings of a layer (name without ".weight"); nullopt: not quantized.
  [[nodiscard]] std::optional<MlxLayer> mlxLayer(std::string_view layer) const;
};

// config: config.json or null; where: its path, for messages.
// Errors: corrupt (invalid value), unsupported (names the quantization method).
[[nodiscard]] Result<Quantization> readQuantization(const nlohmann::json& config, const std::string& where);

}  // namespace minerva::format
