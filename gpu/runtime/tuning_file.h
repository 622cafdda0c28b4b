// What was measured on a device, kept in a file named after device and driver: a model measures only kinds that none before it had.
#pragma once

#include "gpu/runtime/tuning.h"

#include <filesystem>
#include <optional>

namespace minerva::gpu {

// The tuning stored in `folder` for this device and driver; nullopt if there is none, or it is damaged, of another version of Minerva, or
// nothing that this device could run.
[[nodiscard]] std::optional<Tuning> loadTuning(const std::filesystem::path& folder, const vulkan::DeviceInfo& device);
// Best effort: if the folder cannot be written, the next start measures again.
void saveTuning(const std::filesystem::path& folder, const vulkan::DeviceInfo& device, const Tuning& tuning);

}  // namespace minerva::gpu
