#include "core/model/families/rope.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace minerva::model {

namespace {

using Json = nlohmann::json;

constexpr double maxBase = 1e15;
constexpr double maxFactor = 1e6;
constexpr double defaultBase = 10000;
constexpr Key scalingKey{"rope.scaling.type", "rope_scaling"};

// Between the dimensions that turn betaFast and betaSlow times within the original context, frequencies go over from
// unchanged to divided by the factor.
double yarnFrequency(double plain, int i, int dimension, double base, const RopeScaling& scaling) {
  const auto dimensionThatTurns = [&](double rotations) {
    return dimension * std::log(scaling.originalContext / (rotations * 2 * std::numbers::pi)) / (2 * std::log(base));
  };
  double low = dimensionThatTurns(scaling.betaFast);
  double high = dimensionThatTurns(scaling.betaSlow);
  if (scaling.roundRange) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0);
  high = std::min(high, dimension - 1.0);
  if (low == high) high += 0.001;
  const double stretched = std::clamp((i - low) / (high - low), 0.0, 1.0);
  return plain / scaling.factor * stretched + plain * (1 - stretched);
}

// Wavelengths beyond originalContext / lowFrequency are stretched, those below originalContext / highFrequency are kept.
double llama3Frequency(double plain, const RopeScaling& scaling) {
  const double turns = scaling.originalContext * plain / (2 * std::numbers::pi);
  if (turns < scaling.lowFrequency) return plain / scaling.factor;
  if (turns > scaling.highFrequency) return plain;
  const double kept = (turns - scaling.lowFrequency) / (scaling.highFrequency - scaling.lowFrequency);
  return (1 - kept) * plain / scaling.factor + kept * plain;
}

// A member of config.json's rope object; the same rules as Reader::positive.
Result<double> member(const Reader& reader, const Json& object, const char* name, double below, std::optional<double> otherwise) {
  const auto value = object.find(name);
  if (value == object.end() || value->is_null()) {
    if (otherwise) return *otherwise;
    return fail(reader.invalid(scalingKey, std::string("The rope scaling lacks ") + name, "a number", "nothing"));
  }
  const double number = value->is_number() ? value->get<double>() : -1.0;
  if (std::isfinite(number) && number > 0 && number < below) return number;
  return fail(reader.invalid(scalingKey, std::string("The rope scaling's ") + name + " is not valid", "a number above 0", value->dump(-1, ' ', true, Json::error_handler_t::replace)));
}

std::unexpected<Error> unknownScaling(const Reader& reader, const std::string& kind) {
  Error error = reader.invalid(scalingKey, "This rope scaling is not supported", "none, linear, llama3 or yarn", kind);
  error.kind = ErrorKind::unsupported;
  error.hint = "Choose another model, or a version of this one without it.";
  return fail(std::move(error));
}

struct BaseAndScaling {
  double base = defaultBase;
  RopeScaling scaling;
};

Result<void> readYarn(const Reader& reader, const Json& object, RopeScaling& scaling) {
  MINERVA_ASSIGN(scaling.betaFast, member(reader, object, "beta_fast", maxFactor, 32.0));
  MINERVA_ASSIGN(scaling.betaSlow, member(reader, object, "beta_slow", maxFactor, 1.0));
  const auto truncate = object.find("truncate");
  scaling.roundRange = truncate == object.end() || !truncate->is_boolean() || truncate->get<bool>();
  MINERVA_ASSIGN(const double strength, member(reader, object, "mscale", maxFactor, 0.0));
  MINERVA_ASSIGN(const double strengthOfAll, member(reader, object, "mscale_all_dim", maxFactor, 0.0));
  double magnitude = yarnMagnitude(scaling.factor);
  if (strength > 0 && strengthOfAll > 0) magnitude = yarnMagnitude(scaling.factor, strength) / yarnMagnitude(scaling.factor, strengthOfAll);
  MINERVA_ASSIGN(scaling.magnitude, member(reader, object, "attention_factor", maxFactor, magnitude));
  return {};
}

