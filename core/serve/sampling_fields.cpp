#include "core/serve/sampling_fields.h"

#include "core/engine/sampling/limits.h"
#include "core/serve/fields.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

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

// The engine's 0 means a new seed, a client's 0 is a seed. Seeds of 64 bits may have a sign or not.
Result<void> readSeed(const Json& body, std::uint64_t& seed) {
  constexpr std::uint64_t standsForZero = 0x9e3779b97f4a7c15;
  std::optional<std::int64_t> given;
  const Json* value = present(body, "seed");
  if (value != nullptr && value->is_number_unsigned()) {
    given = static_cast<std::int64_t>(value->get<std::uint64_t>());
  } else {
    MINERVA_ASSIGN(given, integerField(body, "seed", std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()));
  }
  if (!given) return {};
  seed = *given == -1 ? 0 : *given == 0 ? standsForZero : static_cast<std::uint64_t>(*given);
  return {};
}

// 0, which divides by nothing, is sent by clients that mean no penalty.
Result<void> readRepeatPenalty(const Json& body, const char* field, float& penalty) {
  const Json* given = present(body, field);
  if (given == nullptr || *given != 0) return readNumber(body, field, engine::limits::repeatPenalty, penalty);
  penalty = 1;
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

// The tokens that a bias is for: an id, also as text, or a text and all its tokens.
Result<std::vector<std::int32_t>> biasedTokens(const Json& name, const text::Tokenizer* tokenizer) {
  std::int32_t id = -1;
  const std::string text = name.is_string() ? name.get<std::string>() : written(name);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error == std::errc{} && end == text.data() + text.size() && id >= 0) return std::vector{id};
  if (!name.is_string() || tokenizer == nullptr || text.empty()) return wrongField("logit_bias", "token ids or texts", text.substr(0, 60));
  return tokenizer->encode(text, {false, false});
}

// Token ids as names of members, as OpenAI has it; llama-server also takes pairs, of texts too. Beyond the range that OpenAI allows, a
// bias decides as much as its end.
Result<void> readBias(const Json& body, const text::Tokenizer* tokenizer, engine::SamplingOptions& sampling) {
  constexpr std::size_t most = 4096;
  constexpr engine::limits::Range range = engine::limits::logitBias;
  const Json* bias = present(body, "logit_bias");
  if (bias == nullptr) return {};
  if (!bias->is_structured() || bias->size() > most)
    return wrongField("logit_bias", "an object of at most " + std::to_string(most) + " token ids with numbers", bias->type_name());
  const auto add = [&](const Json& name, const Json& value) -> Result<void> {
    if (!value.is_number() && value != false) return wrongField("logit_bias", "numbers, or false", written(value).substr(0, 60));
    const double number = value.is_number() ? value.get<double>() : range.least;
    MINERVA_ASSIGN(const std::vector<std::int32_t> tokens, biasedTokens(name, tokenizer));
    for (const std::int32_t id : tokens)
      sampling.logitBias.emplace_back(id, static_cast<float>(std::clamp(number, range.least, range.most)));
    return {};
  };
  if (bias->is_object()) {
    for (const auto& [name, value] : bias->items()) MINERVA_TRY(add(name, value));
    return {};
  }
  for (const Json& pair : *bias) {
    if (!pair.is_array() || pair.size() != 2) return wrongField("logit_bias", "pairs of a token and a number", pair.type_name());
    MINERVA_TRY(add(pair[0], pair[1]));
  }
  return {};
}

Result<void> readWindow(const Json& body, const char* field, std::optional<int>& window) {
  constexpr engine::limits::Range range = engine::limits::repeatLastN;
  MINERVA_ASSIGN(const auto given,
                 integerField(body, field, static_cast<std::int64_t>(range.least), static_cast<std::int64_t>(range.most)));
  if (given) window = static_cast<int>(*given);
  return {};
}

// A window that is given is that of all penalties. Without one, presence and frequency are those of the whole reply, and the penalty under
// Hugging Face's name that of the whole text, as vLLM has them.
Result<void> readPenalties(const Json& body, engine::SamplingOptions& sampling) {
  MINERVA_TRY(readNumber(body, "presence_penalty", engine::limits::presencePenalty, sampling.presencePenalty));
  MINERVA_TRY(readNumber(body, "frequency_penalty", engine::limits::frequencyPenalty, sampling.frequencyPenalty));
  MINERVA_TRY(readRepeatPenalty(body, "repeat_penalty", sampling.repeatPenalty));
  MINERVA_TRY(readRepeatPenalty(body, "repetition_penalty", sampling.repeatPenalty));
  std::optional<int> window;
  for (const char* field : {"penalty_last_n", "repeat_last_n"}) MINERVA_TRY(readWindow(body, field, window));
  if (window) sampling.repeatLastN = sampling.presenceLastN = *window;
  else if (present(body, "repetition_penalty") != nullptr) sampling.repeatLastN = -1;
  return {};
}

