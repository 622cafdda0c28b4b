// Detects a file's format from its first bytes, never from its name.
#pragma once

#include "core/base/error.h"
#include "core/format/model_file.h"

#include <span>

namespace minerva::format {

// Errors: unsupported or corrupt, naming what the file appears to be and what to use instead.
[[nodiscard]] Result<FileFormat> detectFormat(std::span<const std::byte> bytes, const std::string& where);

}  // namespace minerva::format
