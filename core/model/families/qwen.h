// What the Qwen families share.
#pragma once

#include "core/model/families/reader.h"

namespace minerva::model {

// use_sliding_window, sliding_window, max_window_layers or layer_types of config.json. GGUF files have none of them.
[[nodiscard]] Result<void> readQwenWindows(const Reader& reader, ModelConfig& config);

// Layers that are no mixture: mlp_only_layers and decoder_sparse_step.
struct ExpertForm;
[[nodiscard]] Result<void> readQwenDenseLayers(const Reader& reader, ExpertForm& experts);

}  // namespace minerva::model
