// Where a verb may write a model.
#pragma once

#include "core/base/error.h"

#include <filesystem>

namespace minerva::bench {

// Errors: invalidArgument, if `out` is a file and replaces is false, or a folder that is not empty.
[[nodiscard]] Result<void> refuseExisting(const std::filesystem::path& out, bool replaces);

}  // namespace minerva::bench
