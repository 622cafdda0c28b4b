// Nanbeige 4.2: Llama's layers, all of which run several times in turn, each time with keys and values of their own. Between two passes the
// residual stream goes through the output norm.
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"

namespace minerva::model {

namespace {

// Parts that the published models do not use.
Result<void> refusePartsOfNanbeige(const Reader& reader) {
  constexpr const char* keys[] = {"qk_layernorm",  "emb_neighbor_num",         "insert_ngram_layer_idx", "ngram_insert_all_layers",
                                  "loop_share_kv", "enable_double_loop_split", "loop_middle_layers",     "enable_hyper_connection",
                                  "enable_mhc",    "enable_h_res_identity",    "enable_depth_attention"};
  for (const char* key : keys) MINERVA_TRY(refuseIfSet(reader, key, "This part of Nanbeige"));
  return {};
}

Result<void> fillNanbeige(Reader& reader, ModelConfig& config) {
  DecoderForm form;
  form.window = {};
  form.rope.ggufLayout = RopeLayout::interleaved;
  MINERVA_TRY(refusePartsOfNanbeige(reader));
  MINERVA_TRY(fillDecoder(reader, form, config));
  const auto layers = config.layers.size();
  constexpr Key passesKey{"num_loops", "num_loops"};
  MINERVA_ASSIGN(const int passes, reader.count(passesKey, Limits::layers / static_cast<int>(layers), 1));
  MINERVA_ASSIGN(const auto plain, reader.boolean({"skip_loop_final_norm", "skip_loop_final_norm"}));
  for (int pass = 1; pass < passes; ++pass) {
    for (std::size_t i = 0; i < layers; ++i) {
      LayerConfig again = config.layers[i];
      again.feedForwardSumNorm = {};
      config.layers.push_back(std::move(again));
    }
    if (!plain.value_or(false)) config.layers[config.layers.size() - layers - 1].feedForwardSumNorm = config.outputNorm;
  }
  return {};
}

constexpr std::string_view nanbeigeNames[] = {"nanbeige"};

}  // namespace

const Family nanbeigeFamily{"nanbeige", nanbeigeNames, nanbeigeNames, fillNanbeige};

}  // namespace minerva::model
