// tokenizer.ggml.merges.
#pragma once

#include "core/format/metadata.h"
#include "core/text/bpe/merge_table.h"

#include <string>
#include <vector>

namespace minerva::text {

// The error for a file without one of a tokenizer's keys.
[[nodiscard]] Error missingGgufKey(const char* key);

// "left right", lowest rank first. Converters spell some added tokens otherwise than the merges do, so a merge may make a token that the
// vocabulary lacks: it gets an id behind the vocabulary, which Bpe never gives. Errors: notFound, corrupt (also if many merges do so).
[[nodiscard]] Result<MergeTable> readGgufMerges(const format::Metadata& metadata, const Vocabulary& vocabulary,
                                                std::vector<std::string>& warnings);

// Of a vocabulary whose ids are ranks: two neighbours merge if together they are a token, the lowest id first.
[[nodiscard]] MergeTable mergesOfRanks(const Vocabulary& vocabulary);

}  // namespace minerva::text
