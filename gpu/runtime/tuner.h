// Measures which form of the projection kernel is fastest on this device (a few seconds), and stores the result in a file
// named after device and driver, so that it is measured once per machine.
#pragma once

#include "gpu/runtime/kernels.h"
#include "gpu/runtime/tuning.h"

#include <filesystem>
#include <optional>
#include <stop_token>

namespace minerva::gpu {

// The result stored in `folder` for this device and driver; nullopt if there is none or it is unreadable.
[[nodiscard]] std::optional<Tuning> loadTuning(const std::filesystem::path& folder, const vulkan::DeviceInfo& device);
// Best effort: if the folder cannot be written, the next start measures again.
void saveTuning(const std::filesystem::path& folder, const vulkan::DeviceInfo& device, const Tuning& tuning);

// Returns `start` with the fastest of a few candidates for each form of the projection kernel. Errors: cancelled (checked
// between candidates), errors of the driver.
[[nodiscard]] Result<Tuning> measureTuning(const std::shared_ptr<vulkan::Device>& device, Kernels& kernels, const Tuning& start,
                                           const std::stop_token& stop);

}  // namespace minerva::gpu
