#include "core/model/families/text_embedding.h"

#include "core/base/utf8.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace minerva::model {

namespace {

using Json = nlohmann::json;

constexpr Key causalKey{"attention.causal", "is_causal"};

Error cannot(const Reader& reader, const std::string& where, std::string what, std::string expected, std::string actual) {
  return {.kind = ErrorKind::unsupported,
          .what = std::move(what),
          .where = reader.file().path().string() + ", " + where,
          .expected = std::move(expected),
          .actual = utf8::printable(actual.substr(0, 80)),
          .hint = "Choose another embedding model."};
}

// llama.cpp's numbers.
Result<void> readGgufPooling(const Reader& reader, TextEmbedding& embedding) {
  constexpr std::array kinds{Pooling::none, Pooling::mean, Pooling::first, Pooling::last};
  constexpr Key key{"pooling_type", ""};
  MINERVA_ASSIGN(const auto kind, reader.integer(key));
  if (!kind) return {};
  if (*kind < 0 || *kind >= static_cast<std::int64_t>(kinds.size())) {
    return fail(cannot(reader, reader.nameOf(key), "This pooling is not known", "0 to 3", std::to_string(*kind)));
  }
  embedding.pooling = kinds[static_cast<std::size_t>(*kind)];
  return {};
}

// Older files have a truth value for each kind, newer ones a name.
Result<Pooling> poolingOf(const Reader& reader, const format::SentenceModule& module) {
  constexpr std::pair<const char*, Pooling> kinds[] = {
      {"mean", Pooling::mean},       {"mean_tokens", Pooling::mean}, {"cls", Pooling::first},
      {"cls_token", Pooling::first}, {"lasttoken", Pooling::last},
  };
  const std::string where = module.folder + "/config.json";
  std::vector<std::string> names;
  const Json config = module.config.is_object() ? module.config : Json::object();
  for (const auto& [key, value] : config.items()) {
    constexpr std::string_view before = "pooling_mode_";
    if (key == "pooling_mode" && value.is_string()) names.push_back(value.get<std::string>());
    else if (key.starts_with(before) && value == true) names.push_back(key.substr(before.size()));
  }
  if (config.value("include_prompt", Json()) == false) {
    return fail(cannot(reader, where, "Pooling without the prompt's tokens is not supported", "include_prompt: true", "false"));
  }
  const auto kind =
      names.size() == 1 ? std::ranges::find_if(kinds, [&](const auto& one) { return names.front() == one.first; }) : std::end(kinds);
  if (kind != std::end(kinds)) return kind->second;
  std::string all;
  for (const std::string& one : names) all += (all.empty() ? "" : " and ") + one;
  return fail(cannot(reader, where, "This pooling is not supported", "one of mean, cls and lasttoken", all.empty() ? "none" : all));
}

Result<void> readModules(const Reader& reader, TextEmbedding& embedding) {
  bool normalised = false;
  for (const format::SentenceModule& module : reader.file().huggingFace().modules) {
    if (module.kind == "Pooling" && embedding.pooling == Pooling::none && !normalised) {
      MINERVA_ASSIGN(embedding.pooling, poolingOf(reader, module));
    } else if (module.kind == "Normalize" && embedding.pooling != Pooling::none) {
      normalised = true;
    } else if (module.kind != "Dropout" && (module.kind != "Dense" || embedding.pooling == Pooling::none || normalised)) {
      return fail(cannot(reader, "modules.json", "This part of an embedding model is not supported at its place",
                         "Pooling, then Dense, then Normalize", module.kind));
    }
  }
  if (embedding.pooling != Pooling::none) embedding.normalised = normalised;
  return {};
}

void readPrompts(const Reader& reader, TextEmbedding& embedding) {
  const Json& stated = reader.file().huggingFace().sentenceConfig;
  const Json prompts = stated.is_object() ? stated.value("prompts", Json()) : Json();
  if (!prompts.is_object()) return;
  for (const auto& [name, text] : prompts.items()) {
    if (text.is_string()) embedding.prompts[name] = text.get<std::string>();
  }
  const Json usual = stated.value("default_prompt_name", Json());
  if (usual.is_string() && embedding.prompts.contains(usual.get<std::string>())) embedding.usualPrompt = usual.get<std::string>();
}

Result<Linear> readDense(Reader& reader, const std::string& name, std::int64_t inputs) {
  const TensorView* stored = reader.file().find(name + ".weight");
  const std::int64_t outputs = stored ? stored->shape.rows() : 1;
  if (outputs < 1 || outputs > Limits::hidden) {
    return fail(cannot(reader, name, "A dense layer is too large", "up to " + std::to_string(Limits::hidden), std::to_string(outputs)));
  }
  Linear dense;
  MINERVA_ASSIGN(dense.weight, reader.tensor(name + ".weight", matrixShape(outputs, inputs)));
  if (reader.hasNamed(name + ".bias")) {
    MINERVA_ASSIGN(dense.bias, reader.tensor(name + ".bias", vectorShape(outputs)));
  }
  return dense;
}

// Names of the dense layers' tensors, in order.
Result<std::vector<std::string>> denseNames(const Reader& reader) {
  std::vector<std::string> names;
  if (reader.isGguf()) {
    for (const char* name : {"dense_2", "dense_3"}) {
      if (reader.hasNamed(std::string(name) + ".weight")) names.emplace_back(name);
    }
    return names;
  }
  for (const format::SentenceModule& module : reader.file().huggingFace().modules) {
    if (module.kind != "Dense") continue;
    const Json activation = module.config.is_object() ? module.config.value("activation_function", Json()) : Json();
    const std::string text = activation.is_string() ? activation.get<std::string>() : "";
    if (!text.ends_with("Identity")) {
      return fail(cannot(reader, module.folder + "/config.json", "A dense layer's activation is not supported", "Identity",
                         text.empty() ? "none stated, which means Tanh" : text));
    }
    names.push_back(module.folder + "/linear");
  }
  return names;
}

}  // namespace