Result<RopeScaling> readScalingObject(const Reader& reader, const Json& object, int contextLength, std::vector<std::string>& warnings) {
  RopeScaling scaling;
  auto type = object.find("rope_type");
  if (type == object.end()) type = object.find("type");
  if (type == object.end() || type->is_null()) return scaling;
  if (!type->is_string()) return unknownScaling(reader, type->dump(-1, ' ', true, Json::error_handler_t::replace));
  const auto kind = type->get<std::string>();
  if (kind == "default" || kind == "none") return scaling;
  if (kind == "dynamic") {
    warnings.push_back("The rope scaling \"dynamic\" starts beyond " + std::to_string(contextLength) + " tokens and is not applied");
    return scaling;
  }
  if (kind == "linear") scaling.kind = RopeScalingKind::linear;
  else if (kind == "llama3") scaling.kind = RopeScalingKind::llama3;
  else if (kind == "yarn") scaling.kind = RopeScalingKind::yarn;
  else return unknownScaling(reader, kind);
  MINERVA_ASSIGN(scaling.factor, member(reader, object, "factor", maxFactor, std::nullopt));
  if (scaling.kind == RopeScalingKind::linear) return scaling;
  MINERVA_ASSIGN(scaling.originalContext, member(reader, object, "original_max_position_embeddings", Limits::context, contextLength));
  if (scaling.kind == RopeScalingKind::yarn) {
    MINERVA_TRY(readYarn(reader, object, scaling));
    return scaling;
  }
  MINERVA_ASSIGN(scaling.lowFrequency, member(reader, object, "low_freq_factor", maxFactor, std::nullopt));
  MINERVA_ASSIGN(scaling.highFrequency, member(reader, object, "high_freq_factor", maxFactor, std::nullopt));
  if (scaling.lowFrequency < scaling.highFrequency) return scaling;
  return fail(reader.invalid(scalingKey, "The rope scaling's frequency factors are out of order", "low_freq_factor below high_freq_factor",
                             std::to_string(scaling.lowFrequency) + " and " + std::to_string(scaling.highFrequency)));
}

// config.json before Transformers 5: rope_theta and rope_scaling; since then both in rope_parameters.
Result<BaseAndScaling> readHuggingFace(const Reader& reader, int contextLength, std::vector<std::string>& warnings) {
  BaseAndScaling out;
  MINERVA_ASSIGN(out.base, reader.positive({"", "rope_theta"}, maxBase, defaultBase));
  const Json& config = reader.file().huggingFace().config;
  for (const char* name : {"rope_scaling", "rope_parameters"}) {
    const auto object = config.find(name);
    if (object == config.end() || object->is_null()) continue;
    if (!object->is_object()) return fail(reader.invalid({"", name}, "The rope scaling is not valid", "an object", object->type_name()));
    MINERVA_ASSIGN(out.scaling, readScalingObject(reader, *object, contextLength, warnings));
    MINERVA_ASSIGN(out.base, member(reader, *object, "rope_theta", maxBase, out.base));
  }
  return out;
}

