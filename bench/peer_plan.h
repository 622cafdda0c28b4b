// How many dispatches and barriers llama.cpp's Vulkan backend records for a model, counted from its source.
#pragma once

#include "core/backend/described_gpu.h"
#include "core/model/plan.h"

#include <optional>

namespace minerva::bench {

// For a step of so many rows; nullopt for models with ops that were not counted there (recurrent mixers and others of few families).
// quantizes: its kernels take 8-bit activations, which it makes in a dispatch of their own.
[[nodiscard]] std::optional<backend::OpCounts> peerCounts(const model::Plan& plan, int rows, bool quantizes);

}  // namespace minerva::bench
