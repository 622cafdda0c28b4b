// What a converted file must pass before it gets its name: it is the same model to our own reader, and splits texts the
// same.
#pragma once

#include "core/base/error.h"
#include "core/format/model_file.h"
#include "core/model/model_config.h"

#include <filesystem>
#include <string>
#include <vector>

namespace minerva::convert {

// before: of `model`; null for a GGUF file, whose keys are copied. Errors: unsupported, naming what GGUF cannot state.
[[nodiscard]] Result<void> verifyCopy(const format::ModelFile& model, const model::ModelConfig* before,
                                      const std::filesystem::path& written, std::vector<std::string>& warnings);

}  // namespace minerva::convert
