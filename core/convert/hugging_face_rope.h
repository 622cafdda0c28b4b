// Translates rotary embedding settings of a Hugging Face config to GGUF rope.* keys and factor tensors.
#pragma once

#include "core/convert/families.h"
#include "core/convert/source.h"

namespace minerva::convert {

// Errors: unsupported (a scaling GGUF has no keys for).
[[nodiscard]] Result<void> describeRope(Keys& keys, const Family& family, std::vector<SourceTensor>& tensors);

}  // namespace minerva::convert
