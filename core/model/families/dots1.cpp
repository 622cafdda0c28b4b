// dots.llm1: DeepSeek-V3's experts with ordinary attention; q and k are normalised per head.
#include "core/model/families/deepseek.h"
#include "core/model/families/family.h"

namespace minerva::model {

namespace {

Result<void> fillDots1(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.headNorms = HeadNorms::shared;
  form.window = {};
  MINERVA_ASSIGN(ExpertForm experts, biasedExperts(reader));
  experts.stacked = "model.layers.#.mlp.experts.";
  form.experts = &experts;
  MINERVA_TRY(fillDecoder(reader, form, config));
  // Without a window in the file, layers that its list calls sliding see everything too.
  constexpr Key windowKey{"attention.sliding_window", "sliding_window"};
  MINERVA_ASSIGN(const auto stated, reader.integer(windowKey));
  if (stated.value_or(0) == 0 || !reader.json({"", "layer_types"})) return {};
  MINERVA_ASSIGN(const int window, reader.count(windowKey, Limits::context));
  MINERVA_ASSIGN(const std::vector<bool> sliding, slidingLayers(reader, static_cast<int>(config.layers.size()), 0));
  for (std::size_t i = 0; i < sliding.size(); ++i) config.layers[i].visible.window = sliding[i] ? window : 0;
  return {};
}

constexpr std::string_view dots1Names[] = {"dots1"};

}  // namespace

const Family dots1Family{"dots1", dots1Names, dots1Names, fillDots1};

}  // namespace minerva::model
