// GPT-2: learned positions, layer norms, biases, an ungated feed-forward. Its SafeTensors files store matrices transposed.
#include "core/model/families/family.h"
#include "core/model/families/gpt_form.h"

namespace minerva::model {

namespace {

struct Names {
  std::string attentionNorm, qkv, o, feedForwardNorm, up, down, outputNorm, embedding, positions;
};

// Some copies omit the "transformer." prefix.
Names namesIn(const Reader& reader) {
  const std::string base = reader.hasNamed("wte.weight") ? "" : "transformer.";
  return {base + "h.#.ln_1",
          base + "h.#.attn.c_attn",
          base + "h.#.attn.c_proj",
          base + "h.#.ln_2",
          base + "h.#.mlp.c_fc",
          base + "h.#.mlp.c_proj",
          base + "ln_f",
          base + "wte",
          base + "wpe"};
}

Result<Linear> transposedLinear(Reader& reader, const std::string& name, int layer, std::int64_t rows, std::int64_t columns) {
  MINERVA_ASSIGN(Linear out, [&]() -> Result<Linear> {
    Linear stored;
    MINERVA_ASSIGN(stored.weight, reader.tensor({"", name}, layer, matrixShape(columns, rows)));
    MINERVA_ASSIGN(stored.bias, reader.tensor({"", name}, layer, vectorShape(rows), ".bias"));
    return stored;
  }());
  MINERVA_ASSIGN(out.weight, reader.transposed(out.weight, name));
  return out;
}

Result<void> readTransposed(Reader& reader, ModelConfig& config, const Names& names, int feedForward) {
  const std::int64_t hidden = config.hiddenSize;
  for (std::size_t i = 0; i < config.layers.size(); ++i) {
    LayerConfig& layer = config.layers[i];
    const int index = static_cast<int>(i);
    MINERVA_ASSIGN(const Linear qkv, transposedLinear(reader, names.qkv, index, 3 * hidden, hidden));
    MINERVA_ASSIGN(layer.q, rowsOf(qkv, 0, hidden));
    MINERVA_ASSIGN(layer.k, rowsOf(qkv, hidden, hidden));
    MINERVA_ASSIGN(layer.v, rowsOf(qkv, 2 * hidden, hidden));
    MINERVA_ASSIGN(layer.o, transposedLinear(reader, names.o, index, hidden, hidden));
    MINERVA_ASSIGN(layer.up, transposedLinear(reader, names.up, index, feedForward, hidden));
    MINERVA_ASSIGN(layer.down, transposedLinear(reader, names.down, index, hidden, feedForward));
  }
  return {};
}

Result<void> fillGpt2(Reader& reader, ModelConfig& config) {
  const Names names = namesIn(reader);
  DecoderForm form;
  form.embedding.huggingFace = names.embedding;
  form.attentionNorm.huggingFace = names.attentionNorm;
  form.feedForwardNorm.huggingFace = names.feedForwardNorm;
  form.outputNorm.huggingFace = names.outputNorm;
  form.layers.huggingFace = "n_layer";
  form.hidden.huggingFace = "n_embd";
  form.context.huggingFace = "n_positions";
  form.heads.huggingFace = "n_head";
  form.feedForward.huggingFace = "n_inner";
  form.activationKey = "activation_function";
  form.activation = Activation::geluTanh;
  MINERVA_TRY(fillGptForm(reader, form));
  form.rotary = false;
  form.attention = form.blocks = reader.isGguf();
  MINERVA_TRY(refuseIfSet(reader, "scale_attn_by_inverse_layer_idx", "Attention that is scaled by its layer"));
  MINERVA_TRY(fillDecoder(reader, form, config));
  if (!reader.isGguf()) MINERVA_TRY(readTransposed(reader, config, names, config.layers.front().feedForwardSize));
  MINERVA_ASSIGN(config.positionEmbedding,
                 reader.tensor({"position_embd", names.positions}, 0, matrixShape(config.contextLength, config.hiddenSize)));
  return {};
}

constexpr std::string_view gpt2Names[] = {"gpt2"};

}  // namespace

const Family gpt2Family{"gpt2", gpt2Names, gpt2Names, fillGpt2};

}  // namespace minerva::model