Result<void> readTextEmbedding(const Reader& reader, TextEmbedding& embedding) {
  MINERVA_ASSIGN(const bool ranks, isReranker(reader));
  if (ranks) {
    embedding.normalised = false;
    MINERVA_ASSIGN(embedding.pooling, rankingPooling(reader));
    return {};
  }
  if (reader.isGguf()) return readGgufPooling(reader, embedding);
  MINERVA_TRY(readModules(reader, embedding));
  readPrompts(reader, embedding);
  const Json& limits = reader.file().huggingFace().sentenceLimits;
  const Json length = limits.is_object() ? limits.value("max_seq_length", Json()) : Json();
  if (length.is_number_integer() && length >= 1 && length <= Limits::context) embedding.textLength = length.get<int>();
  return {};
}

void poolAnyway(ModelConfig& config) {
  if (config.embeds()) return;
  config.embedding.pooling = Pooling::mean;
  config.warnings.emplace_back("The file does not say how the rows of a text become one vector: their mean is used");
}

Result<void> finishTextEmbedding(Reader& reader, ModelConfig& config) {
  MINERVA_ASSIGN(const auto causal, reader.boolean(causalKey));
  for (LayerConfig& layer : config.layers) {
    if (causal.value_or(true) || layer.visible.bidirectional) continue;
    if (!config.embeds() || layer.visible.reach() > 0) {
      return fail(cannot(reader, reader.nameOf(causalKey), "Attention in both directions is not supported in this model",
                         "an embedding model without windows", config.embeds() ? "windows" : "a model that predicts tokens"));
    }
    layer.visible.bidirectional = true;
  }
  if (!config.embeds()) return {};
  MINERVA_ASSIGN(const bool ranks, isReranker(reader));
  if (ranks) return readRanking(reader, config);
  MINERVA_ASSIGN(const std::vector<std::string> names, denseNames(reader));
  std::int64_t inputs = config.hiddenSize;
  for (const std::string& name : names) {
    MINERVA_ASSIGN(Linear dense, readDense(reader, name, inputs));
    inputs = dense.weight.shape.rows();
    config.embedding.dense.push_back(std::move(dense));
  }
  return {};
}

}  // namespace minerva::model
