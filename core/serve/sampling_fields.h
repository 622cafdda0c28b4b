// The fields that choose tokens and end a reply, under the names of OpenAI's interface and of vLLM's and llama-server's extensions.
#pragma once

#include "core/engine/engine.h"
#include "core/serve/parse_json.h"

#include <array>

namespace minerva::serve {

// Those that other interfaces do not have, but that are taken there, too.
inline constexpr std::array samplingExtensions{"top_k",
                                               "min_p",
                                               "presence_penalty",
                                               "frequency_penalty",
                                               "repeat_penalty",
                                               "repetition_penalty",
                                               "repeat_last_n",
                                               "penalty_last_n",
                                               "dry_multiplier",
                                               "dry_base",
                                               "dry_allowed_length",
                                               "dry_penalty_last_n",
                                               "dry_sequence_breakers",
                                               "xtc_probability",
                                               "xtc_threshold",
                                               "top_n_sigma"};

// Fields that are not given leave what the request has (the model's recommendation). tokenizer: of texts that are biased; may be null.
// Errors: invalidArgument, unsupported.
[[nodiscard]] Result<void> readSampling(const Json& body, const text::Tokenizer* tokenizer, engine::Request& request);

}  // namespace minerva::serve
