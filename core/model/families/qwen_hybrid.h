// Shared by Qwen3-Next and Qwen 3.5: three layers of a gated delta net, then one of gated attention.
#pragma once

#include "core/model/families/decoder.h"

namespace minerva::model {

// Fills the config. experts null: a dense feed-forward. tiledInGguf: GGUF files hold the value heads in the order that
// DeltaNet::tiled means.
[[nodiscard]] Result<void> fillQwenHybrid(Reader& reader, const ExpertForm* experts, bool tiledInGguf, ModelConfig& config);
// Routed experts and one shared expert behind a sigmoid.
[[nodiscard]] Result<ExpertForm> qwenHybridExperts(const Reader& reader);

}  // namespace minerva::model
