// The default text for measuring agreement and perplexity, used by both the window and the command line.
#pragma once

#include <string_view>

namespace minerva::compare {

// Simple prose first, then dialogue, figures, code and a list. About 400 tokens with a common tokenizer.
[[nodiscard]] std::string_view measuringText();

}  // namespace minerva::compare
