// The files of a model's folder, by the ending of their names.
#pragma once

#include "core/base/error.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace minerva::format {

// Whether there are weights of PyTorch in it (.bin, .pt, .pth).
[[nodiscard]] bool holdsPickles(const std::filesystem::path& folder);

// ending: ".gguf"; the case of letters in names does not matter. Sorted. Errors: io (the folder may not be read).
[[nodiscard]] Result<std::vector<std::filesystem::path>> filesEnding(std::string_view ending, const std::filesystem::path& folder);

// Whether it holds a model as SafeTensors. GGUF files may lie beside a config.json, too, which says what they were made from.
[[nodiscard]] bool holdsSafeTensors(const std::filesystem::path& folder);

[[nodiscard]] std::string lowerCase(std::string text);  // ASCII letters only

}  // namespace minerva::format
