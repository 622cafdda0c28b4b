// Apertus: Llama's decoder with norms of queries and keys and a feed-forward without a gate, whose activation is learned (xIELU).
#include "core/model/families/decoder.h"
#include "core/model/families/family.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace minerva::model {

namespace {

// What the file stores of a layer's activation.
struct StoredXielu {
  double positive, negative, beta, epsilon;
};

// One number of each layer.
Result<std::vector<double>> numbersOfLayers(const Reader& reader, const std::string& key, std::size_t layers) {
  const auto wrong = [&](std::string actual) {
    return fail({.kind = ErrorKind::corrupt,
                 .what = "The activation's parameters are not valid",
                 .where = reader.file().path().string() + ", " + key,
                 .expected = std::to_string(layers) + " numbers",
                 .actual = std::move(actual)});
  };
  const auto& entries = reader.file().metadata().entries();
  const auto entry = entries.find(key);
  if (entry == entries.end()) return wrong("nothing");
  if (!std::holds_alternative<format::MetadataArray>(entry->second.value)) {
    MINERVA_ASSIGN(const auto one, reader.file().metadata().number(key));
    return std::vector<double>(layers, one.value_or(0));
  }
  MINERVA_ASSIGN(const auto list, reader.file().metadata().numbers(key));
  if (!list || list->size() != layers) return wrong(list ? std::to_string(list->size()) + " numbers" : "nothing");
  return *list;
}

Result<std::vector<StoredXielu>> readFromGguf(const Reader& reader, std::size_t layers) {
  std::vector<StoredXielu> all(layers);
  constexpr std::pair<const char*, double StoredXielu::*> keys[] = {{"xielu.alpha_p", &StoredXielu::positive},
                                                                    {"xielu.alpha_n", &StoredXielu::negative},
                                                                    {"xielu.beta", &StoredXielu::beta},
                                                                    {"xielu.eps", &StoredXielu::epsilon}};
  for (const auto& [key, member] : keys) {
    MINERVA_ASSIGN(const std::vector<double> values, numbersOfLayers(reader, key, layers));
    for (std::size_t i = 0; i < layers; ++i) all[i].*member = values[i];
  }
  return all;
}

// beta and epsilon are not learned; files that lack them mean the usual ones.
Result<StoredXielu> readFromTensors(Reader& reader, int layer) {
  const auto read = [&](std::string_view name, std::optional<double> usual) -> Result<double> {
    const std::string full = reader.nameOf({"", name}, layer, "");
    if (!reader.hasNamed(full) && usual) return *usual;
    MINERVA_ASSIGN(const TensorView view, reader.tensor(full, vectorShape(1)));
    float value = 0;
    dequantizeRows(view, 0, 1, &value);
    return static_cast<double>(value);
  };
  StoredXielu out{};
  MINERVA_ASSIGN(out.positive, read("model.layers.#.mlp.act_fn.alpha_p", {}));
  MINERVA_ASSIGN(out.negative, read("model.layers.#.mlp.act_fn.alpha_n", {}));
  MINERVA_ASSIGN(out.beta, read("model.layers.#.mlp.act_fn.beta", 0.5));
  MINERVA_ASSIGN(out.epsilon, read("model.layers.#.mlp.act_fn.eps", -1e-6));
  return out;
}

// softplus keeps the learned factors positive.
Result<Xielu> xieluOf(const Reader& reader, int layer, const StoredXielu& stored) {
  const auto softplus = [](double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); };
  const Xielu out{static_cast<float>(softplus(stored.positive)), static_cast<float>(stored.beta + softplus(stored.negative)),
                  static_cast<float>(stored.beta), static_cast<float>(stored.epsilon)};
  if (std::isfinite(out.positive) && std::isfinite(out.negative) && std::isfinite(out.beta) && out.epsilon <= 0 && out.epsilon > -1)
    return out;
  return fail({.kind = ErrorKind::corrupt,
               .what = "The activation's parameters are not valid",
               .where = reader.file().path().string() + ", layer " + std::to_string(layer),
               .expected = "finite factors and an epsilon from -1 to 0",
               .actual = std::to_string(out.positive) + ", " + std::to_string(out.negative) + ", " + std::to_string(out.beta) + ", " +
                         std::to_string(out.epsilon)});
}

Result<void> fillApertus(Reader& reader, ModelConfig& config) {
  constexpr Key activation{"", "hidden_act"};
  DecoderForm form;
  form.attentionNorm.huggingFace = "model.layers.#.attention_layernorm";
  form.feedForwardNorm.huggingFace = "model.layers.#.feedforward_layernorm";
  form.headNorms = HeadNorms::shared;
  form.window = {};
  form.activationKey = "";
  form.gated = false;
  form.defaultEpsilon = 1e-5;
  form.rope.defaultBase = 12e6;
  form.defaultContext = 65536;
  MINERVA_ASSIGN(const auto name, reader.string(activation));
  if (name.value_or("xielu") != "xielu") {
    Error error = reader.invalid(activation, "This activation is not supported in Apertus", "xielu", *name);
    error.kind = ErrorKind::unsupported;
    return fail(std::move(error));
  }
  MINERVA_TRY(refuseIfSet(reader, "post_norm", "A norm of each block's result in Apertus"));
  MINERVA_TRY(fillDecoder(reader, form, config));
  std::vector<StoredXielu> stored(config.layers.size());
  if (reader.isGguf()) {
    MINERVA_ASSIGN(stored, readFromGguf(reader, stored.size()));
  }
  for (std::size_t i = 0; i < stored.size(); ++i) {
    if (!reader.isGguf()) {
      MINERVA_ASSIGN(stored[i], readFromTensors(reader, static_cast<int>(i)));
    }
    MINERVA_ASSIGN(config.layers[i].xielu, xieluOf(reader, static_cast<int>(i), stored[i]));
  }
  return {};
}

constexpr std::string_view apertusNames[] = {"apertus"};

}  // namespace

const Family apertusFamily{"apertus", apertusNames, apertusNames, fillApertus};

}  // namespace minerva::model
