// Uploads a plan's weights: a few threads convert them to the device's layout while the file is read, writing directly where the host
// maps the device's memory, else through a ring of staging buffers (vulkan/staging_ring.h), on the transfer queue where there is one.
//
// The mapped file itself is never imported as device memory (VK_EXT_external_memory_host), not even where the GPU shares the system's
// memory: no type with planes lies on the device as it does in the file (weight_layout.h), and of those that do, row after row, only
// matrices that are merged with no other would qualify, while AMD's driver imports anonymous memory alone and no mapping of a file.
#pragma once

#include "gpu/runtime/resident.h"

#include <stop_token>

namespace minerva::gpu {

// Staging memory for weights: as much as keeps threads and copies busy, little beside what the device and the host have.
struct StagingSize {
  std::uint64_t slotBytes = 0;
  std::size_t slots = 0;
};
// hostFree: free memory of the host, in bytes; 0: unknown.
[[nodiscard]] StagingSize stagingSize(const vulkan::DeviceInfo& device, std::uint64_t hostFree);

// progress is called from this thread; cancellation takes effect within a group of eight rows.
// Errors: cancelled, deviceLost, outOfMemory.
[[nodiscard]] Result<void> upload(const std::shared_ptr<vulkan::Device>& device, const model::Plan& plan, const MatrixPlan& matrices,
                                  const Resident& resident, const backend::Progress& progress, std::stop_token stop);

}  // namespace minerva::gpu
