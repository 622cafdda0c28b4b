// What this backend has kernels for. The only place that rejects plans, before anything is allocated.
#pragma once

#include "core/model/plan.h"

namespace minerva::gpu {

// Whether there are kernels for matrices of this type.
[[nodiscard]] bool supportsType(ElementType type);

// Errors: unsupported, naming the op or the weight and its type.
[[nodiscard]] Result<void> checkSupported(const model::Plan& plan);

}  // namespace minerva::gpu
