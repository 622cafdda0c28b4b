// What a file says about the vectors of texts: pooling, dense layers, prompts. The same for all families: a decoder whose file says how
// its rows are pooled is an embedding model.
#pragma once

#include "core/model/families/reader.h"

namespace minerva::model {

// Before the family reads its tensors: everything but the dense layers. Errors: unsupported (a kind of pooling or of module).
[[nodiscard]] Result<void> readTextEmbedding(const Reader& reader, TextEmbedding& embedding);
// ranking.cpp. Whether the file is of a model with a head that gives one number for a text: a reranker.
[[nodiscard]] Result<bool> isReranker(const Reader& reader);
// The pooling of its rows; before the family. Errors: unsupported, corrupt.
[[nodiscard]] Result<Pooling> rankingPooling(const Reader& reader);
// Of a family whose heads are not known. Errors: unsupported.
[[nodiscard]] Result<void> refuseRanking(const Reader& reader);
// After the family: the head. Errors: unsupported (another number of labels), corrupt.
[[nodiscard]] Result<void> readRanking(Reader& reader, ModelConfig& config);
// For families that only make vectors: if the file does not say how, the mean, with a warning.
void poolAnyway(ModelConfig& config);
// Before or after the rows of a bidirectional window: `size` in files is the whole window.
[[nodiscard]] inline Visible aroundEachToken(int size) { return {.window = size > 0 ? size / 2 + 1 : 0, .bidirectional = true}; }
// After the family: the dense layers, and both directions if the file asks for them. Errors: unsupported (a model that predicts tokens
// and sees later ones).
[[nodiscard]] Result<void> finishTextEmbedding(Reader& reader, ModelConfig& config);

}  // namespace minerva::model
