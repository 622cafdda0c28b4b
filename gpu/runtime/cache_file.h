// Names of the files of the cache folder (core/base/kept_file.h).
#pragma once

#include "gpu/vulkan/device_info.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>

namespace minerva::gpu {

// One for each kind, device and version of its driver. Mesa's UUID of an AMD card is only its place in the machine, where there may be
// another card the next time, and cards of one device number may differ in what their names say.
[[nodiscard]] inline std::filesystem::path cacheFile(const std::filesystem::path& folder, const vulkan::DeviceInfo& device,
                                                     const std::string& kind) {
  std::uint64_t name = 0xcbf29ce484222325u;  // FNV-1a
  for (const char c : device.name) name = (name ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  std::array<char, 64> model{};
  std::snprintf(model.data(), model.size(), "%x-%x-%016llx", device.vendorId, device.deviceId, static_cast<unsigned long long>(name));
  return folder / ("vulkan-" + device.uuid + "-" + model.data() + "-" + std::to_string(device.driverVersion) + "." + kind);
}

}  // namespace minerva::gpu
