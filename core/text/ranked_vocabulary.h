// Vocabularies with ranks (tekken.json, tiktoken.model and their like) for converters, which know tokenizer.json only.
#pragma once

#include "core/format/model_file.h"

namespace minerva::text {

// Whether the folder's vocabulary is one, should it have no tokenizer.json.
[[nodiscard]] bool isRanked(const format::HuggingFaceFiles& files);
// The same vocabulary as a tokenizer.json, whose merges are all pairs of tokens that together are a token. A token that no merges make is
// found whole only if the GGUF name of the pre-tokenizer says so. For folders whose tokenizer createTokenizer() makes from such a file.
[[nodiscard]] Result<nlohmann::json> tokenizerJsonOfRanks(const format::HuggingFaceFiles& files);

}  // namespace minerva::text
