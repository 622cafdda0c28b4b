// Shared by the DeepSeek families.
#pragma once

#include "core/model/families/decoder.h"

namespace minerva::model {

// Routed and shared experts; reads the keys of both file formats.
[[nodiscard]] Result<ExpertForm> deepseekExperts(const Reader& reader);

}  // namespace minerva::model
