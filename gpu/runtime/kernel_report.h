// What a driver's compiler makes of the kernels that a plan needs. Nothing is placed and nothing runs, so the device may be one that a
// driver only describes, and the model larger than its memory.
#pragma once

#include "core/backend/backend.h"
#include "gpu/runtime/kernels.h"
#include "gpu/runtime/tuning.h"

namespace minerva::gpu {

// Contract: Backend::compileKernels.
[[nodiscard]] Result<backend::KernelReport> reportKernels(const std::shared_ptr<vulkan::Device>& device, Kernels& kernels,
                                                          const Tuning& tuning, const model::Plan& plan,
                                                          const backend::PlaceOptions& options);

}  // namespace minerva::gpu
