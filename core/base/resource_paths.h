// Where Minerva's own files are (the built-in model and whatever else is installed with it), installed or in the source tree.
//
// Looked for, in this order: resources/ and ../share/minerva/ beside the program, the install prefix's share/minerva/, the
// source tree's resources/. Thread-safe; asks the file system each time.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace minerva {

// The file or folder of this name ("builtin-model"), or nothing.
[[nodiscard]] std::optional<std::filesystem::path> findResource(std::string_view name);

// The model that comes with Minerva.
[[nodiscard]] inline std::optional<std::filesystem::path> builtInModelPath() { return findResource("builtin-model"); }

}  // namespace minerva
