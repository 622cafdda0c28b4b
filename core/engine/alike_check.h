// Whether a device computes several rows of replies in one step as it computes each in a step of its own, to the last bit. Asked of a model
// as it is placed: its kernels and their compiler decide it.
#pragma once

#include "core/backend/backend.h"

namespace minerva::engine {

// Runs a few tokens of the plan's model in slot 0, three times, from position 0 on: what the slot held is lost. Errors: those of a step.
[[nodiscard]] Result<bool> rowsAreAlike(backend::Placement& placement, const model::Plan& plan, const backend::PlaceOptions& placed);

}  // namespace minerva::engine
