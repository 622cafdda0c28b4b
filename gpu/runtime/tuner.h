// Measures which form of the projection kernel is fastest on this device (a few seconds), and keeps the answer in a file
// named after device and driver, so that it is measured once a machine.
#pragma once

#include "gpu/runtime/kernels.h"
#include "gpu/runtime/tuning.h"

#include <filesystem>
#include <optional>
#include <stop_token>

namespace minerva::gpu {

// The answer kept in `folder` for this device and driver; nothing when there is none or it cannot be read.
[[nodiscard]] std::optional<Tuning> loadTuning(const std::filesystem::path& folder, const vulkan::DeviceInfo& device);
// Best effort: a folder that cannot be written only means measuring again.
void saveTuning(const std::filesystem::path& folder, const vulkan::DeviceInfo& device, const Tuning& tuning);

// `start` with the forms of its projections replaced by the fastest of a few candidates each. Errors: cancelled (asked
// between candidates), what the driver says.
[[nodiscard]] Result<Tuning> measureTuning(const std::shared_ptr<vulkan::Device>& device, Kernels& kernels, const Tuning& start,
                                           const std::stop_token& stop);

}  // namespace minerva::gpu
