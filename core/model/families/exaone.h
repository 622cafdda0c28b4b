// Shared by the newer EXAONE families.
#pragma once

#include "core/model/families/decoder.h"

namespace minerva::model {

// Gives some layers the sliding window, if the file states one; those without it are then not rotated.
[[nodiscard]] Result<void> readExaoneWindows(const Reader& reader, ModelConfig& config);

}  // namespace minerva::model
