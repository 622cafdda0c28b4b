// What this backend has kernels for. The only place that rejects plans, before anything is allocated.
#pragma once

#include "core/backend/backend.h"

namespace minerva::gpu {

// Whether there are kernels for matrices of this type.
[[nodiscard]] bool supportsType(ElementType type);

// Errors: as backend::checkPlaceOptions(); limit (more rows in a step than a GPU takes); unsupported, naming the op or the weight and its
// type.
[[nodiscard]] Result<void> checkSupported(const model::Plan& plan, const backend::PlaceOptions& options);

}  // namespace minerva::gpu
