// NeoBERT: norms before each block, rotary positions of neighbouring elements, a gated feed-forward. A head's rows of queries, keys and
// values are next to each other, in GGUF files too, which llama.cpp's readers take otherwise.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"
#include "core/model/families/text_embedding.h"
#include "core/tensor/arrangement.h"

namespace minerva::model {

namespace {

// Part 0 (q), 1 (k) or 2 (v) of rows [heads, 3, size].
Linear neoPartOf(const TensorView& qkv, int part, const LayerConfig& layer) {
  const std::int64_t size = layer.headDim;
  return {rowGroups(qkv, matrixShape(layer.headCount * size, qkv.shape.columns()), size, 3 * size, part * size), {}};
}

// Two thirds of what config.json states, as a multiple of 8.
Result<int> feedForwardOf(const Reader& reader) {
  if (reader.isGguf()) return 0;
  MINERVA_ASSIGN(const int stated, reader.count({"", "intermediate_size"}, Limits::feedForward));
  return (2 * stated / 3 + 7) / 8 * 8;
}

Result<void> fillNeoBert(Reader& reader, ModelConfig& config) {
  MINERVA_TRY(refuseRanking(reader));
  poolAnyway(config);
  const std::string base = reader.hasNamed("model.encoder.weight") ? "model." : "", layer = base + "transformer_encoder.#.";
  const std::string embedding = base + "encoder", attentionNorm = layer + "attention_norm", qkvName = layer + "qkv", o = layer + "wo",
                    down = layer + "ffn.w3", feedForwardNorm = layer + "ffn_norm", gateUp = layer + "ffn.w12",
                    outputNorm = base + "layer_norm";
  DecoderForm form;
  form.embedding.huggingFace = embedding;
  form.attentionNorm.huggingFace = attentionNorm;
  form.feedForwardNorm.huggingFace = feedForwardNorm;
  form.gateUp.huggingFace = gateUp;
  form.ggufUpHoldsGate = true;
  form.down.huggingFace = down;
  form.outputNorm = {"enc.output_norm", outputNorm};
  form.head = {"", "decoder"};
  form.kvHeads.huggingFace = {};
  form.context.huggingFace = "max_length";
  form.epsilon.huggingFace = "norm_eps";
  form.feedForward.huggingFace = {};
  MINERVA_ASSIGN(form.defaultFeedForward, feedForwardOf(reader));
  form.defaultContext = 4096;
  form.window = {};
  form.rope.ggufLayout = form.rope.huggingFaceLayout = RopeLayout::interleaved;
  form.attention = false;
  MINERVA_TRY(fillDecoder(reader, form, config));
  for (std::size_t i = 0; i < config.layers.size(); ++i) {
    LayerConfig& one = config.layers[i];
    one.visible.bidirectional = true;
    const int index = static_cast<int>(i), hidden = config.hiddenSize;
    MINERVA_ASSIGN(const TensorView qkv, reader.tensor({"blk.#.attn_qkv", qkvName}, index, matrixShape(std::int64_t{3} * hidden, hidden)));
    one.q = neoPartOf(qkv, 0, one);
    one.k = neoPartOf(qkv, 1, one);
    one.v = neoPartOf(qkv, 2, one);
    MINERVA_ASSIGN(one.o, reader.linear({"blk.#.attn_output", o}, index, hidden, hidden, Reader::Bias::none));
  }
  reader.ignore("decoder.bias");
  return {};
}

constexpr std::string_view neoBertGgufNames[] = {"neo-bert"};
constexpr std::string_view neoBertHuggingFaceNames[] = {"neobert"};

}  // namespace

const Family neoBertFamily{"neo-bert", neoBertGgufNames, neoBertHuggingFaceNames, fillNeoBert};

}  // namespace minerva::model
