// GPT-NeoX and Pythia: layer norms, biases, blocks side by side with a norm each. Its SafeTensors files hold q, k and v of each
// head together; GGUF has all q, all k, all v.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"

#include <cstring>

namespace minerva::model {

namespace {

// Rows [heads, 3, size] to [3, heads, size].
TensorView grouped(Reader& reader, ModelConfig& config, const TensorView& view, int heads, int size) {
  const std::size_t rowBytes = view.shape.rank == 1 ? traits(view.type).blockBytes : view.rowBytes();
  const std::size_t run = rowBytes * static_cast<std::size_t>(size);
  return reader.rearranged(config, view.type, view.shape, [view, heads, run](std::byte* out) {
    for (std::size_t part = 0; part < 3; ++part) {
      for (std::size_t h = 0; h < static_cast<std::size_t>(heads); ++h, out += run) {
        std::memcpy(out, view.bytes.data() + (h * 3 + part) * run, run);
      }
    }
  });
}

Result<void> readNeoxAttention(Reader& reader, ModelConfig& config, int index) {
  LayerConfig& layer = config.layers[static_cast<std::size_t>(index)];
  const std::int64_t hidden = config.hiddenSize;
  const std::string name = reader.nameOf({"", "gpt_neox.layers.#.attention.query_key_value"}, index, "");
  MINERVA_ASSIGN(Linear qkv,
                 reader.linear({"", "gpt_neox.layers.#.attention.query_key_value"}, index, 3 * hidden, hidden, Reader::Bias::optional));
  if (qkv.weight.apart()) {
    return fail({.kind = ErrorKind::unsupported,
                 .what = "Tensor " + name + " is quantized in a form whose rows cannot be moved",
                 .where = reader.file().path().string(),
                 .expected = "a float type",
                 .actual = std::string(traits(qkv.weight.type).name)});
  }
  qkv.weight = grouped(reader, config, qkv.weight, layer.headCount, layer.headDim);
  if (!qkv.bias.empty()) qkv.bias = grouped(reader, config, qkv.bias, layer.headCount, layer.headDim);
  layer.q = rowsOf(qkv, 0, hidden);
  layer.k = rowsOf(qkv, hidden, hidden);
  layer.v = rowsOf(qkv, 2 * hidden, hidden);
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
