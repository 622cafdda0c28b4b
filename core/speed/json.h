// What reports say of a model, as JSON.
#pragma once

#include "core/engine/engine.h"

#include <nlohmann/json.hpp>

namespace minerva::speed {

using Json = nlohmann::ordered_json;

[[nodiscard]] Json toJson(const backend::MemoryUse& memory);
void addDraft(Json& object, const engine::ModelInfo& info);  // draft_model and draft_memory, if there is one

}  // namespace minerva::speed
