// What GPT-2 and the families after it have in common.
#pragma once

#include "core/model/families/decoder.h"

namespace minerva::model {

// Layer norms with biases, no window, and a feed-forward without a gate, which is four times as wide as the model where config.json does
// not say. REQUIRES form.hidden. Errors: as Reader::count.
[[nodiscard]] Result<void> fillGptForm(const Reader& reader, DecoderForm& form);

}  // namespace minerva::model