// The tokens with one of these texts in them.
std::vector<std::int32_t> tokensWith(const std::vector<std::string>& texts, const text::Tokenizer& tokenizer) {
  std::vector<std::int32_t> out;
  for (std::size_t id = 0; id < tokenizer.vocabularySize(); ++id) {
    const std::string piece = tokenizer.piece(static_cast<std::int32_t>(id));
    const auto isIn = [&](const std::string& text) { return piece.find(text) != std::string::npos; };
    if (std::ranges::any_of(texts, isIn)) out.push_back(static_cast<std::int32_t>(id));
  }
  return out;
}

// llama-server's names and defaults.
Result<void> readDry(const Json& body, const text::Tokenizer* tokenizer, engine::SamplingOptions& sampling) {
  MINERVA_TRY(readNumber(body, "dry_multiplier", engine::limits::dryMultiplier, sampling.dryMultiplier));
  if (!(sampling.dryMultiplier > 0)) return {};
  MINERVA_TRY(readNumber(body, "dry_base", engine::limits::dryBase, sampling.dryBase));
  constexpr auto longest = static_cast<std::int64_t>(engine::limits::dryAllowedLength.most);
  MINERVA_ASSIGN(const auto allowed, integerField(body, "dry_allowed_length", 0, longest));
  if (allowed) sampling.dryAllowedLength = static_cast<int>(*allowed);
  std::optional<int> window;
  MINERVA_TRY(readWindow(body, "dry_penalty_last_n", window));
  sampling.dryPenaltyLastN = window.value_or(sampling.dryPenaltyLastN);
  std::vector<std::string> breakers{"\n", ":", "\"", "*"};
  if (present(body, "dry_sequence_breakers") != nullptr) {
    MINERVA_ASSIGN(breakers, stringsField(body, "dry_sequence_breakers", 100));
  }
  if (tokenizer != nullptr) sampling.dryBreakers = tokensWith(breakers, *tokenizer);
  return {};
}

Result<void> readXtcAndSigma(const Json& body, engine::SamplingOptions& sampling) {
  MINERVA_TRY(readNumber(body, "xtc_probability", engine::limits::xtcProbability, sampling.xtcProbability));
  MINERVA_TRY(readNumber(body, "xtc_threshold", engine::limits::xtcThreshold, sampling.xtcThreshold));
  for (const char* field : {"top_n_sigma", "nsigma"}) {
    MINERVA_ASSIGN(const auto given, numberField(body, field, -1, engine::limits::topNSigma.most));
    if (given) sampling.topNSigma = static_cast<float>(std::max(*given, 0.0));  // -1: off
  }
  return {};
}

}  // namespace

Result<void> readSampling(const Json& body, const text::Tokenizer* tokenizer, engine::Request& request) {
  engine::SamplingOptions& sampling = request.sampling;
  MINERVA_TRY(readNumber(body, "temperature", engine::limits::temperature, sampling.temperature));
  MINERVA_TRY(readNumber(body, "top_p", engine::limits::topP, sampling.topP));
  MINERVA_TRY(readNumber(body, "min_p", engine::limits::minP, sampling.minP));
  MINERVA_TRY(readPenalties(body, sampling));
  MINERVA_TRY(readDry(body, tokenizer, sampling));
  MINERVA_TRY(readXtcAndSigma(body, sampling));
  MINERVA_TRY(readTopK(body, sampling.topK));
  MINERVA_TRY(readSeed(body, sampling.seed));
  MINERVA_TRY(readLength(body, request.maxTokens));
  MINERVA_ASSIGN(request.stop, stringsField(body, "stop", 256));
  MINERVA_ASSIGN(const auto ignoreEnd, boolField(body, "ignore_eos"));
  request.ignoreEndOfTurn = ignoreEnd.value_or(false);
  return readBias(body, tokenizer, sampling);
}

}  // namespace minerva::serve
