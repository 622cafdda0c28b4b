// Uploads a plan's weights: a few threads convert them to the device's layout, writing directly if device memory is
// host-visible, else through staging buffers (one per thread).
#pragma once

#include "gpu/runtime/resident.h"

#include <stop_token>

namespace minerva::gpu {

// progress is called from this thread; cancellation takes effect within one chunk of a few megabytes.
// Errors: cancelled, deviceLost, outOfMemory.
[[nodiscard]] Result<void> upload(const std::shared_ptr<vulkan::Device>& device, const model::Plan& plan, const MatrixPlan& matrices,
                                  const Resident& resident, const backend::Progress& progress, std::stop_token stop);

}  // namespace minerva::gpu
