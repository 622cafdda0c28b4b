#include "core/model/families/mamba.h"

#include "core/model/families/recurrent.h"
#include "core/tensor/arrangement.h"

#include <algorithm>
#include <limits>

namespace minerva::model {

namespace {

// The upper limit is usually infinite, which JSON cannot say: null, a string and an object all stand for it.
Result<void> readStepLimits(const Reader& reader, Mamba& mamba) {
  constexpr Key key{"", "time_step_limit"};
  const nlohmann::json* limits = reader.json(key);
  if (!limits) return {};
  const bool pair = limits->is_array() && limits->size() == 2 && (*limits)[0].is_number();
  const double least = pair ? (*limits)[0].get<double>() : -1.0;
  const double most = pair && (*limits)[1].is_number() ? (*limits)[1].get<double>() : std::numeric_limits<double>::infinity();
  if (!(least >= 0 && most > least)) {
    return fail(reader.invalid(key, "The limits of a step are not valid", "two numbers in order, 0 or more",
                               limits->dump(-1, ' ', true, nlohmann::json::error_handler_t::replace).substr(0, 80)));
  }
  mamba.stepMin = static_cast<float>(least);
  mamba.stepMax = static_cast<float>(most);
  return {};
}

Result<Mamba> readMambaSizes(const Reader& reader, const MambaForm& form) {
  Mamba out;
  MINERVA_ASSIGN(out.heads, reader.count(form.heads, Limits::heads));
  MINERVA_ASSIGN(out.groups, reader.count(form.groups, out.heads));
  MINERVA_ASSIGN(out.stateSize, reader.count(form.stateSize, Limits::headDim));
  MINERVA_ASSIGN(out.convolution, readConvolutionWidth(reader, form.convolution));
  if (reader.isGguf()) {
    MINERVA_ASSIGN(out.headDim, readHeadSizeOfInner(reader, out.heads));
  } else {
    MINERVA_ASSIGN(out.headDim, reader.count(form.headDim, Limits::headDim));
  }
  if (out.heads % out.groups != 0) {
    return fail(reader.invalid(form.groups, "The groups do not divide the heads of Mamba", "a divisor of " + std::to_string(out.heads),
                               std::to_string(out.groups)));
  }
  MINERVA_TRY(readStepLimits(reader, out));
  return out;
}

Result<void> readMambaTensors(Reader& reader, const MambaForm& form, int layer, int hidden, Mamba& mamba) {
  const std::string prefix(form.prefix);
  const auto named = [&](const char* name) { return prefix + name; };
  const std::int64_t inner = std::int64_t{mamba.heads} * mamba.headDim;
  const std::int64_t channels = inner + std::int64_t{2} * mamba.groups * mamba.stateSize;
  const std::string in = named("in_proj"), convolution = named("conv1d"), norm = named("norm"), out = named("out_proj");
  MINERVA_ASSIGN(mamba.in, reader.linear({"blk.#.ssm_in", in}, layer, inner + channels + mamba.heads, hidden, Reader::Bias::optional));
  MINERVA_ASSIGN(mamba.convolutionWeight,
                 reader.tensor({"blk.#.ssm_conv1d", convolution}, layer, vectorShape(channels * mamba.convolution)));
  if (reader.has({"blk.#.ssm_conv1d", convolution}, layer, ".bias")) {
    MINERVA_ASSIGN(mamba.convolutionBias, reader.tensor({"blk.#.ssm_conv1d", convolution}, layer, vectorShape(channels), ".bias"));
  }
  const std::string decay = named("A_log"), skip = named("D"), step = named("dt_bias");
  MINERVA_ASSIGN(mamba.decay, reader.tensor({"blk.#.ssm_a", decay}, layer, vectorShape(mamba.heads), ""));
  MINERVA_ASSIGN(mamba.skip, reader.tensor({"blk.#.ssm_d", skip}, layer, vectorShape(mamba.heads), ""));
  MINERVA_ASSIGN(mamba.stepBias, reader.tensor({"blk.#.ssm_dt.bias", step}, layer, vectorShape(mamba.heads), ""));
  mamba.decayIsLog = !reader.isGguf();
  if (form.normalised) {
    MINERVA_ASSIGN(mamba.norm, reader.norm({"blk.#.ssm_norm", norm}, layer, inner));
  }
  MINERVA_ASSIGN(mamba.out, reader.linear({"blk.#.ssm_out", out}, layer, hidden, inner, Reader::Bias::optional));
  return {};
}

Result<Mamba> readSelectiveSizes(const Reader& reader, const SelectiveForm& form, int hidden) {
  Mamba out;
  out.heads = out.groups = 1;
  MINERVA_ASSIGN(out.stateSize, reader.count(form.stateSize, Limits::headDim));
  MINERVA_ASSIGN(out.convolution, readConvolutionWidth(reader, form.convolution));
  if (reader.isGguf()) {
    MINERVA_ASSIGN(out.headDim, reader.count({"ssm.inner_size", ""}, Limits::hidden));
  } else {
    MINERVA_ASSIGN(const int expand, reader.count(form.expand, Limits::hidden / hidden, 2));
    out.headDim = expand * hidden;
  }
  const nlohmann::json* rank = reader.json(form.stepRank);
  if (rank && *rank == "auto") {
    out.stepRank = (hidden + 15) / 16;
  } else {
    MINERVA_ASSIGN(out.stepRank, reader.count(form.stepRank, Limits::hidden));
  }
  return out;
}

Result<void> readSelectiveNorms(Reader& reader, const SelectiveForm& form, int layer, Mamba& mamba) {
  const std::string prefix(form.prefix), step = prefix + "dt_layernorm", b = prefix + "b_layernorm", c = prefix + "c_layernorm";
  MINERVA_ASSIGN(mamba.stepNorm, reader.norm({"blk.#.ssm_dt_norm", step}, layer, mamba.stepRank));
  MINERVA_ASSIGN(const NormWeights ofB, reader.norm({"blk.#.ssm_b_norm", b}, layer, mamba.stateSize));
  MINERVA_ASSIGN(const NormWeights ofC, reader.norm({"blk.#.ssm_c_norm", c}, layer, mamba.stateSize));
  if (ofB.weight.type != ofC.weight.type) {
    return fail(reader.invalid({"", "torch_dtype"}, "The norms of Mamba's B and C differ in type",
                               std::string(traits(ofB.weight.type).name), std::string(traits(ofC.weight.type).name)));
  }
  mamba.keyNorm.weight = joined({ofB.weight, ofC.weight}, matrixShape(2, mamba.stateSize));
  return {};
}

Result<void> readSelectiveTensors(Reader& reader, const SelectiveForm& form, int layer, int hidden, Mamba& mamba) {
  constexpr auto optional = Reader::Bias::optional, required = Reader::Bias::required;
  const std::string prefix(form.prefix), in = prefix + "in_proj", out = prefix + "out_proj", select = prefix + "x_proj";
  const std::string convolution = prefix + "conv1d", step = prefix + "dt_proj", decay = prefix + "A_log", skip = prefix + "D";
  const std::int64_t channels = mamba.headDim;
  MINERVA_ASSIGN(mamba.in, reader.linear({"blk.#.ssm_in", in}, layer, 2 * channels, hidden, optional));
  MINERVA_ASSIGN(mamba.convolutionWeight,
                 reader.tensor({"blk.#.ssm_conv1d", convolution}, layer, vectorShape(channels * mamba.convolution)));
  if (reader.has({"blk.#.ssm_conv1d", convolution}, layer, ".bias")) {
    MINERVA_ASSIGN(mamba.convolutionBias, reader.tensor({"blk.#.ssm_conv1d", convolution}, layer, vectorShape(channels), ".bias"));
  }
  MINERVA_ASSIGN(mamba.select, reader.linear({"blk.#.ssm_x", select}, layer, std::int64_t{mamba.stepRank} + 2 * mamba.stateSize, channels,
                                             Reader::Bias::none));
  MINERVA_TRY(rowsOf(mamba.select, mamba.stepRank, 2 * mamba.stateSize));
  MINERVA_ASSIGN(mamba.step, reader.linear({"blk.#.ssm_dt", step}, layer, channels, mamba.stepRank, required));
  mamba.stepBias = mamba.step.bias;
  mamba.step.bias = {};
  if (form.normalised) MINERVA_TRY(readSelectiveNorms(reader, form, layer, mamba));
  MINERVA_ASSIGN(mamba.decay, reader.tensor({"blk.#.ssm_a", decay}, layer, matrixShape(channels, mamba.stateSize), ""));
  MINERVA_ASSIGN(mamba.skip, reader.tensor({"blk.#.ssm_d", skip}, layer, vectorShape(channels), ""));
  mamba.decayIsLog = !reader.isGguf();
  MINERVA_ASSIGN(mamba.out, reader.linear({"blk.#.ssm_out", out}, layer, hidden, channels, optional));
  return {};
}

}  // namespace

Result<void> fillSelectiveMamba(Reader& reader, const SelectiveForm& form, const std::vector<LayerParts>& parts, ModelConfig& config) {
  if (std::ranges::none_of(parts, &LayerParts::mixer)) return {};
  MINERVA_ASSIGN(const Mamba sizes, readSelectiveSizes(reader, form, config.hiddenSize));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!parts[i].mixer) continue;
    config.layers[i].mamba = sizes;
    MINERVA_TRY(readSelectiveTensors(reader, form, static_cast<int>(i), config.hiddenSize, config.layers[i].mamba));
  }
  return {};
}

Result<void> fillMamba(Reader& reader, const MambaForm& form, const std::vector<LayerParts>& parts, ModelConfig& config) {
  if (std::ranges::none_of(parts, &LayerParts::mixer)) return {};
  MINERVA_ASSIGN(const Mamba sizes, readMambaSizes(reader, form));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!parts[i].mixer) continue;
    config.layers[i].mamba = sizes;
    MINERVA_TRY(readMambaTensors(reader, form, static_cast<int>(i), config.hiddenSize, config.layers[i].mamba));
  }
  return {};
}

Result<void> checkInSections(const ModelConfig& config) {
  for (const LayerConfig& layer : config.layers) {
    std::int64_t first = 0;
    for (const int rows : layer.mamba.inSections()) {
      if (rows > 0) MINERVA_TRY(rowsOf(layer.mamba.in, first, rows));
      first += rows;
    }
  }
  return {};
}

}  // namespace minerva::model
