// What of a plan this backend has kernels for. The one place that says no, before anything is allocated.
#pragma once

#include "core/model/plan.h"

namespace minerva::gpu {

// Whether matrices of this type can be computed as stored.
[[nodiscard]] bool supportsType(ElementType type);

// Errors: unsupported, naming the op or the weight and its type.
[[nodiscard]] Result<void> checkSupported(const model::Plan& plan);

}  // namespace minerva::gpu
