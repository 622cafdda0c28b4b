#include "core/convert/mixers.h"

#include "core/convert/family_keys.h"
#include "core/tensor/arrangement.h"

namespace minerva::convert {

namespace {

Shape vectorShape(std::int64_t size) { return {.dims = {size, 1, 1, 1}, .rank = 1}; }
Shape matrixShape(std::int64_t rows, std::int64_t columns) { return {.dims = {rows, columns, 1, 1}, .rank = 2}; }

// Tensors of one layer.
class LayerTensors {
 public:
  LayerTensors(std::size_t layer, std::vector<SourceTensor>& out) : m_block("blk." + std::to_string(layer) + "."), m_out(out) {}

  SourceTensor& add(std::string_view name, std::vector<TensorView> parts, const Shape& shape) {
    m_out.push_back({.name = m_block + std::string(name), .parts = std::move(parts), .shape = shape});
    return m_out.back();
  }
  SourceTensor& addWhole(std::string_view name, const TensorView& view) { return add(name, {view}, view.shape); }
  // [channels, width], whatever rank the folder stores it in.
  void addConvolution(std::string_view name, TensorView view, int width) {
    view.shape = matrixShape(view.shape.elements() / width, width);
    addWhole(name, view);
  }
  // weight and, if there is one, bias.
  void addLinear(const std::string& name, const model::Linear& linear) {
    addWhole(name + ".weight", linear.weight);
    if (!linear.bias.empty()) addWhole(name + ".bias", linear.bias);
  }

 private:
  std::string m_block;
  std::vector<SourceTensor>& m_out;
};

// Rows of the value heads, `size` each, in the file's order.
class ValueHeads {
 public:
  ValueHeads(const model::DeltaNet& net, bool tiled) : m_keyHeads(net.keyHeads), m_shared(tiled ? net.valueHeads / net.keyHeads : 1) {}

  // The first `before` rows of the view are of no value head.
  [[nodiscard]] std::vector<TensorView> parts(const TensorView& view, std::int64_t size, std::int64_t before = 0) const {
    if (m_shared == 1) return {view};
    std::vector<TensorView> out;
    if (before > 0) out.push_back(sliceRows(view, 0, before));
    const Shape shape = matrixShape(m_keyHeads * size, view.shape.columns());
    for (std::int64_t j = 0; j < m_shared; ++j) out.push_back(rowGroups(view, shape, size, m_shared * size, before + j * size));
    return out;
  }
  [[nodiscard]] RowOrder columns(std::int64_t size) const {
    if (m_shared == 1) return {};
    return {.counts = {m_shared, m_keyHeads, size}, .steps = {size, m_shared * size, 1}};
  }

