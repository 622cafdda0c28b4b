// Verifies a converted file before it gets its final name: our own reader must see the same model, and the tokenizer must
// produce the same tokens.
#pragma once

#include "core/base/error.h"
#include "core/format/model_file.h"
#include "core/model/model_config.h"

#include <filesystem>
#include <string>
#include <vector>

namespace minerva::convert {

// Sets the factors that a file holds in its weights to 1, as its reader will see them.
void takeScalesOut(model::ModelConfig& config);

// before: the config of `model`; null if it is a GGUF file, whose metadata is copied. Errors: unsupported, naming the
// property that GGUF cannot represent.
[[nodiscard]] Result<void> verifyCopy(const format::ModelFile& model, const model::ModelConfig* before,
                                      const std::filesystem::path& written, std::vector<std::string>& warnings);

}  // namespace minerva::convert
