// Shared by the Qwen families.
#pragma once

#include "core/model/families/reader.h"

namespace minerva::model {

// Sets sliding windows from use_sliding_window, sliding_window and max_window_layers or layer_types of config.json. GGUF
// files have no such keys.
[[nodiscard]] Result<void> readQwenWindows(const Reader& reader, ModelConfig& config);

// Sets the dense layers from mlp_only_layers and decoder_sparse_step.
struct ExpertForm;
[[nodiscard]] Result<void> readQwenDenseLayers(const Reader& reader, ExpertForm& experts);

}  // namespace minerva::model
