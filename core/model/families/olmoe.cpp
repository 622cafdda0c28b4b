// OLMoE: expert weights are a softmax over all experts; q and k are normalised over all heads together.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"

namespace minerva::model {

namespace {

Result<void> fillOlmoe(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.headNorms = HeadNorms::wholeWidth;
  form.window = {};
  form.defaultEpsilon = 1e-5;
  ExpertForm experts;
  experts.feedForward = {"feed_forward_length", "intermediate_size"};
  experts.fusedGateUp = "model.layers.#.mlp.experts.gate_up_proj";
  experts.fusedDown = "model.layers.#.mlp.experts.down_proj";
  MINERVA_ASSIGN(const auto normalised, reader.boolean({"", "norm_topk_prob"}));
  experts.normalised = normalised.value_or(false);
  form.experts = &experts;
  MINERVA_TRY(refuseIfSet(reader, "clip_qkv", "Clipping of queries, keys and values"));
  return fillDecoder(reader, form, config);
}

constexpr std::string_view olmoeNames[] = {"olmoe"};

}  // namespace

const Family olmoeFamily{"olmoe", olmoeNames, olmoeNames, fillOlmoe};

}  // namespace minerva::model
