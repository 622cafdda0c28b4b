// Locates Minerva's own files (such as the built-in model), installed or in the source tree.
//
// Search order: resources/ and ../share/minerva/ beside the program, the install prefix's share/minerva/, the
// source tree's resources/. Thread-safe; nothing is cached.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace minerva {

// The file or folder of this name ("builtin-model"); nullopt if not found.
[[nodiscard]] std::optional<std::filesystem::path> findResource(std::string_view name);

// The model that comes with Minerva.
[[nodiscard]] inline std::optional<std::filesystem::path> builtInModelPath() { return findResource("builtin-model"); }

}  // namespace minerva
