// Recommendations stored with a model: sampling options, end-of-turn tokens and those that it must never write.
#include "core/format/model_file.h"
#include "core/engine/loader.h"
#include "core/engine/sampling/limits.h"

#include <algorithm>

namespace minerva::engine {
namespace {

// Ignores values out of range, since they come from an untrusted file.
template <class Number>
void setNumber(std::optional<double> value, limits::Range range, Number& option) {
  if (value && range.holds(*value)) option = static_cast<Number>(*value);
}

std::optional<double> jsonNumber(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

std::optional<double> metadataNumber(const format::Metadata& metadata, std::string_view key) {
  const auto value = metadata.number(key);
  return value ? *value : std::nullopt;  // a value of another type counts as absent
}

struct Recommended {
  std::optional<double> temperature, topK, topP, minP, penalty;
};

SamplingOptions optionsFrom(const Recommended& recommended) {
  SamplingOptions options;
  setNumber(recommended.temperature, limits::temperature, options.temperature);
  setNumber(recommended.topK, limits::topK, options.topK);
  setNumber(recommended.topP, limits::topP, options.topP);
  setNumber(recommended.minP, limits::minP, options.minP);
  setNumber(recommended.penalty, limits::repeatPenalty, options.repeatPenalty);
  return options;
}

void addId(std::int64_t id, int vocabularySize, std::vector<TokenId>& ids) {
  if (id >= 0 && id < vocabularySize) ids.push_back(static_cast<TokenId>(id));
}

// What generation_config.json has under this name: a token, or a list of them.
void addIds(const nlohmann::json& config, const char* name, int vocabularySize, std::vector<TokenId>& ids) {
  const auto found = config.is_object() ? config.find(name) : config.end();
  if (found == config.end()) return;
  const auto add = [&](const nlohmann::json& id) {
    if (id.is_number_integer()) addId(id.get<std::int64_t>(), vocabularySize, ids);
  };
  if (!found->is_array()) return add(*found);
  for (const nlohmann::json& id : *found) add(id);
}

std::vector<TokenId> sortedOnce(std::vector<TokenId> ids) {
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

}  // namespace

SamplingOptions recommendedSampling(const format::ModelFile& file) {
  const nlohmann::json& json = file.huggingFace().generationConfig;
  if (json.is_object()) {
    const auto sample = json.find("do_sample");
    SamplingOptions options = optionsFrom({jsonNumber(json, "temperature"), jsonNumber(json, "top_k"), jsonNumber(json, "top_p"),
                                           jsonNumber(json, "min_p"), jsonNumber(json, "repetition_penalty")});
    if (sample != json.end() && sample->is_boolean() && !sample->get<bool>()) options.temperature = 0;
    return options;
  }
  const format::Metadata& metadata = file.metadata();
  return optionsFrom({metadataNumber(metadata, "general.sampling.temp"), metadataNumber(metadata, "general.sampling.top_k"),
                      metadataNumber(metadata, "general.sampling.top_p"), metadataNumber(metadata, "general.sampling.min_p"),
                      metadataNumber(metadata, "general.sampling.penalty_repeat")});
}

std::vector<TokenId> endOfTurnTokens(const format::ModelFile& file, const text::Tokenizer* tokenizer, int vocabularySize) {
  std::vector<TokenId> ids;
  if (tokenizer != nullptr) {
    ids = tokenizer->special().endOfGeneration;
    if (tokenizer->special().eos) ids.push_back(*tokenizer->special().eos);
  }
  addIds(file.huggingFace().generationConfig, "eos_token_id", vocabularySize, ids);
  return sortedOnce(std::move(ids));
}

std::vector<TokenId> suppressedTokens(const format::ModelFile& file, int vocabularySize) {
  constexpr const char* key = "tokenizer.ggml.suppress_tokens";
  std::vector<TokenId> ids;
  addIds(file.huggingFace().generationConfig, "suppress_tokens", vocabularySize, ids);
  // A value of another type counts as absent.
  const auto list = file.metadata().integers(key);
  if (list && *list) std::ranges::for_each(**list, [&](std::int64_t id) { addId(id, vocabularySize, ids); });
  const auto one = file.metadata().integer(key);
  if (one && *one) addId(**one, vocabularySize, ids);
  return sortedOnce(std::move(ids));
}

}  // namespace minerva::engine
