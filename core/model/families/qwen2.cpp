// Qwen 1.5, 2 and 2.5: Llama's decoder with biases on q, k and v. If enabled, the sliding window applies to the upper
// layers. Of those that see images (VL), the text model: all three positions of M-RoPE are the same for a text. MiMo 7B is one, with a
// layer that predicts further tokens; openPangu Embedded has one more bias.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"
#include "core/model/families/qwen.h"

namespace minerva::model {

namespace {

Result<void> fillQwen2(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.window = {};
  MINERVA_TRY(fillDecoder(reader, form, config));
  return readQwenWindows(reader, config);
}

constexpr std::string_view qwen2GgufNames[] = {"qwen2", "qwen2vl", "pangu-embedded"};
constexpr std::string_view qwen2HuggingFaceNames[] = {"qwen2", "qwen2_vl", "qwen2_5_vl", "mimo", "PanguEmbedded", "openpangu_dense"};

}  // namespace

Result<void> readQwenWindows(const Reader& reader, ModelConfig& config) {
  MINERVA_ASSIGN(const auto used, reader.boolean({"", "use_sliding_window"}));
  MINERVA_ASSIGN(const auto window, reader.integer({"", "sliding_window"}));
  if (!used.value_or(false) || window.value_or(0) == 0) return {};
  MINERVA_ASSIGN(const int size, reader.count({"", "sliding_window"}, Limits::context));
  const int layers = static_cast<int>(config.layers.size());
  MINERVA_ASSIGN(const auto first, reader.integer({"", "max_window_layers"}));  // 0: every layer
  MINERVA_ASSIGN(std::vector<bool> sliding, slidingLayers(reader, layers, 0));
  for (int i = 0; i < layers; ++i) {
    const auto index = static_cast<std::size_t>(i);
    const bool slides = reader.json({"", "layer_types"}) ? static_cast<bool>(sliding[index]) : i >= first.value_or(layers);
    config.layers[index].visible.window = slides ? size : 0;
  }
  return {};
}

const Family qwen2Family{"qwen2", qwen2GgufNames, qwen2HuggingFaceNames, fillQwen2};

}  // namespace minerva::model
