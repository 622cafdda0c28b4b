#include "core/model/families/rope.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace minerva::model {

namespace {

using Json = nlohmann::json;

constexpr double maxBase = 1e15;
constexpr double maxFactor = 1e6;
constexpr Key scalingKey{"rope.scaling.type", "rope_scaling"};

// Blends from the unchanged frequency to frequency / factor between the dimensions that rotate betaFast and betaSlow
// times within the original context.
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

// Stretches wavelengths above originalContext / lowFrequency, keeps those below originalContext / highFrequency, blends
// between.
double llama3Frequency(double plain, const RopeScaling& scaling) {
  const double turns = scaling.originalContext * plain / (2 * std::numbers::pi);
  if (turns < scaling.lowFrequency) return plain / scaling.factor;
  if (turns >= scaling.highFrequency) return plain;
  const double kept = (turns - scaling.lowFrequency) / (scaling.highFrequency - scaling.lowFrequency);
  return (1 - kept) * plain / scaling.factor + kept * plain;
}

// Reads a member of config.json's rope object; same rules as Reader::positive.
Result<double> member(const Reader& reader, const Json& object, const char* name, double below, std::optional<double> otherwise) {
  const auto value = object.find(name);
  if (value == object.end() || value->is_null()) {
    if (otherwise) return *otherwise;
    return fail(reader.invalid(scalingKey, std::string("The rope scaling lacks ") + name, "a number", "nothing"));
  }
  const double number = value->is_number() ? value->get<double>() : -1.0;
  if (std::isfinite(number) && number > 0 && number < below) return number;
  return fail(reader.invalid(scalingKey, std::string("The rope scaling's ") + name + " is not valid", "a number above 0",
                             value->dump(-1, ' ', true, Json::error_handler_t::replace)));
}

std::unexpected<Error> unknownScaling(const Reader& reader, const std::string& kind) {
  Error error =
      reader.invalid(scalingKey, "This rope scaling is not supported", "none, linear, llama3, yarn, longrope or proportional", kind);
  error.kind = ErrorKind::unsupported;
  error.hint = "Choose another model, or a version of this one without it.";
  return fail(std::move(error));
}

struct BaseAndScaling {
  double base = 0;
  double partial = 1;
  RopeScaling scaling;
};

// attn_factor, by which other programs multiply the magnitude, is nothing to Transformers.
Result<void> readYarn(const Reader& reader, const Json& object, RopeScaling& scaling, std::vector<std::string>& warnings) {
  MINERVA_ASSIGN(scaling.betaFast, member(reader, object, "beta_fast", maxFactor, 32.0));
  MINERVA_ASSIGN(scaling.betaSlow, member(reader, object, "beta_slow", maxFactor, 1.0));
  const auto truncate = object.find("truncate");
  scaling.roundRange = truncate == object.end() || !truncate->is_boolean() || truncate->get<bool>();
  MINERVA_ASSIGN(const double strength, member(reader, object, "mscale", maxFactor, 0.0));
  MINERVA_ASSIGN(const double strengthOfAll, member(reader, object, "mscale_all_dim", maxFactor, 0.0));
  double magnitude = yarnMagnitude(scaling.factor);
  if (strengthOfAll > 0) scaling.magnitudeOfScores = yarnMagnitude(scaling.factor, strengthOfAll);
  if (strength > 0 && strengthOfAll > 0) magnitude = yarnMagnitude(scaling.factor, strength) / yarnMagnitude(scaling.factor, strengthOfAll);
  MINERVA_ASSIGN(scaling.magnitude, member(reader, object, "attention_factor", maxFactor, magnitude));
  if (const Json extra = object.value("attn_factor", Json()); extra.is_number() && extra != 1) {
    warnings.push_back("The rope scaling's attn_factor of " + extra.dump() + " is not used, as in Transformers; other programs may use it");
  }
  return {};
}

Result<std::vector<double>> factorList(const Reader& reader, const Json& object, const char* name) {
  const auto list = object.find(name);
  if (list == object.end() || !list->is_array() || list->size() > static_cast<std::size_t>(Limits::headDim)) {
    return fail(reader.invalid(scalingKey, std::string("The rope scaling lacks ") + name, "a list of numbers", "nothing of that kind"));
  }
  std::vector<double> factors;
  for (const Json& entry : *list) {
    const double factor = entry.is_number() ? entry.get<double>() : -1.0;
    if (!(factor > 0 && factor < maxFactor)) {
      return fail(reader.invalid(scalingKey, std::string("The rope scaling's ") + name + " is not valid", "numbers above 0",
                                 std::to_string(factor)));
    }
    factors.push_back(factor);
  }
  return factors;
}

// Phi-3's config.json stores the original context outside the scaling object; the default factor is the full context
// divided by it.
Result<void> readLongRope(const Reader& reader, const Json& object, int contextLength, RopeScaling& scaling) {
  constexpr Key originalKey{"", "original_max_position_embeddings"};
  scaling.kind = RopeScalingKind::longrope;
  MINERVA_ASSIGN(scaling.shortFactors, factorList(reader, object, "short_factor"));
  MINERVA_ASSIGN(scaling.longFactors, factorList(reader, object, "long_factor"));
  MINERVA_ASSIGN(const double beside, reader.positive(originalKey, Limits::context, static_cast<double>(contextLength)));
  MINERVA_ASSIGN(scaling.originalContext, member(reader, object, "original_max_position_embeddings", Limits::context, beside));
  MINERVA_ASSIGN(scaling.factor, member(reader, object, "factor", maxFactor, contextLength / scaling.originalContext));
  const bool stretched = scaling.factor > 1 && scaling.originalContext > 1;
  double magnitude = stretched ? std::sqrt(1 + std::log(scaling.factor) / std::log(scaling.originalContext)) : 1.0;
  // Phi-3.5 MoE states it, once for each set of factors.
  MINERVA_ASSIGN(magnitude, member(reader, object, "short_mscale", maxFactor, magnitude));
  MINERVA_ASSIGN(const double longMagnitude, member(reader, object, "long_mscale", maxFactor, magnitude));
  if (longMagnitude != magnitude) {
    return fail(
        reader.invalid(scalingKey, "The rope scaling has two magnitudes", std::to_string(magnitude), std::to_string(longMagnitude)));
  }
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
  if (kind == "default" || kind == "none" || kind == "mrope") return scaling;  // mrope: positions of images, no scaling
  if (kind == "dynamic") {
    warnings.push_back("The rope scaling \"dynamic\" starts beyond " + std::to_string(contextLength) + " tokens; it is not applied");
    return scaling;
  }
  if (kind == "longrope" || kind == "su") {
    MINERVA_TRY(readLongRope(reader, object, contextLength, scaling));
    return scaling;
  }
  if (kind == "linear") scaling.kind = RopeScalingKind::linear;
  else if (kind == "proportional") scaling.kind = RopeScalingKind::proportional;
  else if (kind == "llama3") scaling.kind = RopeScalingKind::llama3;
  else if (kind == "yarn") scaling.kind = RopeScalingKind::yarn;
  else return unknownScaling(reader, kind);
  const bool proportional = scaling.kind == RopeScalingKind::proportional;
  MINERVA_ASSIGN(scaling.factor, member(reader, object, "factor", maxFactor, proportional ? std::optional(1.0) : std::nullopt));
  if (proportional || scaling.kind == RopeScalingKind::linear) return scaling;
  MINERVA_ASSIGN(scaling.originalContext, member(reader, object, "original_max_position_embeddings", Limits::context, contextLength));
  if (scaling.kind == RopeScalingKind::yarn) {
    MINERVA_TRY(readYarn(reader, object, scaling, warnings));
    return scaling;
  }
  MINERVA_ASSIGN(scaling.lowFrequency, member(reader, object, "low_freq_factor", maxFactor, std::nullopt));
  MINERVA_ASSIGN(scaling.highFrequency, member(reader, object, "high_freq_factor", maxFactor, std::nullopt));
  if (scaling.lowFrequency <= scaling.highFrequency) return scaling;
  return fail(reader.invalid(scalingKey, "The rope scaling's frequency factors are out of order",
                             "low_freq_factor at most high_freq_factor",
                             std::to_string(scaling.lowFrequency) + " and " + std::to_string(scaling.highFrequency)));
}

// Before Transformers 5, config.json has rope_theta and rope_scaling; since then both are in rope_parameters, which may
// nest an object per layer type.
Result<BaseAndScaling> readHuggingFace(const Reader& reader, const RopeForm& form, int headDim, int contextLength,
                                       std::vector<std::string>& warnings) {
  BaseAndScaling out;
  MINERVA_ASSIGN(out.base, reader.positive({"", form.base.huggingFace}, maxBase, form.defaultBase));
  MINERVA_ASSIGN(out.partial, reader.positive({"", form.partialKey}, 1.0 + 1e-9, form.defaultPartial));
  for (const char* name : {"rope_scaling", "rope_parameters"}) {
    const Json* object = reader.json({"", name});
    if (!object) continue;
    if (!object->is_object()) return fail(reader.invalid({"", name}, "The rope scaling is not valid", "an object", object->type_name()));
    const auto own = form.layerType.empty() ? object->end() : object->find(form.layerType);
    const bool nested = own != object->end() && own->is_object();
    if (nested) object = &*own;
    else if (!form.scaled && !form.layerType.empty()) continue;
    const bool stretched = form.stretchedBase && object->contains("alpha") && headDim > 2;
    if (!stretched && (nested || form.scaled)) {
      MINERVA_ASSIGN(out.scaling, readScalingObject(reader, *object, contextLength, warnings));
    }
    MINERVA_ASSIGN(out.base, member(reader, *object, "rope_theta", maxBase, out.base));
    if (stretched) {
      MINERVA_ASSIGN(const double alpha, member(reader, *object, "alpha", maxFactor, std::nullopt));
      out.base *= std::pow(alpha, headDim / (headDim - 2.0));
    }
    MINERVA_ASSIGN(out.partial, member(reader, *object, "partial_rotary_factor", 1.0 + 1e-9, out.partial));
  }
  return out;
}

Result<BaseAndScaling> readGguf(const Reader& reader, const RopeForm& form, int contextLength) {
  BaseAndScaling out;
  MINERVA_ASSIGN(out.base, reader.positive({form.base.gguf, ""}, maxBase, form.defaultBase));
  if (!form.scaled) return out;
  RopeScaling& scaling = out.scaling;
  MINERVA_ASSIGN(const auto type, reader.string(scalingKey));
  MINERVA_ASSIGN(const double oldFactor, reader.positive({"rope.scale_linear", ""}, maxFactor, 1.0));
  // Of any kind of scaling, and of none. yarn_attn_factor is nothing to llama.cpp where YaRN is used.
  MINERVA_ASSIGN(scaling.magnitude, reader.positive({"rope.scaling.attn_factor", ""}, maxFactor, 1.0));
  const std::string kind = type.value_or(oldFactor == 1.0 ? "none" : "linear");
  if (kind == "none" || kind == "longrope") return out;
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
  scaling.roundRange = form.ggufRoundsYarn;
  // yarn_log_multiplier is 0.1 * mscale_all_dim of DeepSeek-V2. Its mscale has the same value, so that the factors of cos
  // and sin cancel and only the scores are scaled.
  MINERVA_ASSIGN(const auto logarithm, reader.number({"rope.scaling.yarn_log_multiplier", ""}));
  if (logarithm.value_or(0) > 0) scaling.magnitudeOfScores = yarnMagnitude(scaling.factor, 10 * *logarithm);
  else scaling.magnitude *= yarnMagnitude(scaling.factor);
  return out;
}

Result<std::vector<float>> storedFactors(Reader& reader, std::string_view name, int count) {
  MINERVA_ASSIGN(const TensorView view, reader.tensor({name, name}, 0, vectorShape(count)));
  std::vector<float> factors(static_cast<std::size_t>(count));
  traits(view.type).dequantize(view.bytes.data(), factors.data(), factors.size());
  for (const float factor : factors) {
    if (std::isfinite(factor) && factor > 0) continue;
    return fail({.kind = ErrorKind::corrupt,
                 .what = "Tensor " + std::string(name) + ".weight holds a factor that is not valid",
                 .where = reader.file().path().string(),
                 .expected = "more than 0",
                 .actual = std::to_string(factor)});
  }
  return factors;
}

// GGUF stores llama3's scaling as frequency divisors, and LongRoPE's as two sets of them.
Result<void> applyStoredFactors(Reader& reader, int contextLength, int stored, Rope& rope) {
  const int count = rope.dimension / 2;
  const auto divide = [](std::vector<float>& frequencies, const std::vector<float>& factors) {
    for (std::size_t i = 0; i < frequencies.size(); ++i) frequencies[i] /= factors[i];
  };
  if (reader.hasNamed("rope_freqs.weight")) {
    MINERVA_ASSIGN(const std::vector<float> factors, storedFactors(reader, "rope_freqs", std::max(count, stored)));
    divide(rope.frequencies, factors);
  }
  if (!reader.hasNamed("rope_factors_long.weight")) return {};
  MINERVA_ASSIGN(const std::vector<float> longer, storedFactors(reader, "rope_factors_long", count));
  MINERVA_ASSIGN(const std::vector<float> shorter, storedFactors(reader, "rope_factors_short", count));
  MINERVA_ASSIGN(rope.switchLength, reader.count({"rope.scaling.original_context_length", ""}, Limits::context, contextLength));
  MINERVA_ASSIGN(const double magnitude, reader.positive({"rope.scaling.attn_factor", ""}, maxFactor, 1.0));
  rope.magnitude = static_cast<float>(magnitude);
  rope.longFrequencies = rope.frequencies;
  divide(rope.longFrequencies, longer);
  divide(rope.frequencies, shorter);
  return {};
}

Result<void> applyLongRope(const Reader& reader, double base, const RopeScaling& scaling, Rope& rope) {
  const auto half = static_cast<std::size_t>(rope.dimension / 2);
  if (scaling.shortFactors.size() != half || scaling.longFactors.size() != half) {
    return fail(reader.invalid(scalingKey, "The rope scaling has the wrong number of factors", std::to_string(half),
                               std::to_string(scaling.shortFactors.size()) + " and " + std::to_string(scaling.longFactors.size())));
  }
  rope.switchLength = static_cast<int>(scaling.originalContext);
  rope.longFrequencies.resize(half);
  for (std::size_t i = 0; i < half; ++i) {
    const double plain = std::pow(base, -2.0 * static_cast<double>(i) / rope.dimension);
    rope.frequencies[i] = static_cast<float>(plain / scaling.shortFactors[i]);
    rope.longFrequencies[i] = static_cast<float>(plain / scaling.longFactors[i]);
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
      case RopeScalingKind::none:
      case RopeScalingKind::longrope: break;  // applyLongRope() computes both sets
      case RopeScalingKind::linear:
      case RopeScalingKind::proportional: frequency = plain / scaling.factor; break;  // readRope() stops the other pairs
      case RopeScalingKind::llama3: frequency = llama3Frequency(plain, scaling); break;
      case RopeScalingKind::yarn: frequency = yarnFrequency(plain, i, dimension, base, scaling); break;
    }
    out[static_cast<std::size_t>(i)] = static_cast<float>(frequency);
  }
  return out;
}

