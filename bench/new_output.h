// Where a verb may write a model.
#pragma once

#include "core/base/error.h"

#include <filesystem>

namespace minerva::bench {

// Before a GGUF file is written. Errors: invalidArgument, if `out` is a folder, or a file and replaces is false.
[[nodiscard]] Result<void> refuseExistingFile(const std::filesystem::path& out, bool replaces);
// Before a folder is written. Errors: invalidArgument, if `out` is a file, or a folder that is not empty.
[[nodiscard]] Result<void> refuseExistingFolder(const std::filesystem::path& out);

}  // namespace minerva::bench
