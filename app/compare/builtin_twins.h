// Converts the built-in model to other formats on first use, so that a comparison can be tried without other models.
#pragma once

#include "app/compare/compare_types.h"
#include "core/base/error.h"

#include <stop_token>
#include <vector>

namespace minerva::app {

// Returns the model itself, an 8-bit GGUF file and a 4-bit MLX folder. Existing copies of the same version are reused. Takes a
// second or two, so call it on a worker thread. Errors: io (the folder cannot be created), those of the converters.
[[nodiscard]] Result<std::vector<CompareModel>> builtInTwins(const QString& builtIn, const QString& folder, const std::stop_token& stop);

}  // namespace minerva::app
