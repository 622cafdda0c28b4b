// What the small Gemmas of 2025 and 2026 have in common: every layer has an input vector of its own for each token, and the last layers use
// the keys and values of earlier ones.
#include "core/model/families/gemma.h"

#include <algorithm>
#include <cmath>

namespace minerva::model {

// In Transformers a token beyond the rows of Gemma 4's table is an error; here the file is.
Result<void> readPerLayerEmbedding(Reader& reader, bool partly, int usual, ModelConfig& config) {
  constexpr TensorName table{"per_layer_token_embd", "model.embed_tokens_per_layer"};
  constexpr Key size{"embedding_length_per_layer_input", "hidden_size_per_layer_input"};
  PerLayerEmbedding& out = config.perLayerEmbedding;
  if (reader.isGguf()) usual = 0;
  MINERVA_ASSIGN(const auto stated, reader.integer(size));
  if (stated.value_or(usual) == 0) return {};
  MINERVA_ASSIGN(out.size, reader.count(size, Limits::hidden, usual));
  const std::int64_t columns = static_cast<std::int64_t>(config.layers.size()) * out.size;
  const std::string name = reader.nameOf(table, 0, ".weight");
  const TensorView* stored = reader.file().find(name);
  const std::int64_t rows = stored ? stored->shape.rows() : config.vocabularySize;
  if (rows < (partly ? 1 : config.vocabularySize)) {
    Error error =
        reader.invalid(size, "Some tokens have no row in " + name, std::to_string(config.vocabularySize) + " rows", std::to_string(rows));
    error.kind = ErrorKind::unsupported;
    return fail(std::move(error));
  }
  MINERVA_ASSIGN(const TensorView all, reader.tensor(name, matrixShape(rows, columns)));
  out.table = sliceRows(all, 0, std::min<std::int64_t>(rows, config.vocabularySize));
  MINERVA_ASSIGN(out.projection, reader.linear({"per_layer_model_proj", "model.per_layer_model_projection"}, 0, columns, config.hiddenSize,
                                               Reader::Bias::none));
  MINERVA_ASSIGN(out.norm, reader.norm({"per_layer_proj_norm", "model.per_layer_projection_norm"}, 0, out.size));
  return {};
}

Result<PerLayerInput> readPerLayerInput(Reader& reader, int layer, const ModelConfig& config) {
  const int size = config.perLayerEmbedding.size, hidden = config.hiddenSize;
  PerLayerInput input;
  MINERVA_ASSIGN(input.gate,
                 reader.linear({"blk.#.inp_gate", "model.layers.#.per_layer_input_gate"}, layer, size, hidden, Reader::Bias::none));
  MINERVA_ASSIGN(input.projection,
                 reader.linear({"blk.#.proj", "model.layers.#.per_layer_projection"}, layer, hidden, size, Reader::Bias::none));
  MINERVA_ASSIGN(input.norm, reader.norm({"blk.#.post_norm", "model.layers.#.post_per_layer_input_norm"}, layer, hidden));
  return input;
}

// Some GGUF files state the number of layers as a float.
Result<std::vector<int>> readSharedKeys(const Reader& reader, const std::vector<bool>& sliding) {
  constexpr Key key{"attention.shared_kv_layers", "num_kv_shared_layers"};
  const auto layers = static_cast<int>(sliding.size());
  MINERVA_ASSIGN(const auto stated, reader.number(key));
  const double sharing = stated.value_or(0);
  if (!(sharing >= 0) || sharing >= layers || sharing != std::floor(sharing)) {
    return fail(reader.invalid(key, "The number of layers without keys and values is not valid", "less than " + std::to_string(layers),
                               std::to_string(sharing)));
  }
  const int first = layers - static_cast<int>(sharing);
  std::vector<int> from(sliding.size(), -1);
  for (int i = first; i < layers; ++i) {
    int& source = from[static_cast<std::size_t>(i)];
    source = first - 1;
    while (source >= 0 && sliding[static_cast<std::size_t>(source)] != sliding[static_cast<std::size_t>(i)]) --source;
    if (source >= 0) continue;
    return fail(reader.invalid(key, "Layer " + std::to_string(i) + " uses keys and values that no layer of its kind stores",
                               "an earlier layer of its kind", "none"));
  }
  return from;
}

}  // namespace minerva::model
