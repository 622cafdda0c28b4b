#include "core/serve/sampling_fields.h"

#include "core/engine/sampling/limits.h"
#include "core/serve/fields.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace minerva::serve {
namespace {

Result<void> readNumber(const Json& body, const char* field, const engine::limits::Range& range, float& value) {
  MINERVA_ASSIGN(const auto number, numberField(body, field, range.least, range.most));
  if (number) value = static_cast<float>(*number);
  return {};
}

Result<void> readTopK(const Json& body, int& topK) {
  MINERVA_ASSIGN(const auto given, integerField(body, "top_k", -1, static_cast<std::int64_t>(engine::limits::topK.most)));
  if (given) topK = *given < 0 ? 0 : static_cast<int>(*given);  // -1: off, as in vLLM
  return {};
}

// The engine's 0 means a new seed, a client's 0 is a seed.
Result<void> readSeed(const Json& body, std::uint64_t& seed) {
  constexpr std::uint64_t standsForZero = 0x9e3779b97f4a7c15;
  MINERVA_ASSIGN(const auto given,
                 integerField(body, "seed", std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()));
  if (!given) return {};
  seed = *given == -1 ? 0 : *given == 0 ? standsForZero : static_cast<std::uint64_t>(*given);
  return {};
}

// -1: no limit but the context's, as in llama-server.
Result<void> readLength(const Json& body, int& maxTokens) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  for (const char* field : {"max_tokens", "max_completion_tokens"}) {
    MINERVA_ASSIGN(const auto given, integerField(body, field, -1, most));
    if (given && *given == 0) return wrongField(field, "-1 (no limit) or an integer from 1 to " + std::to_string(most), "0");
    if (given) maxTokens = static_cast<int>(std::max<std::int64_t>(*given, 0));
  }
  return {};
}

// Token ids as names of members, as OpenAI has it; llama-server also takes pairs.
Result<void> readBias(const Json& body, engine::SamplingOptions& sampling) {
  constexpr std::size_t most = 4096;
  const Json* bias = present(body, "logit_bias");
  if (bias == nullptr) return {};
  if (!bias->is_structured() || bias->size() > most)
    return wrongField("logit_bias", "an object of at most " + std::to_string(most) + " token ids with numbers", bias->type_name());
  const auto add = [&](const std::string& name, const Json& value) -> Result<void> {
    std::int32_t id = -1;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), id);
    if (error != std::errc{} || end != name.data() + name.size() || id < 0)
      return wrongField("logit_bias", "token ids", name.substr(0, 60));
    const double number = value.is_number() ? value.get<double>() : value == false ? engine::limits::logitBias.least : 1e9;
    if (!engine::limits::logitBias.holds(number)) return wrongField("logit_bias", "numbers from -100 to 100", written(value).substr(0, 60));
    sampling.logitBias.emplace_back(id, static_cast<float>(number));
    return {};
  };
  if (bias->is_object()) {
    for (const auto& [name, value] : bias->items()) MINERVA_TRY(add(name, value));
    return {};
  }
  for (const Json& pair : *bias) {
    if (!pair.is_array() || pair.size() != 2) return wrongField("logit_bias", "pairs of a token id and a number", pair.type_name());
    MINERVA_TRY(add(written(pair[0]), pair[1]));
  }
  return {};
}

}  // namespace

Result<void> readSampling(const Json& body, engine::Request& request) {
  engine::SamplingOptions& sampling = request.sampling;
  MINERVA_TRY(readNumber(body, "temperature", engine::limits::temperature, sampling.temperature));
  MINERVA_TRY(readNumber(body, "top_p", engine::limits::topP, sampling.topP));
  MINERVA_TRY(readNumber(body, "min_p", engine::limits::minP, sampling.minP));
  MINERVA_TRY(readNumber(body, "presence_penalty", engine::limits::presencePenalty, sampling.presencePenalty));
  MINERVA_TRY(readNumber(body, "frequency_penalty", engine::limits::frequencyPenalty, sampling.frequencyPenalty));
  MINERVA_TRY(readNumber(body, "repeat_penalty", engine::limits::repeatPenalty, sampling.repeatPenalty));
  MINERVA_TRY(readNumber(body, "repetition_penalty", engine::limits::repeatPenalty, sampling.repeatPenalty));
  MINERVA_TRY(readTopK(body, sampling.topK));
  MINERVA_TRY(readSeed(body, sampling.seed));
  MINERVA_TRY(readLength(body, request.maxTokens));
  MINERVA_ASSIGN(request.stop, stringsField(body, "stop", 256));
  MINERVA_ASSIGN(const auto ignoreEnd, boolField(body, "ignore_eos"));
  request.ignoreEndOfTurn = ignoreEnd.value_or(false);
  return readBias(body, sampling);
}

}  // namespace minerva::serve
