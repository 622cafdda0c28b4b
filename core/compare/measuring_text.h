// The text that distances and perplexity are measured over unless another is given: ours, the same in window and
// console.
#pragma once

#include <string_view>

namespace minerva::compare {

// Plain words first, then dialogue, figures, code and a list. About 400 tokens of a common tokenizer.
[[nodiscard]] std::string_view measuringText();

}  // namespace minerva::compare
