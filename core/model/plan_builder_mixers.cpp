// The mixers of a layer: attention, gated delta net, Mamba 2 and Mamba, short convolution.
#include "core/model/plan_builder.h"

#include <cmath>
#include <numeric>

namespace minerva::model {
namespace {

int outputsOf(const Linear& linear) { return static_cast<int>(linear.weight.shape.rows()); }

}  // namespace

std::vector<Builder::Mixed> Builder::mixers(int index, BufferId x) {
  const LayerConfig& layer = layerOf(index);
  predictStreams(index, x);
  std::vector<Mixed> mixed;
  if (layer.hasAttention()) mixed.push_back(attention(index, x));
  else if (!layer.o.weight.empty()) mixed.push_back(plainMatrix(index, x));
  if (layer.deltaNet.keyHeads > 0) mixed.push_back(deltaNet(index, x));
  if (layer.mamba.heads > 0) mixed.push_back(mamba(index, x));
  if (layer.shortConvolution.width > 0) mixed.push_back(shortConvolution(index, x));
  return mixed;
}

// x -> qkv (norm fused) -> normalised, rotated and stored. The gate of the attention's result, if any, is behind them. A layer that uses
// another layer's keys and values has queries only.
BufferId Builder::queriesKeysValues(int index, BufferId x) {
  const LayerConfig& layer = layerOf(index);
  const bool own = layer.kvFrom < 0;
  const int q = layer.headCount * layer.headDim;
  const int k = own ? layer.kvHeadCount * layer.headDim : 0, v = own ? layer.kvHeadCount * layer.valueSize() : 0;
  std::vector<ProjPart> parts{part(layerName(index, "q"), layer.q, 0)};
  if (own) {
    parts.push_back(part(layerName(index, "k"), layer.k, q));
    parts.push_back(part(layerName(index, "v"), layer.v, q + k));
  }
  const bool gated = !layer.outputGate.weight.empty();
  if (gated) parts.push_back(part(layerName(index, "output gate"), layer.outputGate, q + k + v));
  const BufferId qkv = buffer("qkv", q + k + v + (gated ? outputsOf(layer.outputGate) : 0), false);
  project(x, mixerNorm(index), std::move(parts), Epilogue::store, qkv);
  int& id = m_kvOfLayer[static_cast<std::size_t>(index)];
  if (own) {
    id = kvState({layer.kvHeadCount, layer.headDim, layer.valueSize(), layer.visible.reach()});
  } else {
    id = m_kvOfLayer[static_cast<std::size_t>(layer.kvFrom)];
  }
  const int kvHeads = own ? layer.kvHeadCount : 0;
  m_plan.ops.push_back(
      RopeKvOp{.kv = own ? id : none,
               .headCount = layer.headCount,
               .kvHeadCount = kvHeads,
               .headDim = layer.headDim,
               .valueDim = layer.valueSize(),
               .rope = layer.rope,
               .qNorm = headNorm(layerName(index, "q norm"), layer.qNorm, layer.headCount, layer.headDim),
               .kNorm = own ? headNorm(layerName(index, "k norm"), layer.kNorm, kvHeads, layer.headDim) : HeadNormStep{},
               .vNorm = own ? headNorm(layerName(index, "v norm"), layer.vNorm, kvHeads, layer.valueSize()) : HeadNormStep{},
               .normsRotated = layer.normsRotated,
               .temperature = layer.temperature,
               .qkv = qkv,
               .limit = m_config.attentionLimit});
  return qkv;
}

// A single key head [latent | rotated] shared by all query heads; its values are the latent part.
BufferId Builder::latentQueriesAndKeys(int index, BufferId x) {
  const LayerConfig& layer = layerOf(index);
  const LatentAttention& mla = layer.latentAttention;
  const int headDim = mla.latent + mla.rotaryDim;
  const int keyColumn = layer.headCount * headDim;
  const NamedNorm before = mixerNorm(index);
  const BufferId q = buffer("q", layer.headCount * (mla.plainDim + mla.rotaryDim), false);
  if (mla.qDown.weight.empty()) {
    project(x, before, {part(layerName(index, "q"), layer.q, 0)}, Epilogue::store, q);
  } else {
    const BufferId low = buffer("q latent", outputsOf(mla.qDown), false);
    project(x, before, {part(layerName(index, "q down"), mla.qDown, 0)}, Epilogue::store, low);
    project(low, {layerName(index, "q latent norm"), mla.qNorm}, {part(layerName(index, "q"), layer.q, 0)}, Epilogue::store, q);
  }
  const BufferId qk = buffer("qk", keyColumn + headDim, false);
  project(x, before,
          {part(layerName(index, "latent"), mla.latentDown, keyColumn),
           part(layerName(index, "rotated key"), mla.keyDown, keyColumn + mla.latent)},
          Epilogue::store, qk);
  m_plan.ops.push_back(HeadProjOp{
      .in = q, .heads = layer.headCount, .weight = weight(layerName(index, "key up"), mla.keyUp), .rest = mla.rotaryDim, .out = qk});
  const int kv = kvState({1, headDim, mla.latent, layer.visible.reach()});
  m_kvOfLayer[static_cast<std::size_t>(index)] = kv;
  m_plan.ops.push_back(RopeKvOp{.kv = kv,
                                .headCount = layer.headCount,
                                .kvHeadCount = 1,
                                .headDim = headDim,
                                .valueDim = mla.latent,
                                .rope = layer.rope,
                                .ropeOffset = mla.latent,
                                .kNorm = {norm(layerName(index, "latent norm"), mla.latentNorm), mla.latent},
                                .valuesFromKeys = true,
                                .temperature = layer.temperature,
                                .qkv = qk});
  return qk;
}

BufferId Builder::latentResults(int index, BufferId attention) {
  const LayerConfig& layer = layerOf(index);
  const LatentAttention& mla = layer.latentAttention;
  const BufferId values = buffer("values", layer.headCount * mla.valueDim, false);
  m_plan.ops.push_back(HeadProjOp{
      .in = attention, .heads = layer.headCount, .weight = weight(layerName(index, "value up"), mla.valueUp), .rest = 0, .out = values});
  return values;
}

Builder::Mixed Builder::attention(int index, BufferId x) {
  const LayerConfig& layer = layerOf(index);
  const bool latent = layer.latentAttention.latent > 0;
  const BufferId qkv = latent ? latentQueriesAndKeys(index, x) : queriesKeysValues(index, x);
  const int id = m_kvOfLayer[static_cast<std::size_t>(index)];
  const KvState& kv = m_plan.kv[static_cast<std::size_t>(id)];
  const int width = layer.headCount * kv.valueDim;
  const BufferId out = buffer("attention", width, false);
  const float scale = layer.attentionScale != 0 ? layer.attentionScale : m_config.attentionScale;
  const NormWeights& queryNorm = layer.qNorm.weights;
  m_plan.ops.push_back(AttentionOp{.kv = id,
                                   .headCount = layer.headCount,
                                   .kvHeadCount = kv.kvHeadCount,
                                   .headDim = kv.headDim,
                                   .valueDim = kv.valueDim,
                                   .visible = layer.visible,
                                   .scale = scale * (queryNorm.withoutWeight ? queryNorm.times : 1),
                                   .qkv = qkv,
                                   .out = out,
                                   .softCap = m_config.attentionSoftCap,
                                   .sinks = weight(layerName(index, "sinks"), layer.sinks),
                                   .alibi = m_config.alibi});
  if (latent) return {latentResults(index, out), "o", &layer.o};
  if (!layer.outputGate.weight.empty()) {
    const int gates = outputsOf(layer.outputGate);
    m_plan.ops.push_back(GateOp{.gate = qkv,
                                .gateColumn = columns(qkv) - gates,
                                .activation = layer.outputGateActivation,
                                .out = out,
                                .column = 0,
                                .columns = width,
                                .group = width / gates});
  }
  return {out, "o", &layer.o, layer.attentionResultScale};
}

// The matrix `o` of a layer without attention reads the layer's normalised input.
Builder::Mixed Builder::plainMatrix(int index, BufferId x) {
  const BufferId in = buffer("input of a matrix", m_config.hiddenSize, false);
  const auto& [name, how] = mixerNorm(index);
  normSum(name, how, x, in);
  return {in, "o", &layerOf(index).o};
}

// [q | k | v | z | b | a].
void Builder::deltaInput(int index, BufferId x, BufferId in) {
  const DeltaNet& net = layerOf(index).deltaNet;
  const int keys = net.keyHeads * net.keyDim, values = net.valueHeads * net.valueDim, channels = 2 * keys + values;
  const NamedNorm before = mixerNorm(index);
  const auto throughLow = [&](const char* name, const Linear& down, const Linear& up, int column) {
    const BufferId low = buffer(std::string(name) + " of low rank", outputsOf(down), false);
    project(x, before, {part(layerName(index, name) + " down", down, 0)}, Epilogue::store, low);
    project(low, {}, {part(layerName(index, name), up, column)}, Epilogue::store, in);
  };
  // From the last to the first: only a projection that begins behind the first column may be the first to write part of a buffer.
  const ProjPart b = part(layerName(index, "delta b"), net.b, channels + values);
  const bool lowZ = !net.zDown.weight.empty(), lowA = !net.aDown.weight.empty();
  if (lowA) throughLow("delta a", net.aDown, net.a, channels + values + net.valueHeads);
  if (lowZ) {
    project(x, before, {b}, Epilogue::store, in);
    throughLow("delta z", net.zDown, net.z, channels);
  }
  std::vector<ProjPart> parts{part(layerName(index, "delta q"), net.q, 0)};
  if (!net.k.weight.empty()) {
    parts.push_back(part(layerName(index, "delta k"), net.k, keys));
    parts.push_back(part(layerName(index, "delta v"), net.v, 2 * keys));
  }
  if (!lowZ) {
    parts.push_back(part(layerName(index, "delta z"), net.z, channels));
    parts.push_back(b);
    if (!lowA) parts.push_back(part(layerName(index, "delta a"), net.a, channels + values + net.valueHeads));
  }
  project(x, before, std::move(parts), Epilogue::store, in);
}

// The end of a delta net: norm(x) * silu(z), or norm(x) * sigmoid(z) in another buffer.
void Builder::deltaGate(int index, BufferId in, BufferId& out) {
  const DeltaNet& net = layerOf(index).deltaNet;
  const int values = net.valueHeads * net.valueDim, gateColumn = 2 * net.keyHeads * net.keyDim + values;
  const Norm how = norm(layerName(index, "delta norm"), net.norm, 0);
  if (!net.sigmoidGate) {
    m_plan.ops.push_back(
        GatedNormOp{.gate = in, .gateColumn = gateColumn, .norm = how, .group = net.valueDim, .gateFirst = false, .x = out});
    return;
  }
  const BufferId normed = buffer("delta result, normalised", values, false);
  m_plan.ops.push_back(NormOp{.in = out, .norm = how, .add = false, .scale = 1.0F, .out = normed, .group = net.valueDim});
  m_plan.ops.push_back(
      GateOp{.gate = in, .gateColumn = gateColumn, .activation = Activation::sigmoid, .out = normed, .column = 0, .columns = values});
  out = normed;
}

Builder::Mixed Builder::deltaNet(int index, BufferId x) {
  const DeltaNet& net = layerOf(index).deltaNet;
  const int keys = net.keyHeads * net.keyDim, values = net.valueHeads * net.valueDim, channels = 2 * keys + values;
  const int decays = net.valueHeads * (net.channelDecay ? net.keyDim : 1);
  const BufferId in = buffer("delta net", channels + values + net.valueHeads + decays, false);
  deltaInput(index, x, in);
  const BufferId qkv = buffer("delta qkv", channels, false);
  m_plan.ops.push_back(ConvOp{.in = in,
                              .column = 0,
                              .channels = channels,
                              .width = net.convolution,
                              .weight = weight(layerName(index, "convolution"), net.convolutionWeight),
                              .activated = true,
                              .state = recurrentState(layerName(index, "convolution"), net.convolution - 1, channels),
                              .out = qkv});
  BufferId out = buffer("delta result", values, false);
  m_plan.ops.push_back(DeltaOp{.in = qkv,
                               .gates = in,
                               .betaColumn = channels + values,
                               .decayColumn = channels + values + net.valueHeads,
                               .keyHeads = net.keyHeads,
                               .valueHeads = net.valueHeads,
                               .keyDim = net.keyDim,
                               .valueDim = net.valueDim,
                               .tiled = net.tiled,
                               .channelDecay = net.channelDecay,
                               .decay = weight(layerName(index, "decay"), net.decay, {.negatedExp = net.decayIsLog}),
                               .bias = weight(layerName(index, "decay bias"), net.stepBias),
                               .state = recurrentState(layerName(index, "delta rule"), net.valueHeads * net.keyDim, net.valueDim),
                               .out = out});
  deltaGate(index, in, out);
  return {out, "delta out", &net.out};
}

// Where z, x, B, C and dt have scales of their own, each is a projection of its own, whose input norm has the scale.
void Builder::mambaInput(int index, BufferId x, BufferId in) {
  const Mamba& mamba = layerOf(index).mamba;
  const NamedNorm before = mixerNorm(index);
  if (mamba.inScales.empty()) return project(x, before, {part(layerName(index, "mamba in"), mamba.in, 0)}, Epilogue::store, in);
  const auto sizes = mamba.inSections();
  int row = std::accumulate(sizes.begin(), sizes.end(), 0);
  // From the last to the first: only a projection that begins behind the first column may be the first to write part of a buffer.
  for (std::size_t i = sizes.size(); i-- > 0;) {
    row -= sizes[i];
    NamedNorm scaled = before;
    scaled.second.times *= mamba.inScales.at(i);
    const Linear rows{sliceRows(mamba.in.weight, row, sizes[i]), {}};
    project(x, scaled, {part(layerName(index, "mamba in"), rows, row)}, Epilogue::store, in);
  }
}

// What each token makes of its convolved x: the size of the step of each channel, and B and C.
void Builder::selectByChannel(int index, BufferId x, BufferId steps, BufferId keys) {
  const Mamba& mamba = layerOf(index).mamba;
  const auto rows = [&](int first, int count) { return Linear{sliceRows(mamba.select.weight, first, count), {}}; };
  const BufferId low = buffer("mamba steps of low rank", mamba.stepRank, false);
  project(x, {}, {part(layerName(index, "mamba low steps"), rows(0, mamba.stepRank), 0)}, Epilogue::store, low);
  project(low, {layerName(index, "mamba step norm"), mamba.stepNorm}, {part(layerName(index, "mamba steps"), mamba.step, 0)},
          Epilogue::store, steps);
  const bool normed = mamba.keyNorm.present();
  const BufferId made = normed ? buffer("mamba B, C before their norm", 2 * mamba.stateSize, false) : keys;
  project(x, {}, {part(layerName(index, "mamba B, C"), rows(mamba.stepRank, 2 * mamba.stateSize), 0)}, Epilogue::store, made);
  if (!normed) return;
  m_plan.ops.push_back(NormOp{.in = made,
                              .norm = norm(layerName(index, "mamba B, C norm"), mamba.keyNorm, 0),
                              .add = false,
                              .scale = 1.0F,
                              .out = keys,
                              .group = mamba.stateSize});
}

BufferId Builder::mambaConvolution(int index, BufferId in, int column, int channels) {
  const Mamba& mamba = layerOf(index).mamba;
  const BufferId out = buffer("mamba convolution", channels, false);
  m_plan.ops.push_back(ConvOp{.in = in,
                              .column = column,
                              .channels = channels,
                              .width = mamba.convolution,
                              .weight = weight(layerName(index, "convolution"), mamba.convolutionWeight),
                              .bias = weight(layerName(index, "convolution bias"), mamba.convolutionBias),
                              .activated = true,
                              .state = recurrentState(layerName(index, "convolution"), mamba.convolution - 1, channels),
                              .out = out});
  return out;
}

BufferId Builder::scan(int index, const ScanInputs& from) {
  const Mamba& mamba = layerOf(index).mamba;
  const int inner = mamba.heads * mamba.headDim;
  const BufferId out = buffer("mamba result", inner, false);
  m_plan.ops.push_back(ScanOp{.in = from.in,
                              .keys = from.keys,
                              .keyColumn = from.keyColumn,
                              .steps = from.steps,
                              .dtColumn = from.dtColumn,
                              .heads = mamba.heads,
                              .headDim = mamba.headDim,
                              .groups = mamba.groups,
                              .stateSize = mamba.stateSize,
                              .channelDecay = mamba.stepRank > 0,
                              .decay = weight(layerName(index, "decay"), mamba.decay, {.negatedExp = mamba.decayIsLog}),
                              .bias = weight(layerName(index, "step bias"), mamba.stepBias),
                              .skip = weight(layerName(index, "skip"), mamba.skip),
                              .dtMin = mamba.stepMin,
                              .dtMax = mamba.stepMax,
                              .state = recurrentState(layerName(index, "scan"), inner, mamba.stateSize),
                              .out = out});
  return out;
}

Builder::Mixed Builder::mambaByChannel(int index, BufferId x) {
  const Mamba& mamba = layerOf(index).mamba;
  const int inner = mamba.heads * mamba.headDim;
  const BufferId in = buffer("mamba", 2 * inner, false);
  project(x, mixerNorm(index), {part(layerName(index, "mamba in"), mamba.in, 0)}, Epilogue::store, in);
  const BufferId channels = mambaConvolution(index, in, 0, inner);
  const BufferId steps = buffer("mamba steps", inner, false), keys = buffer("mamba B, C", 2 * mamba.stateSize, false);
  selectByChannel(index, channels, steps, keys);
  const BufferId out = scan(index, {.in = channels, .keys = keys, .keyColumn = 0, .steps = steps, .dtColumn = 0});
  m_plan.ops.push_back(GateOp{.gate = in, .gateColumn = inner, .activation = Activation::silu, .out = out, .column = 0, .columns = inner});
  return {out, "mamba out", &mamba.out, mamba.resultScale};
}

Builder::Mixed Builder::mamba(int index, BufferId x) {
  const Mamba& mamba = layerOf(index).mamba;
  if (mamba.stepRank > 0) return mambaByChannel(index, x);
  const int inner = mamba.heads * mamba.headDim, channels = inner + 2 * mamba.groups * mamba.stateSize;
  const BufferId in = buffer("mamba", inner + channels + mamba.heads, false);
  mambaInput(index, x, in);
  const BufferId xbc = mambaConvolution(index, in, inner, channels);
  const BufferId out = scan(index, {.in = xbc, .keys = xbc, .keyColumn = inner, .steps = in, .dtColumn = inner + channels});
  if (mamba.norm.present()) {
    m_plan.ops.push_back(GatedNormOp{.gate = in,
                                     .gateColumn = 0,
                                     .norm = norm(layerName(index, "mamba norm"), mamba.norm, 0),
                                     .group = inner / mamba.groups,
                                     .gateFirst = true,
                                     .x = out});
  } else {
    m_plan.ops.push_back(GateOp{.gate = in, .gateColumn = 0, .activation = Activation::silu, .out = out, .column = 0, .columns = inner});
  }
  return {out, "mamba out", &mamba.out, mamba.resultScale};
}

Builder::Mixed Builder::shortConvolution(int index, BufferId x) {
  const ShortConvolution& conv = layerOf(index).shortConvolution;
  const int channels = outputsOf(conv.in) / 3;
  const BufferId in = buffer("short convolution", 3 * channels, false);
  project(x, mixerNorm(index), {part(layerName(index, "convolution in"), conv.in, 0)}, Epilogue::store, in);
  const auto gate = [&](int gateColumn, BufferId out, int column) {
    m_plan.ops.push_back(GateOp{
        .gate = in, .gateColumn = gateColumn, .activation = Activation::identity, .out = out, .column = column, .columns = channels});
  };
  gate(0, in, 2 * channels);
  const BufferId out = buffer("convolution result", channels, false);
  m_plan.ops.push_back(ConvOp{.in = in,
                              .column = 2 * channels,
                              .channels = channels,
                              .width = conv.width,
                              .weight = weight(layerName(index, "convolution"), conv.weight),
                              .bias = weight(layerName(index, "convolution bias"), conv.bias),
                              .activated = false,
                              .state = recurrentState(layerName(index, "convolution"), conv.width - 1, channels),
                              .out = out});
  gate(channels, out, 0);
  return {out, "convolution out", &conv.out};
}

}  // namespace minerva::model
