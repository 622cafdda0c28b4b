// Checks with a small projection and a small attention of known result that a device's matrix units, its driver and our kernels
// multiply correctly. Errors would go unnoticed otherwise, so this runs once before the units are used.
#pragma once

#include "gpu/runtime/kernels.h"
#include "gpu/runtime/tuning.h"

namespace minerva::gpu {

// Checks every tile size of tuning.units, whatever its `from` and `busy` are, with sums of float32 or of float16. False if a
// result is wrong or the driver cannot compile the kernel.
// REQUIRES device->info().matrixUnit.present(), and its halfSums for those. Errors: outOfMemory, deviceLost.
[[nodiscard]] Result<bool> unitsAreRight(const std::shared_ptr<vulkan::Device>& device, Kernels& kernels, const Tuning& tuning,
                                         bool halfSums);

// The same of attention; also false where the device has no room for its kernel.
[[nodiscard]] Result<bool> attentionUnitsAreRight(const std::shared_ptr<vulkan::Device>& device, Kernels& kernels, const Tuning& tuning);

}  // namespace minerva::gpu
