// Files whose contents could be computed again, kept from run to run. Best effort: a failed write is ignored, an unreadable file counts as
// absent.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

namespace minerva {

// Stores bytes after a checksum, because a damaged file must not be believed. Replaces the file by renaming a temporary one, so that a
// crash never leaves a partial file. Makes the folder.
void keepBytes(const std::filesystem::path& file, std::span<const std::byte> bytes);
// Nothing if the file is absent or the checksum does not match.
[[nodiscard]] std::vector<std::byte> keptBytes(const std::filesystem::path& file);

}  // namespace minerva
