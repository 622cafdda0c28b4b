// What the DeepSeek families share.
#pragma once

#include "core/model/families/decoder.h"

namespace minerva::model {

// Routed and shared experts, by either kind of file's keys.
[[nodiscard]] Result<ExpertForm> deepseekExperts(const Reader& reader);

}  // namespace minerva::model
