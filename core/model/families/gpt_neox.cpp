// GPT-NeoX and Pythia: layer norms, biases, parallel blocks with separate norms. SafeTensors files interleave q, k and v
// by head; GGUF stores all of q, then k, then v.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"
#include "core/tensor/arrangement.h"

namespace minerva::model {

namespace {

// Extracts part 0 (q), 1 (k) or 2 (v) from rows [heads, 3, size].
Linear partOf(const Linear& qkv, int part, int heads, int size) {
  const auto rowsOfPart = [&](TensorView stored, int rank) {
    if (rank == 1) stored.shape = matrixShape(stored.shape.elements(), 1);
    const std::int64_t run = size, columns = stored.shape.columns();
    return rowGroups(stored, matrixShape(heads * run, columns), run, 3 * run, part * run);
  };
  return {rowsOfPart(qkv.weight, 2), qkv.bias.empty() ? TensorView{} : rowsOfPart(qkv.bias, 1)};
}

Result<void> readNeoxAttention(Reader& reader, ModelConfig& config, int index) {
  LayerConfig& layer = config.layers[static_cast<std::size_t>(index)];
  const std::int64_t hidden = config.hiddenSize;
  MINERVA_ASSIGN(const Linear qkv,
                 reader.linear({"", "gpt_neox.layers.#.attention.query_key_value"}, index, 3 * hidden, hidden, Reader::Bias::optional));
  layer.q = partOf(qkv, 0, layer.headCount, layer.headDim);
  layer.k = partOf(qkv, 1, layer.headCount, layer.headDim);
  layer.v = partOf(qkv, 2, layer.headCount, layer.headDim);
  MINERVA_ASSIGN(layer.o, reader.linear({"", "gpt_neox.layers.#.attention.dense"}, index, hidden, hidden, Reader::Bias::optional));
  return {};
}

Result<void> fillGptNeox(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.embedding.huggingFace = "gpt_neox.embed_in";
  form.attentionNorm.huggingFace = "gpt_neox.layers.#.input_layernorm";
  form.feedForwardNorm.huggingFace = "gpt_neox.layers.#.post_attention_layernorm";
  form.up.huggingFace = "gpt_neox.layers.#.mlp.dense_h_to_4h";
  form.down.huggingFace = "gpt_neox.layers.#.mlp.dense_4h_to_h";
  form.outputNorm.huggingFace = "gpt_neox.final_layer_norm";
  form.head.huggingFace = "embed_out";
  form.epsilon = {"attention.layer_norm_epsilon", "layer_norm_eps"};
  form.defaultEpsilon = 1e-5;
  form.window = {};
  form.kvHeads.huggingFace = {};
  form.activation = Activation::geluErf;
  form.norm = NormKind::layer;
  form.normBias = Reader::Bias::required;
  form.gated = false;
  form.attention = reader.isGguf();
  form.rope.base.huggingFace = "rotary_emb_base";
  form.rope.partialKey = "rotary_pct";
  form.rope.defaultPartial = 0.25;
  MINERVA_ASSIGN(const auto parallel, reader.boolean({"use_parallel_residual", "use_parallel_residual"}));
  config.parallelBlocks = parallel.value_or(true);
  MINERVA_TRY(fillDecoder(reader, form, config));
  for (std::size_t i = 0; !reader.isGguf() && i < config.layers.size(); ++i)
    MINERVA_TRY(readNeoxAttention(reader, config, static_cast<int>(i)));
  return {};
}

constexpr std::string_view gptNeoxGgufNames[] = {"gptneox"};
constexpr std::string_view gptNeoxHuggingFaceNames[] = {"gpt_neox"};

}  // namespace

const Family gptNeoxFamily{"gpt-neox", gptNeoxGgufNames, gptNeoxHuggingFaceNames, fillGptNeox};

}  // namespace minerva::model
