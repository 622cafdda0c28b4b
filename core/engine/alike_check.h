// Whether a device computes rows in one step as it computes them in others, to the last bit. Asked of a model as it is placed: its
// kernels and their compiler decide it.
#pragma once

#include "core/backend/backend.h"

#include <stop_token>

namespace minerva::engine {

// Of replies, several in a step against each in a step of its own; and where the model was placed for backend::Alike::always, of a prompt
// in parts against the whole. Runs a few tokens in slot 0, up to five times from position 0 on, and fewer steps where one takes long
// (stepMs): what the slot held is lost. Errors: those of a step; cancelled, between two steps.
[[nodiscard]] Result<bool> rowsAreAlike(backend::Placement& placement, const model::Plan& plan, const backend::PlaceOptions& placed,
                                        double stepMs, const std::stop_token& stop);

}  // namespace minerva::engine
