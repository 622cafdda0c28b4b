// SmolLM 3: Llama's decoder without rope in every fourth layer.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"

namespace minerva::model {

namespace {

Result<void> fillSmollm3(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.window = {};
  form.rope.ggufLayout = RopeLayout::interleaved;
  form.rope.defaultBase = 2e6;
  MINERVA_TRY(refuseIfSet(reader, "use_sliding_window", "A sliding window in SmolLM 3"));
  MINERVA_TRY(fillDecoder(reader, form, config));
  MINERVA_ASSIGN(const int interval, reader.count({"", "no_rope_layer_interval"}, Limits::layers, 4));
  const nlohmann::json* rotated = reader.json({"", "no_rope_layers"});  // 1 means the layer uses rope, despite the key's name
  for (std::size_t i = 0; i < config.layers.size(); ++i) {
    bool rotates = (i + 1) % static_cast<std::size_t>(interval) != 0;
    if (rotated && rotated->is_array() && i < rotated->size() && (*rotated)[i].is_number_integer()) rotates = (*rotated)[i] != 0;
    if (!rotates) config.layers[i].rope = -1;
  }
  return {};
}

constexpr std::string_view smollm3Names[] = {"smollm3"};

}  // namespace

const Family smollm3Family{"smollm3", smollm3Names, smollm3Names, fillSmollm3};

}  // namespace minerva::model
