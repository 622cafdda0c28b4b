// What the families around BERT share.
#pragma once

#include "core/model/families/decoder.h"

namespace minerva::model {

// A form with BERT's norms: layer norms with a bias, of the residual sums alone; activated by GELU; no head.
[[nodiscard]] DecoderForm bertForm();
// Names of both norms of the residual sums, and of the sum of the embeddings; every token sees all others.
struct BertNorms {
  TensorName attentionSum{"blk.#.attn_output_norm", ""}, feedForwardSum{"blk.#.layer_output_norm", ""};
  TensorName embedding{"token_embd_norm", ""};
};
[[nodiscard]] Result<void> readBertNorms(Reader& reader, const BertNorms& names, ModelConfig& config);
// The types of tokens, as many as the file has; none if it has no table.
[[nodiscard]] Result<void> readTypes(Reader& reader, std::string_view huggingFaceName, ModelConfig& config);
// The table of learned positions. RoBERTa counts them from the padding token's id + 1 on; GGUF files leave out the rows before.
[[nodiscard]] Result<void> readPositions(Reader& reader, std::string_view huggingFaceName, bool skipsPadding, ModelConfig& config);

// Models that call themselves BERT or RoBERTa, but are built otherwise.
[[nodiscard]] bool isJinaBert(const Reader& reader);  // jina_bert.cpp: ALiBi in place of positions
[[nodiscard]] Result<void> fillJinaBert(Reader& reader, ModelConfig& config);
[[nodiscard]] bool isFlashRoberta(const Reader& reader);  // flash_roberta.cpp: Jina's v3, and its reranker with learned positions
[[nodiscard]] Result<void> fillFlashRoberta(Reader& reader, ModelConfig& config);

}  // namespace minerva::model
