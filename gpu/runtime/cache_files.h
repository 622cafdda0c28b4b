// Files of the cache folder: one of a kind for every device and driver. All of it is best effort: what cannot be
// written is made anew, what cannot be read counts as absent.
#pragma once

#include "gpu/vulkan/device_info.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace minerva::gpu {

[[nodiscard]] std::filesystem::path cacheFile(const std::filesystem::path& folder, const vulkan::DeviceInfo& device,
                                              const std::string& kind);

// Whole or not at all, also when the machine stops meanwhile.
void replaceFile(const std::filesystem::path& file, std::span<const std::byte> bytes);

// Bytes with a checksum before them: a driver must not be given what a disk has spoilt.
void keepBytes(const std::filesystem::path& file, std::span<const std::byte> bytes);
[[nodiscard]] std::vector<std::byte> keptBytes(const std::filesystem::path& file);

}  // namespace minerva::gpu