Result<Rope> readRope(Reader& reader, const RopeForm& form, int headDim, int contextLength, std::vector<std::string>& warnings,
                      double* scoreMagnitude) {
  const Key dimensionKey{form.ggufDimension, ""};
  MINERVA_ASSIGN(const BaseAndScaling found,
                 reader.isGguf() ? readGguf(reader, form, contextLength) : readHuggingFace(reader, form, headDim, contextLength, warnings));
  Rope rope;
  rope.layout = reader.isGguf() ? form.ggufLayout : form.huggingFaceLayout;
  const int share = static_cast<int>(headDim * found.partial * (1 + 1e-9));
  const bool proportional = found.scaling.kind == RopeScalingKind::proportional;
  MINERVA_ASSIGN(rope.dimension, reader.count(dimensionKey, headDim, proportional ? headDim : std::max(1, share)));
  if (form.dimension > 0) rope.dimension = form.dimension;
  if (rope.dimension % 2 != 0) {
    return fail(reader.invalid(dimensionKey, "The rotated part of a head must have an even size", "an even number",
                               std::to_string(rope.dimension)));
  }
  rope.frequencies = ropeFrequencies(rope.dimension, found.base, found.scaling);
  if (proportional) std::fill(rope.frequencies.begin() + share / 2, rope.frequencies.end(), 0.0F);
  rope.magnitude = static_cast<float>(found.scaling.magnitude);
  if (found.scaling.kind == RopeScalingKind::longrope) MINERVA_TRY(applyLongRope(reader, found.base, found.scaling, rope));
  if (reader.isGguf() && form.scaled) MINERVA_TRY(applyStoredFactors(reader, contextLength, form.storedFactors, rope));
  if (scoreMagnitude) *scoreMagnitude = found.scaling.magnitudeOfScores;
  return rope;
}

