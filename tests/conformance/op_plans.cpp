#include "tests/conformance/op_plans.h"

#include <cmath>

namespace minerva::tests {

using model::BufferId;
using model::none;
using model::Plan;
using model::WeightId;

BufferId addBuffer(Plan& plan, const char* name, int columns, bool outputRows) {
  plan.buffers.push_back({name, columns, outputRows});
  return static_cast<BufferId>(plan.buffers.size()) - 1;
}

WeightId addWeight(Plan& plan, const char* name, const TensorView& view) {
  plan.weights.push_back({name, view, {}});
  return static_cast<WeightId>(plan.weights.size()) - 1;
}

BufferId embed(OpPlan& p, ElementType type, int columns, double rms) {
  const BufferId out = addBuffer(p.plan, "x", columns, false);
  p.plan.hiddenSize = columns;
  const WeightId table = addWeight(p.plan, "table", p.store.matrix(type, opVocabulary, columns, rms));
  p.plan.ops.push_back(model::EmbedOp{.table = table, .scale = 1.25F, .out = out});
  return out;
}

namespace {

BufferId gather(OpPlan& p, BufferId in) {
  const BufferId out = addBuffer(p.plan, "gathered", p.plan.buffers[static_cast<std::size_t>(in)].columns, true);
  p.plan.ops.push_back(model::GatherOp{.in = in, .out = out});
  return out;
}

// A head whose logits show x almost unchanged: an RMS norm whose epsilon dominates the mean square, then a matrix of 1, -1
// and 0 that adds every column of x to exactly one logit.
void diagonalHead(OpPlan& p, BufferId in) {
  const int columns = p.plan.buffers[static_cast<std::size_t>(in)].columns;
  std::vector<float> diagonal(static_cast<std::size_t>(opVocabulary) * static_cast<std::size_t>(columns), 0.0F);
  for (int c = 0; c < columns; ++c) {
    diagonal[static_cast<std::size_t>(c % opVocabulary) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(c)] =
        (c / opVocabulary) % 2 == 0 ? 1.0F : -1.0F;
  }
  const WeightId head = addWeight(p.plan, "diagonal head", p.store.values(diagonal, opVocabulary, columns));
  const WeightId norm = addWeight(p.plan, "unit norm", p.store.vector(ElementType::F32, columns, 1e3, 0));
  p.plan.logits = addBuffer(p.plan, "logits", opVocabulary, true);
  p.plan.vocabularySize = opVocabulary;
  p.plan.ops.push_back(model::HeadOp{
      .in = in, .norm = {model::NormKind::rms, 1e6F, norm, none}, .weight = head, .bias = none, .scale = 3.0F, .out = p.plan.logits});
}

}  // namespace

model::Norm addNorm(OpPlan& p, model::NormKind kind, ElementType type, int columns) {
  model::Norm norm{kind, 1e-5F, addWeight(p.plan, "norm", p.store.vector(type, columns, 1.0, 0.2)), none};
  if (kind == model::NormKind::layer) norm.bias = addWeight(p.plan, "norm bias", p.store.vector(type, columns, 0.0, 0.2));
  return norm;
}

void show(OpPlan& p, BufferId rows) { diagonalHead(p, gather(p, rows)); }

OpPlan embedPlan(ElementType type, int columns) {
  OpPlan p{TensorStore(7), {}};
  show(p, embed(p, type, columns, 1.0));
  return p;
}

OpPlan projPlan(const ProjShape& shape) {
  OpPlan p{TensorStore(shape.seed), {}};
  BufferId in = embed(p, ElementType::F32, shape.inputs, 1.0);
  if (shape.outputRows) in = gather(p, in);
  int columns = 0;
  for (const int outputs : shape.outputs) columns += outputs;
  if (shape.epilogue == model::Epilogue::gated) columns = shape.outputs.front();
  const BufferId out = addBuffer(p.plan, "y", columns, shape.outputRows);
  model::ProjOp op{.in = in,
                   .normalised = shape.normalised,
                   .norm = {shape.norm, 1e-5F, none, none},
                   .parts = {},
                   .epilogue = shape.epilogue,
                   .activation = shape.activation,
                   .out = out};
  if (shape.normalised) op.norm = addNorm(p, shape.norm, shape.vectorType, shape.inputs);
  int column = 0;
  for (const int outputs : shape.outputs) {
    model::ProjPart part{none, none, column};
    part.weight = addWeight(p.plan, "w", p.store.matrix(shape.type, outputs, shape.inputs, 1.0 / std::sqrt(shape.inputs)));
    if (shape.biases) part.bias = addWeight(p.plan, "b", p.store.vector(shape.vectorType, outputs, 0.0, 0.5));
    op.parts.push_back(part);
    column += outputs;
  }
  if (shape.epilogue == model::Epilogue::add) {  // the projection adds to its output, so another one has to write it first
    model::ProjOp first = op;
    first.epilogue = model::Epilogue::store;
    first.normalised = false;
    first.parts = {
        {addWeight(p.plan, "w0", p.store.matrix(ElementType::F32, columns, shape.inputs, 1.0 / std::sqrt(shape.inputs))), none, 0}};
    p.plan.ops.push_back(std::move(first));
  }
  p.plan.ops.push_back(std::move(op));
  diagonalHead(p, shape.outputRows ? out : gather(p, out));
  return p;
}

namespace {

model::HeadNormStep headNorm(OpPlan& p, const AttentionShape& shape) {
  model::Norm norm{model::NormKind::rms, 1e-5F, none, none};
  if (!shape.weightless) norm = addNorm(p, model::NormKind::rms, ElementType::F32, shape.headDim);
  return {norm, shape.headDim};
}

}  // namespace

OpPlan attentionPlan(const AttentionShape& shape) {
  OpPlan p{TensorStore(shape.seed), {}};
  const int q = shape.heads * shape.headDim;
  const int kv = shape.kvHeads * shape.headDim;
  const BufferId qkv = embed(p, ElementType::F32, q + 2 * kv, 1.0);
  const BufferId queries = shape.shared ? embed(p, ElementType::F32, q, 1.0) : qkv;
  const BufferId out = addBuffer(p.plan, "attention", q, false);
  model::Rope& rope = p.plan.ropes.emplace_back();
  rope.layout = shape.layout;
  rope.dimension = shape.ropeDimension < 0 ? shape.headDim : shape.ropeDimension;
  rope.magnitude = shape.magnitude;
  for (int i = 0; i < rope.dimension / 2; ++i) {
    rope.frequencies.push_back(static_cast<float>(std::pow(10000.0, -2.0 * i / rope.dimension)));
  }
  const model::Visible visible{shape.window, shape.chunk, shape.bidirectional};
  p.plan.kv.push_back({shape.kvHeads, shape.headDim, shape.headDim, visible.reach()});
  model::RopeKvOp op{.kv = 0,
                     .headCount = shape.heads,
                     .kvHeadCount = shape.kvHeads,
                     .headDim = shape.headDim,
                     .valueDim = shape.headDim,
                     .rope = rope.dimension > 0 ? 0 : none,
                     .normsRotated = shape.normsRotated,
                     .temperature = shape.temperature,
                     .qkv = qkv,
                     .limit = shape.limit};
  if (shape.headNorms) op.qNorm = headNorm(p, shape);
  if (shape.headNorms) op.kNorm = headNorm(p, shape);
  if (shape.valueNorm) op.vNorm = headNorm(p, shape);
  p.plan.ops.push_back(op);
  if (shape.shared) {
    op.kv = none;
    op.kvHeadCount = 0;
    op.kNorm = op.vNorm = {};
    op.qkv = queries;
    p.plan.ops.push_back(op);
  }
  p.plan.ops.push_back(model::AttentionOp{.kv = 0,
                                          .headCount = shape.heads,
                                          .kvHeadCount = shape.kvHeads,
                                          .headDim = shape.headDim,
                                          .valueDim = shape.headDim,
                                          .visible = visible,
                                          .scale = static_cast<float>(1.5 / std::sqrt(shape.headDim)),
                                          .qkv = queries,
                                          .out = out,
                                          .alibi = shape.alibi});
  show(p, out);
  return p;
}

OpPlan headPlan(ElementType type, int columns, int vocabulary, model::NormKind norm, float scale) {
  OpPlan p{TensorStore(11), {}};
  const BufferId x = addBuffer(p.plan, "x", columns, false);
  p.plan.hiddenSize = columns;
  p.plan.vocabularySize = vocabulary;
  const WeightId table = addWeight(p.plan, "table", p.store.matrix(type, vocabulary, columns, 3.0 / std::sqrt(columns)));
  p.plan.ops.push_back(model::EmbedOp{.table = table, .scale = 1.0F, .out = x});
  const BufferId gathered = gather(p, x);
  p.plan.logits = addBuffer(p.plan, "logits", vocabulary, true);
  const model::Norm headNorm = addNorm(p, norm, ElementType::F32, columns);
  p.plan.ops.push_back(
      model::HeadOp{.in = gathered, .norm = headNorm, .weight = table, .bias = none, .scale = scale, .out = p.plan.logits});
  return p;
}

}  // namespace minerva::tests
