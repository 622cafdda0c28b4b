// Brings a plan's weights into device memory: converted to the device's layout by a few threads, written where the host can
// see the memory, else through staging buffers (one a thread).
#pragma once

#include "gpu/runtime/resident.h"

#include <stop_token>

namespace minerva::gpu {

// progress is called from this thread; stop is answered within one chunk of a few megabytes.
// Errors: cancelled, deviceLost, outOfMemory.
[[nodiscard]] Result<void> upload(const std::shared_ptr<vulkan::Device>& device, const model::Plan& plan, const MatrixPlan& matrices,
                                  const Resident& resident, const backend::Progress& progress, std::stop_token stop);

}  // namespace minerva::gpu
