// EXAONE 4: norms after each block instead of before it; q and k are normalised per head. In models with a sliding window, the
// layers without it are not rotated. EXAONE 4.5 is a model for images around it.
#include "core/model/families/exaone.h"
#include "core/model/families/family.h"

namespace minerva::model {

namespace {

// A number, or a string such as "LLLG" with one letter per layer.
Result<int> readExaonePattern(const Reader& reader) {
  const Key key{"", "sliding_window_pattern"};
  const nlohmann::json* pattern = reader.json(key);
  if (!pattern || !pattern->is_string()) return reader.count(key, Limits::layers, 4);
  const auto letters = pattern->get<std::string>();
  const bool valid =
      letters.size() > 1 && letters.size() <= 64 && letters.find_first_not_of('L') == letters.size() - 1 && letters.back() == 'G';
  if (valid) return static_cast<int>(letters.size());
  return fail(reader.invalid(key, "The order of the layers is not supported", "a number, or L's followed by one G", letters.substr(0, 80)));
}

Result<void> fillExaone4(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.attentionNorm = {};
  form.postAttentionNorm = {"blk.#.post_attention_norm", "model.layers.#.post_attention_layernorm"};
  form.feedForwardNorm = {};
  form.postFeedForwardNorm = {"blk.#.post_ffw_norm", "model.layers.#.post_feedforward_layernorm"};
  form.headNorms = HeadNorms::shared;
  form.window = {};
  form.defaultEpsilon = 1e-5;
  MINERVA_TRY(fillDecoder(reader, form, config));
  return readExaoneWindows(reader, config);
}

constexpr std::string_view exaone4GgufNames[] = {"exaone4"};
constexpr std::string_view exaone4HuggingFaceNames[] = {"exaone4", "exaone4_5_text"};  // the text model of the first folders of 4.5

}  // namespace

Result<void> readExaoneWindows(const Reader& reader, ModelConfig& config) {
  constexpr Key windowKey{"attention.sliding_window", "sliding_window"};
  MINERVA_ASSIGN(const auto stated, reader.integer(windowKey));
  if (stated.value_or(0) == 0) return {};
  MINERVA_ASSIGN(const int window, reader.count(windowKey, Limits::context));
  MINERVA_ASSIGN(const int pattern, readExaonePattern(reader));
  MINERVA_ASSIGN(const std::vector<bool> sliding, slidingLayers(reader, static_cast<int>(config.layers.size()), pattern));
  for (std::size_t i = 0; i < sliding.size(); ++i) {
    if (sliding[i]) config.layers[i].visible.window = window;
    else config.layers[i].rope = -1;
  }
  return {};
}

const Family exaone4Family{"exaone4", exaone4GgufNames, exaone4HuggingFaceNames, fillExaone4};

}  // namespace minerva::model
