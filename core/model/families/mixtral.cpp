// Mixtral: Mistral's attention with a mixture of experts. Its GGUF files are "llama" with experts (families/llama.cpp).
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"

namespace minerva::model {

namespace {

Result<void> fillMixtral(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.defaultEpsilon = 1e-5;
  form.rope.defaultBase = 1e6;
  ExpertForm experts;
  experts.count = {"", "num_local_experts"};
  experts.feedForward = {"", "intermediate_size"};
  experts.router = {"", "model.layers.#.block_sparse_moe.gate"};
  experts.stacked = "model.layers.#.block_sparse_moe.switch_mlp.";
  experts.gate = "model.layers.#.block_sparse_moe.experts.@.w1";
  experts.up = "model.layers.#.block_sparse_moe.experts.@.w3";
  experts.down = "model.layers.#.block_sparse_moe.experts.@.w2";
  form.experts = &experts;
  return fillDecoder(reader, form, config);
}

constexpr std::string_view mixtralHuggingFaceNames[] = {"mixtral"};

}  // namespace

const Family mixtralFamily{"mixtral", {}, mixtralHuggingFaceNames, fillMixtral};

}  // namespace minerva::model
