// Names of the files of the cache folder (core/base/kept_file.h).
#pragma once

#include "gpu/vulkan/device_info.h"

#include <filesystem>
#include <string>

namespace minerva::gpu {

// One for each kind, device and version of its driver.
[[nodiscard]] inline std::filesystem::path cacheFile(const std::filesystem::path& folder, const vulkan::DeviceInfo& device,
                                                     const std::string& kind) {
  return folder / ("vulkan-" + device.uuid + "-" + std::to_string(device.driverVersion) + "." + kind);
}

}  // namespace minerva::gpu