 private:
  std::int64_t m_keyHeads, m_shared;
};

void addDeltaNet(const model::DeltaNet& net, bool tiled, LayerTensors out) {
  const ValueHeads heads(net, tiled);
  const std::int64_t keys = std::int64_t{net.keyHeads} * net.keyDim, values = std::int64_t{net.valueHeads} * net.valueDim;
  const std::int64_t channels = 2 * keys + values, hidden = net.q.weight.shape.columns();
  // q, k and v of all heads, one behind the other: three tensors, or the rows of one.
  const auto joined = [&](const TensorView& all) { return heads.parts(all, net.valueDim, 2 * keys); };
  std::vector<TensorView> qkv = net.v.weight.empty() ? joined(net.q.weight) : std::vector{net.q.weight, net.k.weight, net.v.weight};
  out.add("attn_qkv.weight", std::move(qkv), matrixShape(channels, hidden));
  out.add("attn_gate.weight", heads.parts(net.z.weight, net.valueDim), matrixShape(values, hidden));
  TensorView convolution = net.convolutionWeight;
  convolution.shape = matrixShape(channels, net.convolution);
  out.add("ssm_conv1d.weight", joined(convolution), convolution.shape);
  out.add("ssm_a", heads.parts(asColumn(net.decay), 1), vectorShape(net.valueHeads)).negativeExponential = net.decayIsLog;
  out.add("ssm_dt.bias", heads.parts(asColumn(net.stepBias), 1), vectorShape(net.valueHeads));
  out.addWhole("ssm_norm.weight", net.norm.weight);
  out.addWhole("ssm_out.weight", net.out.weight).columns = heads.columns(net.valueDim);
  if (!tiled) return;
  out.add("ssm_beta.weight", heads.parts(net.b.weight, 1), matrixShape(net.valueHeads, hidden));
  out.add("ssm_alpha.weight", heads.parts(net.a.weight, 1), matrixShape(net.valueHeads, hidden));
}

void addMamba(const model::Mamba& mamba, LayerTensors out) {
  const std::int64_t inner = std::int64_t{mamba.heads} * mamba.headDim;
  SourceTensor& in = out.addWhole("ssm_in.weight", mamba.in.weight);
  if (!mamba.inScales.empty()) {
    in.parts.clear();
    in.factors = mamba.inScales;
    std::int64_t first = 0;
    for (const std::int64_t rows : mamba.inSections()) {
      in.parts.push_back(sliceRows(mamba.in.weight, first, rows));
      first += rows;
    }
  }
  if (!mamba.in.bias.empty()) out.addWhole("ssm_in.bias", mamba.in.bias);
  out.addConvolution("ssm_conv1d.weight", mamba.convolutionWeight, mamba.convolution);
  if (!mamba.convolutionBias.empty()) out.addWhole("ssm_conv1d.bias", mamba.convolutionBias);
  out.add("ssm_a", {asColumn(mamba.decay)}, matrixShape(mamba.heads, 1)).negativeExponential = mamba.decayIsLog;
  out.add("ssm_d", {asColumn(mamba.skip)}, matrixShape(mamba.heads, 1));
  out.addWhole("ssm_dt.bias", mamba.stepBias);
  if (mamba.norm.present()) {
    TensorView norm = mamba.norm.weight;
    norm.shape = matrixShape(mamba.groups, inner / mamba.groups);
    out.addWhole("ssm_norm.weight", norm);
  }
  SourceTensor& result = out.addWhole("ssm_out.weight", mamba.out.weight);
  if (mamba.resultScale != 1) result.factors = {mamba.resultScale};
  if (!mamba.out.bias.empty()) out.addWhole("ssm_out.bias", mamba.out.bias);
}

void addSelectiveMamba(const model::Mamba& mamba, LayerTensors out) {
  out.addLinear("ssm_in", mamba.in);
  out.addConvolution("ssm_conv1d.weight", mamba.convolutionWeight, mamba.convolution);
  if (!mamba.convolutionBias.empty()) out.addWhole("ssm_conv1d.bias", mamba.convolutionBias);
  out.addLinear("ssm_x", mamba.select);
  out.addLinear("ssm_dt", {mamba.step.weight, mamba.stepBias});
  if (mamba.stepNorm.present()) out.addWhole("ssm_dt_norm.weight", mamba.stepNorm.weight);
  if (mamba.keyNorm.present()) {
    const auto norm = [&](std::int64_t row) { return std::vector{sliceRows(mamba.keyNorm.weight, row, 1)}; };
    out.add("ssm_b_norm.weight", norm(0), vectorShape(mamba.stateSize));
    out.add("ssm_c_norm.weight", norm(1), vectorShape(mamba.stateSize));
  }
  out.addWhole("ssm_a", mamba.decay).negativeExponential = mamba.decayIsLog;
  out.addWhole("ssm_d", mamba.skip);
  out.addLinear("ssm_out", mamba.out);
}

}  // namespace

Result<void> addDeltaNets(const model::ModelConfig& model, bool tiled, std::vector<SourceTensor>& out) {
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const model::DeltaNet& net = model.layers[i].deltaNet;
    if (net.keyHeads == 0) continue;
    if (tiled && (!net.v.weight.empty() || net.b.weight.arrangement)) {
      return cannotBeStated("A GGUF file of this architecture cannot be made from fused matrices of a delta net", "four matrices", "two");
    }
    addDeltaNet(net, tiled, LayerTensors(i, out));
  }
  return {};
}

void addChannelDeltaNets(const model::ModelConfig& model, std::vector<SourceTensor>& out) {
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const model::DeltaNet& net = model.layers[i].deltaNet;
    if (!net.channelDecay) continue;
    LayerTensors layer(i, out);
    const std::int64_t channels = net.convolutionWeight.shape.rows() / 3;
    for (int part = 0; part < 3; ++part) {
      constexpr const char* names[] = {"ssm_conv1d_q.weight", "ssm_conv1d_k.weight", "ssm_conv1d_v.weight"};
      layer.add(names[part], {sliceRows(net.convolutionWeight, part * channels, channels)},
                {.dims = {1, channels, 1, net.convolution}, .rank = 4});
    }
    layer.add("ssm_a", {asColumn(net.decay)}, {.dims = {1, 1, net.valueHeads, 1}, .rank = 4}).negativeExponential = net.decayIsLog;
    layer.add("ssm_dt.bias", {net.stepBias}, vectorShape(std::int64_t{net.valueHeads} * net.keyDim));
  }
}

void addMambas(const model::ModelConfig& model, std::vector<SourceTensor>& out) {
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const model::Mamba& mamba = model.layers[i].mamba;
    if (mamba.stepRank > 0) addSelectiveMamba(mamba, LayerTensors(i, out));
    else if (mamba.heads > 0) addMamba(mamba, LayerTensors(i, out));
  }
}

void addShortConvolutions(const model::ModelConfig& model, std::vector<SourceTensor>& out) {
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const model::ShortConvolution& convolution = model.layers[i].shortConvolution;
    if (convolution.width == 0) continue;
    LayerTensors layer(i, out);
    layer.addLinear("shortconv.in_proj", convolution.in);
    layer.addLinear("shortconv.out_proj", convolution.out);
    layer.addConvolution("shortconv.conv.weight", convolution.weight, convolution.width);
    if (!convolution.bias.empty()) layer.addWhole("shortconv.conv.bias", convolution.bias);
  }
}

}  // namespace minerva::convert
