// Which format a file is, from its first bytes; names are not looked at.
#pragma once

#include "core/base/error.h"
#include "core/format/model_file.h"

#include <span>

namespace minerva::format {

// Errors: unsupported or corrupt, naming what the file seems to be and what to do instead.
[[nodiscard]] Result<FileFormat> detectFormat(std::span<const std::byte> bytes, const std::string& where);

}  // namespace minerva::format
