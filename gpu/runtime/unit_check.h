// Whether a device's matrix units, with the driver and our kernels between, multiply as they should: a small projection
// with a known result. What is wrong here is wrong silently elsewhere, so it is asked once before they are used.
#pragma once

#include "gpu/runtime/kernels.h"
#include "gpu/runtime/tuning.h"

namespace minerva::gpu {

// Every size of tiles of tuning.units, whatever `from` and `busy` say. False: wrong, or the driver cannot compile them.
// REQUIRES device->info().matrixUnit.present(). Errors: outOfMemory, deviceLost.
[[nodiscard]] Result<bool> unitsAreRight(const std::shared_ptr<vulkan::Device>& device, Kernels& kernels, const Tuning& tuning);

}  // namespace minerva::gpu
