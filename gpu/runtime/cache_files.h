// Files of the cache folder, one per kind, device and driver version. Best effort: a failed write is ignored (the data will
// be computed again), an unreadable file counts as absent.
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

// Replaces the file by renaming a temporary one, so that a crash never leaves a partial file. Ignores errors.
void replaceFile(const std::filesystem::path& file, std::span<const std::byte> bytes);

// Stores bytes after a checksum, because a driver must not be given corrupted data. keptBytes() returns nothing if the file
// is absent or the checksum does not match.
void keepBytes(const std::filesystem::path& file, std::span<const std::byte> bytes);
[[nodiscard]] std::vector<std::byte> keptBytes(const std::filesystem::path& file);

}  // namespace minerva::gpu