Result<QueryTemperature> readQueryTemperature(const Reader& reader) {
  constexpr Key strengthKey{"attention.temperature_scale", ""}, lengthKey{"rope.scaling.original_context_length", ""};
  QueryTemperature out;
  double strength = 0, length = 1;
  if (reader.isGguf()) {
    MINERVA_ASSIGN(const auto stated, reader.number(strengthKey));
    if (stated.value_or(0) == 0) return out;
    MINERVA_ASSIGN(strength, reader.positive(strengthKey, maxFactor));
    MINERVA_ASSIGN(length, reader.positive(lengthKey, Limits::context));
  } else {
    const Json* object = reader.json({"", "rope_parameters"});
    if (!object) object = reader.json({"", "rope_scaling"});
    if (!object || !object->is_object() || !object->contains("llama_4_scaling_beta")) return out;
    if (const Json& stated = (*object)["llama_4_scaling_beta"]; stated.is_null() || stated == 0) return out;
    MINERVA_ASSIGN(strength, member(reader, *object, "llama_4_scaling_beta", maxFactor, std::nullopt));
    MINERVA_ASSIGN(length, member(reader, *object, "original_max_position_embeddings", Limits::context, std::nullopt));
  }
  out.strength = static_cast<float>(strength);
  out.length = static_cast<float>(std::max(1.0, length));
  return out;
}

}  // namespace minerva::model