Result<BaseAndScaling> readGguf(const Reader& reader, int contextLength) {
  BaseAndScaling out;
  MINERVA_ASSIGN(out.base, reader.positive({"rope.freq_base", ""}, maxBase, defaultBase));
  MINERVA_ASSIGN(const auto type, reader.string(scalingKey));
  MINERVA_ASSIGN(const double oldFactor, reader.positive({"rope.scale_linear", ""}, maxFactor, 1.0));
  const std::string kind = type.value_or(oldFactor == 1.0 ? "none" : "linear");
  if (kind == "none") return out;
  RopeScaling& scaling = out.scaling;
  MINERVA_ASSIGN(scaling.factor, reader.positive({"rope.scaling.factor", ""}, maxFactor, oldFactor));
  if (kind == "linear") {
    scaling.kind = RopeScalingKind::linear;
    return out;
  }
  if (kind != "yarn") return unknownScaling(reader, kind);
  scaling.kind = RopeScalingKind::yarn;
  MINERVA_ASSIGN(scaling.originalContext, reader.positive({"rope.scaling.original_context_length", ""}, Limits::context, contextLength));
  MINERVA_ASSIGN(scaling.betaFast, reader.positive({"rope.scaling.yarn_beta_fast", ""}, maxFactor, 32.0));
  MINERVA_ASSIGN(scaling.betaSlow, reader.positive({"rope.scaling.yarn_beta_slow", ""}, maxFactor, 1.0));
  MINERVA_ASSIGN(const double extra, reader.positive({"rope.scaling.attn_factor", ""}, maxFactor, 1.0));
  scaling.magnitude = extra * yarnMagnitude(scaling.factor);
  return out;
}

// GGUF states llama3's scaling as divisors of the frequencies.
Result<void> applyFactors(Reader& reader, Rope& rope) {
  const TensorView* stored = reader.file().find("rope_freqs.weight");
  if (!stored) return {};
  MINERVA_ASSIGN(const TensorView view, reader.tensor({"rope_freqs", "rope_freqs"}, 0, vectorShape(rope.dimension / 2)));
  std::vector<float> factors(rope.frequencies.size());
  traits(view.type).dequantize(view.bytes.data(), factors.data(), factors.size());
  for (std::size_t i = 0; i < factors.size(); ++i) {
    if (!std::isfinite(factors[i]) || factors[i] <= 0) {
      return fail({.kind = ErrorKind::corrupt,
                   .what = "Tensor rope_freqs.weight holds a factor that is not valid",
                   .where = reader.file().path().string(),
                   .expected = "more than 0",
                   .actual = std::to_string(factors[i])});
    }
    rope.frequencies[i] /= factors[i];
  }
  return {};
}

}  // namespace

double yarnMagnitude(double factor, double strength) { return factor <= 1 ? 1.0 : 0.1 * strength * std::log(factor) + 1.0; }

std::vector<float> ropeFrequencies(int dimension, double base, const RopeScaling& scaling) {
  std::vector<float> out(static_cast<std::size_t>(dimension / 2));
  for (int i = 0; i < dimension / 2; ++i) {
    const double plain = std::pow(base, -2.0 * i / dimension);
    double frequency = plain;
    switch (scaling.kind) {
      case RopeScalingKind::none: break;
      case RopeScalingKind::linear: frequency = plain / scaling.factor; break;
      case RopeScalingKind::llama3: frequency = llama3Frequency(plain, scaling); break;
      case RopeScalingKind::yarn: frequency = yarnFrequency(plain, i, dimension, base, scaling); break;
    }
    out[static_cast<std::size_t>(i)] = static_cast<float>(frequency);
  }
  return out;
}

Result<Rope> readRope(Reader& reader, int headDim, int contextLength, RopeLayout layout, std::vector<std::string>& warnings) {
  constexpr Key dimensionKey{"rope.dimension_count", ""};
  Rope rope{.layout = layout, .dimension = 0, .frequencies = {}, .magnitude = 1.0F};
  MINERVA_ASSIGN(rope.dimension, reader.count(dimensionKey, headDim, headDim));
  if (rope.dimension % 2 != 0) {
    return fail(reader.invalid(dimensionKey, "The rotated part of a head must have an even size", "an even number", std::to_string(rope.dimension)));
  }
  MINERVA_ASSIGN(const BaseAndScaling found, reader.isGguf() ? readGguf(reader, contextLength) : readHuggingFace(reader, contextLength, warnings));
  rope.frequencies = ropeFrequencies(rope.dimension, found.base, found.scaling);
  rope.magnitude = static_cast<float>(found.scaling.magnitude);
  if (reader.isGguf()) MINERVA_TRY(applyFactors(reader, rope));
  return rope;
}

}  // namespace minerva::model
