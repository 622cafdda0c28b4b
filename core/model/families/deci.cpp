// DeciLM 7B and NVIDIA's models of its kind (Llama-Nemotron 51B, Super and Ultra): Llama's decoder whose layers differ in their key heads
// and in the size of their feed-forward, and may lack either block. In place of attention a layer may have a matrix.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"

#include <algorithm>

namespace minerva::model {

namespace {

constexpr Key headsKey{"attention.head_count", "num_attention_heads"};
constexpr Key blocksKey{"", "block_configs"};

Error unlike(const Reader& reader, Key key, const char* what, std::string expected, const nlohmann::json& actual) {
  Error error =
      reader.invalid(key, what, std::move(expected), actual.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace).substr(0, 80));
  error.kind = ErrorKind::unsupported;
  return error;
}

bool isSet(const nlohmann::json& block, const char* key) {
  const auto value = block.find(key);
  return value != block.end() && !value->is_null() && *value != false;
}

Result<void> readAttentionBlock(const Reader& reader, const nlohmann::json& block, int heads, LayerParts& parts) {
  parts.attention = false;
  parts.mixer = isSet(block, "replace_with_linear");
  for (const char* key : {"window_length", "num_sink_tokens", "sparsify"}) {
    if (isSet(block, key)) return fail(unlike(reader, blocksKey, "This attention of a layer is not supported", "all positions", block));
  }
  if (parts.mixer || isSet(block, "no_op") || !isSet(block, "n_heads_in_group")) return {};
  const nlohmann::json& group = block["n_heads_in_group"];
  if (!group.is_number_integer() || group < 1 || group > heads || heads % group.get<int>() != 0) {
    return fail(reader.invalid(blocksKey, "The heads of a layer are not valid", "a divisor of " + std::to_string(heads),
                               group.dump().substr(0, 80)));
  }
  parts.attention = true;
  parts.kvHeads = heads / group.get<int>();
  return {};
}

// The size is stated as a multiple of the hidden size, of which two thirds are meant, rounded up to whole 256.
Result<void> readFeedForwardBlock(const Reader& reader, const nlohmann::json& block, int hidden, LayerParts& parts) {
  parts.feedForward = false;
  if (isSet(block, "replace_with_linear") || isSet(block, "sparsify"))
    return fail(unlike(reader, blocksKey, "This feed-forward of a layer is not supported", "a gated one, or none", block));
  if (isSet(block, "no_op") || !isSet(block, "ffn_mult")) return {};
  const nlohmann::json& times = block["ffn_mult"];
  const double size = times.is_number() ? 2 * times.get<double>() * hidden / 3 : -1;
  if (!(size >= 1 && size <= Limits::feedForward)) {
    return fail(reader.invalid(blocksKey, "The feed-forward size of a layer is not valid", "1 to " + std::to_string(Limits::feedForward),
                               times.dump().substr(0, 80)));
  }
  parts.feedForward = true;
  parts.feedForwardSize = (static_cast<int>(size) + 255) / 256 * 256;
  return {};
}

Result<std::vector<LayerParts>> partsOfBlocks(const Reader& reader, const nlohmann::json& blocks, int layers) {
  MINERVA_ASSIGN(const int heads, reader.count(headsKey, Limits::heads));
  MINERVA_ASSIGN(const int hidden, reader.count({"", "hidden_size"}, Limits::hidden));
  const auto partOf = [](const nlohmann::json& block, const char* key) {
    return block.is_object() ? block.value(key, nlohmann::json()) : nlohmann::json();
  };
  std::vector<LayerParts> out(static_cast<std::size_t>(layers));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const nlohmann::json block = blocks.is_array() && blocks.size() == out.size() ? blocks[i] : nlohmann::json();
    const nlohmann::json attention = partOf(block, "attention"), feedForward = partOf(block, "ffn");
    if (!attention.is_object() || !feedForward.is_object()) {
      return fail(reader.invalid(blocksKey, "The list of layers is not valid", std::to_string(layers) + " entries with attention and ffn",
                                 std::to_string(blocks.size()) + " entries"));
    }
    MINERVA_TRY(readAttentionBlock(reader, attention, heads, out[i]));
    MINERVA_TRY(readFeedForwardBlock(reader, feedForward, hidden, out[i]));
  }
  return out;
}

// GGUF lists heads, key heads and feed-forward sizes; heads without key heads stand for a matrix. DeciLM 7B lists key heads only.
Result<std::vector<LayerParts>> partsOfLists(const Reader& reader, int layers, DecoderForm& form) {
  constexpr Key keyHeads{"attention.head_count_kv", "num_key_value_heads_per_layer"};
  MINERVA_ASSIGN(const std::vector<int> heads, reader.counts(headsKey, layers, Limits::heads));
  MINERVA_ASSIGN(const int usual, reader.count({"", "num_key_value_heads"}, Limits::heads, std::max(1, heads.front())));
  MINERVA_ASSIGN(const std::vector<int> kvHeads, reader.counts(keyHeads, layers, Limits::heads, usual));
  MINERVA_ASSIGN(const std::vector<int> sizes, reader.counts(form.feedForward, layers, Limits::feedForward));
  std::vector<LayerParts> out;
  const int most = *std::ranges::max_element(heads);
  for (std::size_t i = 0; i < heads.size(); ++i) {
    if ((heads[i] != 0 && heads[i] != most) || kvHeads[i] > heads[i] || (kvHeads[i] > 0 && most % kvHeads[i] != 0)) {
      return fail(reader.invalid(headsKey, "The heads of a layer are not valid", std::to_string(most) + " and a divisor of them",
                                 std::to_string(heads[i]) + " and " + std::to_string(kvHeads[i])));
    }
    out.push_back({.attention = kvHeads[i] > 0,
                   .mixer = heads[i] > 0 && kvHeads[i] == 0,
                   .feedForward = sizes[i] > 0,
                   .kvHeads = kvHeads[i],
                   .feedForwardSize = sizes[i]});
  }
  form.heads = {};
  form.defaultHeads = most;
  return out;
}

Result<void> fillDeci(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.window = {};
  form.rope.ggufLayout = RopeLayout::interleaved;
  MINERVA_ASSIGN(const int layers, decoderLayers(reader, form));
  if (const nlohmann::json* blocks = reader.json(blocksKey)) {
    MINERVA_ASSIGN(form.parts, partsOfBlocks(reader, *blocks, layers));
  } else {
    MINERVA_ASSIGN(form.parts, partsOfLists(reader, layers, form));
  }
  form.kvHeads = form.feedForward = {};
  for (const LayerParts& parts : form.parts) form.defaultFeedForward = std::max(form.defaultFeedForward, parts.feedForwardSize);
  MINERVA_TRY(fillDecoder(reader, form, config));
  constexpr TensorName matrix{"blk.#.attn_output", "model.layers.#.self_attn.linear_attn"};
  for (std::size_t i = 0; i < form.parts.size(); ++i) {
    if (!form.parts[i].mixer) continue;
    MINERVA_ASSIGN(config.layers[i].o,
                   reader.linear(matrix, static_cast<int>(i), config.hiddenSize, config.hiddenSize, Reader::Bias::optional));
  }
  return {};
}

constexpr std::string_view deciGgufNames[] = {"deci"};
constexpr std::string_view deciHuggingFaceNames[] = {"nemotron-nas", "deci"};

}  // namespace

const Family deciFamily{"deci", deciGgufNames, deciHuggingFaceNames, fillDeci};

}  // namespace minerva::model
