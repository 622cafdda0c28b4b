// The built-in model in other formats, made on first use into a folder of ours: what a comparison can begin with at
// once.
#pragma once

#include "app/compare/compare_types.h"
#include "core/base/error.h"

#include <stop_token>
#include <vector>

namespace minerva::app {

// The model itself, a GGUF of 8 bits and an MLX folder of 4. Those that are there already, of this same model, are used
// as they are. Slow (a second or two): for a worker thread. Errors: those of the converters.
[[nodiscard]] Result<std::vector<CompareModel>> builtInTwins(const QString& builtIn, const QString& folder, const std::stop_token& stop);

}  // namespace minerva::app
