// A model family: the architecture names it handles and the function that fills a ModelConfig. One row each in table.cpp.
#pragma once

#include "core/model/families/reader.h"

#include <span>

namespace minerva::model {

struct Family {
  std::string_view name;
  std::span<const std::string_view> gguf;         // general.architecture
  std::span<const std::string_view> huggingFace;  // config.json's model_type
  // Fills everything except family, displayName and parameters.
  Result<void> (*fill)(Reader& reader, ModelConfig& config);
  bool readsSingleLayers = false;  // config.json's per_layer_config: what differs in single layers
};

extern const Family llamaFamily, mistralFamily, mixtralFamily, qwen2Family, qwen2MoeFamily, qwen3Family, qwen3MoeFamily, phiFamily,
    phi3Family, gemmaFamily, gemma2Family, gemma3Family, gptOssFamily, graniteFamily, graniteMoeFamily, olmo2Family, olmoeFamily,
    smollm3Family, stablelmFamily, starcoder2Family, deepseekFamily, deepseek2Family, cohereFamily, cohere2Family, glm4Family, gpt2Family,
    gptNeoxFamily, deepseek3Family, mistral4Family, glm4MoeFamily, dots1Family, minimaxM2Family, ernieFamily, ernieMoeFamily, bailingFamily,
    llama4Family, exaone4Family, seedOssFamily, hunyuanFamily, hunyuanMoeFamily, phimoeFamily, gemma4Family, qwen3NextFamily, qwen35Family,
    qwen35MoeFamily, graniteHybridFamily, nemotronHFamily, falconH1Family, lfm2Family, lfm2MoeFamily, mamba2Family, bertFamily,
    robertaFamily, nomicBertFamily, modernBertFamily, gemma3nFamily, apertusFamily, jambaFamily, mamba1Family, kimiLinearFamily,
    museGlimmerFamily, lagunaFamily, afmoeFamily, exaoneFamily, exaoneMoeFamily, arceeFamily, mimo2Family, step35Family, hyV3Family,
    graniteSwaFamily, cohere2MoeFamily, mellumFamily, smallThinkerFamily, jinaBertV3Family, euroBertFamily, neoBertFamily, gteFamily,
    bloomFamily, mptFamily, nemotronFamily, deciFamily, internlm2Family, miniCpmFamily, miniCpm3Family, olmoFamily, falconFamily,
    orionFamily, baichuanFamily, qwenFamily, chatGlmFamily, starcoderFamily, codeshellFamily, gptjFamily, maincoderFamily, plmFamily,
    nanbeigeFamily;

}  // namespace minerva::model
